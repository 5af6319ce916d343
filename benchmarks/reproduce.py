"""Time, memory and disk space of a whole run: the set-up and the run.

    python benchmarks/reproduce.py          # some minutes; needs psutil, as the tests do
    python benchmarks/reproduce.py CORES=1  # further words of `make reproduce`

Clones the current commit into a temporary folder and runs `make reproduce` there on all cores. The
set-up needs a package index. The times in docs/cluster.md are this output.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]


class Peak(threading.Thread):
    """The peak memory of a process and its children together; shared pages count once."""

    def __init__(self, process: psutil.Process) -> None:
        super().__init__(daemon=True)
        self.process, self.bytes = process, 0

    def run(self) -> None:
        """Sample the memory until the process ends."""
        with suppress(psutil.NoSuchProcess):
            while self.process.status() != psutil.STATUS_ZOMBIE:
                total = 0
                for process in [self.process, *self.process.children(recursive=True)]:
                    with suppress(psutil.Error):
                        total += process.memory_full_info().pss
                self.bytes = max(self.bytes, total)
                time.sleep(0.5)


def timed(command: list[str], folder: str) -> tuple[float, int, int]:
    """Run a command; return its seconds, and its peak memory and all results in bytes."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        peak = Peak(psutil.Process(process.pid))
        peak.start()
        if process.wait():
            output.seek(0)
            sys.exit(output.read().decode()[-2000:])
    seconds = time.perf_counter() - start
    files = Path(folder, "results").rglob("*")
    return seconds, peak.bytes, sum(file.stat().st_size for file in files if file.is_file())


def main() -> None:
    """Run the steps and print the time that each takes."""
    command = ["make", "reproduce", *sys.argv[1:]]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    with tempfile.TemporaryDirectory() as folder:
        timed(["git", "clone", "--quiet", str(ROOT), "."], folder)
        setup, *_ = timed(["make", ".venv/.installed", f"PYTHON={sys.executable}"], folder)
        print(f"set-up: {setup:.0f} s", flush=True)
        run, memory, disk = timed(command, folder)
        print(f"{' '.join(command)}: {run:.0f} s")
        print(f"peak memory {memory / 1e9:.2f} GB, results {disk / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
