"""Make small runs of every kind, whose tables are to be compared with those of another version.

    python studies/small_runs.py ../before            # in the version before a change
    python studies/small_runs.py ../after             # in the version after it
    python studies/compare_runs.py ../before ../after

There are few repeats at few grid points of each design in config/, the small design of the tests,
which has all kinds of data sets, and the target guarantees, at full size but for its grid points.
Further arguments name the designs that are run, by default all.
"""

import os
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from conftest import Project  # noqa: E402

REDUCED = {"epsilon": [0.5, 2], "delta": [0.05], "repeats": 3, "classifier": {"repeats": 2}}
#: Name -> the configuration over that of the paper, what is changed in it, and the target.
DESIGNS = {
    "paper": ("smoke", {"classifier": {"repeats": 2}}, "all"),
    "equal-privacy": ("equal-privacy", REDUCED, "all"),
    "empty-cells": ("empty-cells", REDUCED, "all"),
    "synthetic": ("synthetic", REDUCED, "all"),
    # with a bound, and with orders that are no whole numbers
    "audited": ("equal-privacy", {"epsilon": [2], "delta": [0.05]}, "guarantees"),
    "guarantees": ("smoke", {"epsilon": [0.5]}, "guarantees"),
}
#: The design of the tests, in a copy of the project.
KINDS = "every-kind"


def run_design(name: str, folder: Path) -> None:
    """Run a small design into a folder of its own."""
    results = folder.resolve() / name
    config, changes, target = DESIGNS[name]
    results.mkdir(parents=True, exist_ok=True)
    changed = results / "changes.yaml"
    changed.write_text(yaml.safe_dump({**changes, "results_dir": str(results)}))
    files = [f"config/{config}.yaml", str(changed)]
    command = [sys.executable, "-m", "snakemake", target, "--cores", "2", "--configfile", *files]
    library = {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run(command, cwd=ROOT, env=os.environ | library, check=True)


def run_every_kind(folder: Path) -> None:
    """Run the small design of the tests, and write all of its releases too."""
    copy = folder.resolve() / KINDS
    copy.mkdir(parents=True)
    project = Project(copy)
    project.add_every_kind()
    released = [f"results/releases/{dataset}.parquet" for dataset in ("mildew", "people", "wide")]
    project.run(targets=("all", *released))


def main() -> None:
    """Make the runs that the command line names, or all of them."""
    folder, *names = sys.argv[1:]
    for name in names or [KINDS, *DESIGNS]:
        if name == KINDS:
            run_every_kind(Path(folder))
        else:
            run_design(name, Path(folder))


if __name__ == "__main__":
    main()
