"""The lock that only one run at a time in a folder can hold.

Snakemake's own lock remains if a run is killed, and allows a second run that has other targets.
"""

import errno
import os
import socket
from pathlib import Path

#: The file of the lock, in the folder of a run.
LOCK = Path(".snakemake", "running")


def hold(path: Path) -> bool:
    """Take the lock until this process ends; return False if the file system has no locks.

    This is a POSIX lock: it belongs to the process, survives exec, can be taken again by the same
    process, and is not inherited by the jobs that the process starts.
    Raises BlockingIOError with the name of the process that holds the lock.
    """
    import fcntl  # only on Linux and macOS

    path.parent.mkdir(parents=True, exist_ok=True)
    # The file is never closed, because closing any descriptor of it would release the lock.
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    os.set_inheritable(descriptor, True)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN):
            return False
        holder = os.read(descriptor, 200).decode("utf-8", "replace").strip()
        raise BlockingIOError(
            f"another run is active in {path.absolute().parents[1]} ({holder}). Wait until it "
            "ends, or stop it."
        ) from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    return True
