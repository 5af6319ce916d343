"""Cost of Snakemake's checks for waiting jobs, with and without `ggexp.run.scheduling`.

    python benchmarks/scheduler.py [JOBS] [TURNS]

Runs a workflow of JOBS jobs of half a second each (default 400) on four cores, alternately with
Snakemake's own scheduling and with one check per timespan, TURNS times each (default 2). Prints the
number of checks and the total processor time.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SNAKEFILE = """
rule all:
    input: expand("{number}.txt", number=range(JOBS))

rule wait:
    output: "{number}.txt"
    shell: "sleep 0.5; touch {output}"

onstart:
    scheduler = workflow.scheduler
    CHANGE
    check_later = scheduler._schedule_reevalutation

    def count_check(delay):
        with open("checks", "a") as file:
            file.write(".")
        check_later(delay)

    scheduler._schedule_reevalutation = count_check
"""
#: Name of a kind of scheduling -> the code that replaces CHANGE.
KINDS = {
    "as in Snakemake": "",
    "one per timespan": "from ggexp.run.scheduling import check_once_per_timespan\n"
    "    check_once_per_timespan(scheduler)",
}


def measure(jobs: int, change: str) -> tuple[int, float, float]:
    """Return the number of checks that found waiting jobs, the processor time and the wall time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = SNAKEFILE.replace("JOBS", str(jobs)).replace("CHANGE", change)
        (folder / "Snakefile").write_text(text)
        command = [sys.executable, "-m", "snakemake", "--cores", "4", "--scheduler", "greedy"]
        start, before = time.perf_counter(), os.times()
        subprocess.run([*command, "--quiet", "all"], cwd=folder, check=True, capture_output=True)
        after, wall = os.times(), time.perf_counter() - start
        processor_time = after.children_user + after.children_system
        processor_time -= before.children_user + before.children_system
        return len((folder / "checks").read_text()), processor_time, wall


def main() -> None:
    """Measure both kinds alternately and print the results."""
    jobs, turns = [*map(int, sys.argv[1:]), *(400, 2)[len(sys.argv) - 1 :]]
    for _ in range(turns):
        for kind, change in KINDS.items():
            checks, processor_time, wall = measure(jobs, change)
            print(
                f"{kind:20s} {checks:7d} checks {processor_time:6.1f} s of processor time "
                f"{wall:6.1f} s in total"
            )


if __name__ == "__main__":
    main()
