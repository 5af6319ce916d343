"""One run at a time in a folder: a lock that its holder's death releases, unlike Snakemake's.

`python -m ggexp.run.lock …` is `snakemake …`, which refuses to start where another run is at work,
and starts where one was killed.
"""

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

LOCK = Path(".snakemake", "running")


def hold(path: Path) -> bool:
    """Return True once this process holds the lock, until it ends; False where there are no locks.

    The lock is the process's own (POSIX): it outlives exec, taking it again succeeds, and the jobs
    that the process starts do not have it. Some file systems of clusters have no locks.
    Raises BlockingIOError naming the process that holds it.
    """
    import fcntl  # Linux and macOS have it

    path.parent.mkdir(parents=True, exist_ok=True)
    # never closed: closing any descriptor of the file would release the lock
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


def main() -> None:
    """Become snakemake with the same arguments, holding the lock, or end with a message.

    Snakemake's own lock outlives a run that was killed. With this one held nobody else is at work
    here, so that one may go.
    """
    snakemake = [sys.executable, "-m", "snakemake"]
    try:
        held = hold(LOCK)
    except OSError as error:
        sys.exit(f"Error: {error}")
    if not held:
        print("This file system has no locks: make sure that no other run is active here.")
    elif any(Path(".snakemake", "locks").glob("*")):
        if subprocess.run([*snakemake, "--quiet", "--unlock"], check=False).returncode:
            sys.exit("Error: the lock of a killed run could not be removed, see above.")
    os.execv(sys.executable, [*snakemake, *sys.argv[1:]])


if __name__ == "__main__":
    main()
