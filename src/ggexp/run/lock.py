"""A lock that allows one run at a time in a folder, and is released even if the run is killed.

Snakemake's own lock remains if a run is killed. `ggexp snakemake …` does the same as `snakemake …`,
but it refuses to start if another run is active, and it starts if an earlier run was killed.
"""

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ggexp.run.project import ROOT, check_library
from ggexp.run.written import check_written, config_files

LOCK = Path(".snakemake", "running")


def hold(path: Path) -> bool:
    """Take the lock, and return whether this process now holds it.

    False means that the file system does not support locks, as on some clusters. Otherwise the
    process holds the lock until it ends. This is a POSIX lock: it belongs to the process, survives
    exec, can be taken again by the same process, and is not inherited by the jobs that the process
    starts.
    Raises BlockingIOError with the name of the process that holds the lock.
    """
    import fcntl  # only on Linux and macOS

    path.parent.mkdir(parents=True, exist_ok=True)
    # The file is never closed, because closing any descriptor of it would release the lock.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    os.set_inheritable(descriptor, True)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            return False
        holder = os.read(descriptor, 200).decode("utf-8", "replace").strip()
        raise BlockingIOError(
            f"another run is active in {Path.cwd()} ({holder}). Wait until it ends, or stop it."
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    return True


def start(arguments: Sequence[str]) -> NoReturn:
    """Take the lock and replace this process by snakemake with this project's workflow.

    Results, downloads and logs are written below the working directory. If the lock cannot be
    taken, the process ends with a message. The lock that Snakemake left behind when a run was
    killed is removed here, because a process that holds the lock of this module knows that no other
    run is active.
    """
    snakemake = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    try:
        if Path("src/ggexp").is_dir():  # in a clone
            check_library(Path.cwd())
        for file in filter(Path.is_file, config_files(arguments)):
            check_written(file)
        held = hold(LOCK)
    except (ValueError, OSError) as error:
        sys.exit(f"Error: {error}")
    if not held:
        print("This file system has no locks: make sure that no other run is active here.")
    elif any(Path(".snakemake", "locks").glob("*")):
        if subprocess.run([*snakemake, "--quiet", "--unlock"], check=False).returncode:
            sys.exit("Error: the lock of a killed run could not be removed, see above.")
    os.execv(sys.executable, [*snakemake, *arguments])
