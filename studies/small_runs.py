"""Make small runs of every kind, to compare their tables between two versions of the project.

    python studies/small_runs.py ../before            # in the version before a change
    python studies/small_runs.py ../after             # in the version after it
    python studies/compare_runs.py ../before ../after

Runs each design in config/ with few repeats at few grid points; the small design of the tests,
which has all kinds of data sets; and the target guarantees, at full size except for its grid
points. Further arguments name the designs to run; the default is all.
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
#: Name -> (configuration on top of the paper's, changes to it, target).
DESIGNS = {
    "paper": ("smoke", {"classifier": {"repeats": 2}}, "all"),
    "equal-privacy": ("equal-privacy", REDUCED, "all"),
    "empty-cells": ("empty-cells", REDUCED, "all"),
    "synthetic": ("synthetic", REDUCED, "all"),
    # includes a bounded mechanism, and orders that are not whole numbers
    "audited": ("equal-privacy", {"epsilon": [2], "delta": [0.05]}, "guarantees"),
    "guarantees": ("smoke", {"epsilon": [0.5]}, "guarantees"),
}
#: Name of the small design of the tests, which runs in a copy of the project.
KINDS = "every-kind"


def run_design(name: str, folder: Path) -> None:
    """Run a small design with its results in its own folder."""
    results = folder.resolve() / name
    config, changes, target = DESIGNS[name]
    results.mkdir(parents=True, exist_ok=True)
    changes_file = results / "changes.yaml"
    changes_file.write_text(yaml.safe_dump({**changes, "results_dir": str(results)}))
    files = [f"config/{config}.yaml", str(changes_file)]
    command = [sys.executable, "-m", "snakemake", target, "--cores", "2", "--configfile", *files]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def run_every_kind(folder: Path) -> None:
    """Run the small design of the tests, and also write all of its releases."""
    copy = folder.resolve() / KINDS
    copy.mkdir(parents=True)
    project = Project(copy)
    project.add_some_kinds()
    project.add_other_kinds()
    released = [f"results/releases/{dataset}.parquet" for dataset in ("mildew", "people", "wide")]
    project.run(targets=("all", *released))


def main() -> None:
    """Run the designs named on the command line, or all designs."""
    folder, *names = sys.argv[1:]
    for name in names or [KINDS, *DESIGNS]:
        if name == KINDS:
            run_every_kind(Path(folder))
        else:
            run_design(name, Path(folder))


if __name__ == "__main__":
    main()
