"""What Snakemake's looks at the waiting jobs cost, as they are and with `ggexp.run.scheduling`.

    python benchmarks/scheduler.py [JOBS] [TURNS]

Runs a workflow of JOBS jobs of half a second on four cores (400), in turns as Snakemake is and with
one look a timespan (2 turns). Prints how often Snakemake looked, and the processor time of all.
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
    look_later = scheduler._schedule_reevalutation

    def counted(delay):
        with open("looks", "a") as file:
            file.write(".")
        look_later(delay)

    scheduler._schedule_reevalutation = counted
"""
KINDS = {
    "as it is": "",
    "one look a timespan": "from ggexp.run.scheduling import check_once_per_timespan\n"
    "    check_once_per_timespan(scheduler)",
}


def measure(jobs: int, change: str) -> tuple[int, float, float]:
    """Return the looks of a run that found jobs waiting, its processor time and its time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = SNAKEFILE.replace("JOBS", str(jobs)).replace("CHANGE", change)
        (folder / "Snakefile").write_text(text)
        command = [sys.executable, "-m", "snakemake", "--cores", "4", "--scheduler", "greedy"]
        start, before = time.perf_counter(), os.times()
        subprocess.run([*command, "--quiet", "all"], cwd=folder, check=True, capture_output=True)
        after, wall = os.times(), time.perf_counter() - start
        used = after.children_user + after.children_system
        used -= before.children_user + before.children_system
        return len((folder / "looks").read_text()), used, wall


def main() -> None:
    """Measure both kinds in turn, and print each."""
    jobs, turns = [*map(int, sys.argv[1:]), *(400, 2)[len(sys.argv) - 1 :]]
    for _ in range(turns):
        for kind, change in KINDS.items():
            looks, used, wall = measure(jobs, change)
            print(f"{kind:20s} {looks:7d} looks {used:6.1f} s of processor {wall:6.1f} s in all")


if __name__ == "__main__":
    main()
