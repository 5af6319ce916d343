"""Times that a contributor waits for: the set-up, the first job, the tests and CI.

    python benchmarks/feedback.py               # needs psutil, as the tests do
    python benchmarks/feedback.py .ci/run       # each argument: a target of make, or CI's script

Clones the current commit into a temporary folder without an environment, and runs the steps one
after the other; uv uses no cache. The set-up needs a package index. The times in CONTRIBUTING.md
are this output.
"""

import os
import sys
import tempfile

from reproduce import ROOT, duration, timed

LOCKED = ["-m", "ggexp", "snakemake"]  # starts snakemake as make does
FIRST_JOB = "results/histograms/mildew.parquet"


def main() -> None:
    """Run the steps and print the time that each takes."""
    os.environ["UV_NO_CACHE"] = "1"
    python = f"PYTHON={sys.executable}"
    steps = {
        "git clone": ["git", "clone", "--quiet", str(ROOT), "."],
        "set-up of a run": ["make", ".venv/.installed", python],
        "the first job after it": [".venv/bin/python", *LOCKED, "--cores", "all", FIRST_JOB],
        "what tests and checks add to the set-up": ["make", ".venv/.developed", python],
    }
    for target in sys.argv[1:] or ["test", "test-all", "check"]:
        if target == ".ci/run":
            steps["`.ci/run`"] = ["bash", ".ci/run"]
        else:
            steps[f"`make {target}`"] = ["make", target, python]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before")
    print(f"| on {os.cpu_count()} cores | time |\n|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in steps.items():
            seconds, _ = timed(command, folder)
            print(f"| {name} | {duration(seconds)} |", flush=True)


if __name__ == "__main__":
    main()
