"""The expected time of a run on more cores, simulated from the times of a finished run's jobs.

    python benchmarks/cluster.py SECONDS [RESULTS]

SECONDS is the measured time of `make reproduce` on two cores (benchmarks/reproduce.py). RESULTS is
the folder of a finished run of the paper's design (default results). Snakemake lists its jobs and
their dependencies, and the benchmarks in RESULTS have their times, which are scaled so that the
simulated time on two cores is SECONDS. The simulation starts jobs as Snakemake does, as
soon as cores are free. On a cluster it also waits until Snakemake sees that a submitted job has
ended; it does not wait in the queue, because that depends on the cluster. Prints the table, with a
second column for a run with 10,000 repeats, and writes it into docs/cluster.md.
"""

import csv
import heapq
import math
import re
import subprocess
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

START = 3.0  # seconds that a job on a cluster takes to start, measured on a one-node SLURM
CHECK = 30.0  # seconds between two checks of the jobs of a cluster (profiles/slurm)
PAGE = Path("docs/cluster.md")
HEADER = "| cores | settings |"  # of the table in the page


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
    """A number of cores: of one computer, or of a cluster with cores and grid points of a job."""

    total: int
    cores: int = 0
    points: int = 1
    repeats: int = 500

    @property
    def is_cluster(self) -> bool:
        """Whether jobs wait for a cluster."""
        return self.cores > 0

    def __str__(self) -> str:
        """Return the settings as they are written in a command or a profile."""
        if not self.is_cluster:
            return f"one computer: `--cores {self.total}`"
        return (
            f"SLURM: `jobs: {self.total}`, `cores: {self.cores}`, `group-components: releases: "
            f"{self.points}`, `repeats_per_job: {self.repeats}`"
        )


SETTINGS = [
    Setting(2),
    Setting(16),
    Setting(64, cores=4, points=10, repeats=2500),
    Setting(200, cores=4, points=4, repeats=1000),
]


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
        if job.rule == "measure_releases":
            more.append(replace(job, seconds=job.seconds * repeats / 500))
        elif job.rule == "measure_accuracy":
            size = min(repeats, setting.repeats)
            more += [replace(job, seconds=job.seconds * size / 500)] * math.ceil(repeats / size)
        else:
            more.append(job)
    return more


def grouped(jobs: list[Job], setting: Setting) -> list[Job]:
    """Return the jobs with groups of those that sanitize; a group uses all cores of its job."""
    kept = [job for job in jobs if job.rule != "measure_releases"]
    by_dataset = defaultdict(list)
    for job in jobs:
        if job.rule == "measure_releases":
            by_dataset[min(job.inputs)].append(job)
    for dataset in by_dataset.values():
        for first in range(0, len(dataset), setting.points):
            group = dataset[first : first + setting.points]
            seconds = sum(job.seconds for job in group) / min(setting.cores, len(group))
            outputs = set.union(*(job.outputs for job in group))
            kept.append(replace(group[0], outputs=outputs, seconds=seconds, threads=setting.cores))
    return kept


def simulated(jobs: list[Job], setting: Setting) -> float:
    """Return the seconds from the start of the first job to the end of the last one."""
    waiting = grouped(jobs, setting) if setting.is_cluster else [*jobs]
    missing = Counter(file for job in waiting for file in job.outputs)
    free = setting.total
    running: list[tuple[float, int, int, Job]] = []
    now, number = 0.0, 0
    while waiting or running:
        for job in [*waiting]:
            needed = min(job.threads, setting.cores or setting.total)
            if needed <= free and not any(missing[file] for file in job.inputs):
                end = now + job.seconds
                if setting.is_cluster and not job.is_local:
                    end = CHECK * math.ceil((end + START) / CHECK)
                heapq.heappush(running, (end, number := number + 1, needed, job))
                free -= needed
                waiting.remove(job)
        now, _, released, job = heapq.heappop(running)
        free += released
        missing.subtract(job.outputs)
    return now


def main() -> None:
    """Print the table, and replace that of the page."""
    measured, results = float(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "results"
    jobs = planned(results)
    scale = measured / simulated(jobs, SETTINGS[0])
    jobs = [replace(job, seconds=scale * job.seconds) for job in jobs]
    table = "| cores | settings | the paper's design | with 10,000 repeats |\n|---|---|---|---|\n"
    for setting in SETTINGS:
        seconds = (simulated(with_repeats(jobs, n, setting), setting) for n in (500, 10_000))
        minutes = " | ".join(f"{value / 60:.1f} min" for value in seconds)
        table += f"| {setting.total} | {setting} | {minutes} |\n"
    print(table, end="")
    page, found = PAGE.read_text("utf-8"), rf"^{re.escape(HEADER)}.*\n(\|.*\n)*"
    PAGE.write_text(re.sub(found, lambda _: table, page, flags=re.MULTILINE), "utf-8")


if __name__ == "__main__":
    main()
