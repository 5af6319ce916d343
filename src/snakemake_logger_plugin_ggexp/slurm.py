"""Jobs that wait in SLURM's queue for another reason than that all cores are taken."""

import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

PERIOD = 20  # seconds between two looks at the queue
#: Reasons that end by themselves.
USUAL = {"None", "Priority", "Resources", "Dependency", "BeginTime"}


class Queue(threading.Thread):
    """Looks at the queue from time to time, and reports each rule and reason once."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(daemon=True)
        self.report = report
        self.is_over = threading.Event()

    def run(self) -> None:
        """Report until the run is over."""
        known: set[str] = set()
        while shutil.which("squeue") and not self.is_over.wait(PERIOD):
            messages = unusual()
            for message in sorted(messages - known):
                self.report(message)
            known |= messages


def unusual() -> set[str]:
    """Return a message for each rule of this run whose jobs wait for an unusual reason."""
    command = ["squeue", "--me", "--noheader", "--states=PENDING", "--format=%r|%k|%Z"]
    listed = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    jobs = (line.split("|", 2) for line in listed.splitlines() if line.count("|") > 1)
    return {
        f"waits in the queue (SLURM's reason: {reason}): {name}. A job that requests more cores "
        "than a node has never starts; see docs/cluster.md."
        for reason, name, folder in jobs
        if reason not in USUAL and Path(folder) == Path.cwd()
    }
