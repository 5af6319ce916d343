"""Jobs that wait in SLURM's queue for another reason than that all cores are taken."""

import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

PERIOD = 20  # seconds between two looks at the queue
#: Reasons that end by themselves.
USUAL = {"None", "Priority", "Resources", "Dependency", "BeginTime"}


def watch(report: Callable[[str], None], is_over: threading.Event) -> None:
    """Report each job and reason once, until the run is over."""
    reported: set[str] = set()
    while shutil.which("squeue") and not is_over.wait(PERIOD):
        for message in sorted(unusual() - reported):
            report(message)
            reported.add(message)


def unusual() -> set[str]:
    """Return a message for each job of this folder that waits for an unusual reason."""
    command = ["squeue", "--me", "--noheader", "--states=PENDING", "--format=%r|%k|%Z"]
    listed = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    jobs = (line.split("|", 2) for line in listed.splitlines() if line.count("|") > 1)
    return {
        f"waits in the queue (SLURM's reason: {reason}): {name}. A job that requests more cores "
        "than a node has never starts; see docs/cluster.md."
        for reason, name, folder in jobs
        if reason not in USUAL and Path(folder) == Path.cwd()
    }
