"""The expected time of a run on more cores, simulated from the times of a finished run's jobs.

    python benchmarks/cluster.py SECONDS [RESULTS]

SECONDS is the measured time of `make reproduce` on two cores (benchmarks/reproduce.py). RESULTS is
the folder of a finished run of the paper's design (default results), whose benchmarks have the
times of the jobs; they are scaled so that the simulated time on two cores is SECONDS. Snakemake
lists the jobs and their dependencies. A job starts as soon as cores are free; on a cluster, what
depends on it also waits until Snakemake sees that it has ended. The wait in the queue depends on
the cluster, and is left out. docs/cluster.md quotes the table that it prints.
"""

import csv
import heapq
import math
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

START = 3.0  # seconds that a job on a cluster takes to start, measured on a one-node SLURM
CHECK = 30.0  # seconds between two checks of the jobs of a cluster (profiles/slurm)


@dataclass
class Job:
    """A job: its rule, the files that it reads and writes, its time in seconds, its threads."""

    rule: str
    inputs: set[str]
    outputs: set[str]
    seconds: float
    threads: int
    is_local: bool


@dataclass
class Setting:
    """Cores in all and of a job (0: of one computer), and repeats of a job."""

    total: int
    cores: int = 0
    repeats: int = 500

    def __str__(self) -> str:
        """Return the settings as they are written in a command or a profile."""
        if not self.cores:
            return f"one computer: `--cores {self.total}`"
        return (
            f"SLURM: `jobs: {self.total}`, `cores: {self.cores}`, `repeats_per_job: {self.repeats}`"
        )


SETTINGS = [Setting(2), Setting(16), Setting(64, 4, 2500), Setting(200, 4, 1000)]


def planned(results: str) -> list[Job]:
    """Return the jobs of a run of the paper's design."""
    command = [sys.executable, "-m", "snakemake", "-n", "--forceall", "--cores", "64"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    jobs = []
    for local, rule, block in re.findall(r"^(local)?rule (\w+):\n((?: .*\n)+)", text, re.M):
        lines = dict(line.strip().split(": ", 1) for line in block.splitlines() if ": " in line)
        threads = int(lines["threads"]) if "threads" in lines else 1
        seconds = 0.0
        if name := lines.get("benchmark"):
            with Path(results, Path(name).relative_to("results")).open() as file:
                seconds = float(next(csv.DictReader(file, delimiter="\t"))["s"])
        inputs, outputs = ({*lines.get(key, "").split(", ")} - {""} for key in ("input", "output"))
        jobs.append(Job(rule, inputs, outputs, seconds, threads, bool(local)))
    return jobs


def with_repeats(jobs: list[Job], repeats: int, setting: Setting) -> list[Job]:
    """Return the jobs with more repeats than 500: longer jobs, and more of them."""
    more = []
    for job in jobs:
        if job.rule in {"measure_releases", "measure_accuracy"}:
            size = min(repeats, setting.repeats)
            more += [replace(job, seconds=job.seconds * size / 500)] * math.ceil(repeats / size)
        else:
            more.append(job)
    return more


def simulated(jobs: list[Job], setting: Setting) -> float:
    """Return the seconds from the start of the first job to the end of the last one."""
    waiting = [*jobs]
    missing = Counter(file for job in waiting for file in job.outputs)
    free = setting.total
    running: list[tuple[float, int, int, Job]] = []
    now, number = 0.0, 0
    while waiting or running:
        for job in [*waiting]:
            needed = min(job.threads, setting.cores or setting.total)
            if needed <= free and not any(missing[file] for file in job.inputs):
                end = now + job.seconds
                if setting.cores and not job.is_local:
                    end = CHECK * math.ceil((end + START) / CHECK)
                heapq.heappush(running, (end, number := number + 1, needed, job))
                free -= needed
                waiting.remove(job)
        now, _, released, job = heapq.heappop(running)
        free += released
        missing.subtract(job.outputs)
    return now


def main() -> None:
    """Print the table."""
    measured, results = float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "results"
    jobs = planned(results)
    scale = measured / simulated(jobs, SETTINGS[0])
    jobs = [replace(job, seconds=scale * job.seconds) for job in jobs]
    print("| cores | settings | the paper's design | with 10,000 repeats |\n|---|---|---|---|")
    for setting in SETTINGS:
        seconds = (simulated(with_repeats(jobs, n, setting), setting) for n in (500, 10_000))
        minutes = " | ".join(f"{value / 60:.1f} min" for value in seconds)
        print(f"| {setting.total} | {setting} | {minutes} |")


if __name__ == "__main__":
    main()
