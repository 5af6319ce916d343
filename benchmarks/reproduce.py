"""Time, memory and disk space of whole runs: set-up, each rule, total.

    python benchmarks/reproduce.py          # some minutes; needs psutil, as the tests do
    python benchmarks/reproduce.py smoke    # few repeats, one minute
    python benchmarks/reproduce.py equal-privacy empty-cells synthetic

Clones the current commit into a temporary folder and runs `make reproduce` there on all cores, or
the targets named as arguments. The set-up needs a package index and spends most of its time on it.
The table of times in docs/cluster.md is this output.
"""

import csv
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
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


def timed(command: list[str], folder: str) -> tuple[float, float]:
    """Run a command and return its seconds and its peak memory in bytes."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        peak = Peak(psutil.Process(process.pid))
        peak.start()
        if process.wait():
            output.seek(0)
            sys.exit(output.read().decode()[-2000:])
    return time.perf_counter() - start, peak.bytes


def by_rule(results: Path) -> dict[str, list[float]]:
    """Return the seconds of the jobs of each rule.

    Some rules do not record times; together they take little time.
    """
    jobs = defaultdict(list)
    for path in (results / "benchmarks").rglob("*.tsv"):
        with path.open() as file:
            row = next(csv.DictReader(file, delimiter="\t"))
        rule = path.relative_to(results / "benchmarks").parts[0].removesuffix(".tsv")
        jobs[rule].append(float(row["s"]))
    return jobs


def duration(seconds: float) -> str:
    """Return a time as text, in minutes and seconds."""
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def report(target: str, folder: str) -> float:
    """Run a target of make in a clone, print rows of times and sizes, and return its seconds."""
    run, memory = timed(["make", target], folder)
    repeated, _ = timed(["make", target], folder)
    results = Path(folder, "results", "" if target == "reproduce" else target)
    print(f"| `make {target}` after it | {duration(run)} |")
    rules = by_rule(results)
    for rule, jobs in sorted(rules.items(), key=lambda item: -sum(item[1])):
        print(f"| of which `{rule}`, {len(jobs)} jobs | {sum(jobs):.0f} s, summed over the jobs |")
    if classifiers := rules.get("measure_accuracy"):
        repeats = sum(
            int(path.stem.split("-")[2]) - int(path.stem.split("-")[1]) + 1
            for path in (results / "accuracy").rglob("*.parquet")
        )
        mean = sum(classifiers) / repeats
        label = f"one of {repeats:,} classifiers, including its share of the job's start-up time"
        print(f"| {label} | {mean:.4f} s |")
    print(f"| `make {target}` again: no job is left | {duration(repeated)} |")
    disk = sum(file.stat().st_size for file in results.rglob("*") if file.is_file())
    print(f"| peak memory, and results | {memory / 1e9:.2f} GB, {disk / 1e9:.2f} GB |")
    return run


def main() -> None:
    """Run the steps and print the time that each takes."""
    targets = sys.argv[1:] or ["reproduce"]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    with tempfile.TemporaryDirectory() as folder:
        timed(["git", "clone", "--quiet", str(ROOT), "."], folder)
        setup, _ = timed(["make", ".venv/.installed", f"PYTHON={sys.executable}"], folder)
        print(f"| on {os.cpu_count()} cores | time |\n|---|---|")
        print(f"| set-up: the environment, from the lock file | {duration(setup)} |", flush=True)
        total = sum(report(target, folder) for target in targets)
    print(f"| all targets | {duration(total)} |\n| and the set-up | {duration(setup + total)} |")


if __name__ == "__main__":
    main()
