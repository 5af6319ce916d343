"""Test which of the faults in studies/faults.yaml, or another list, the tests detect.

    python studies/faults.py                            # the test folder of the faulty code
    python studies/faults.py --tier first               # the tests of `make test`
    python studies/faults.py --tier all --only lock     # `make test-all`, faults named "lock"
    python studies/faults.py --list tests/data/mutants.yaml  # mutants of studies/mutants.py
    python studies/faults.py --matrix                   # all tests that detect each fault

The faults are put into a copy of the project one at a time, and tests run until one fails (with
--matrix, all of them run): first the tests that the list names, then the others. At the end, all
failed tests must pass without a fault. A fault that no test detects needs a new test, unless it
makes no difference. The text that a fault replaces must occur exactly once in its file.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
LIST = ROOT / "studies/faults.yaml"
NOT_COPIED = (".git", ".venv", ".snakemake", "downloads", "__pycache__", ".*_cache")
_PARALLEL = ["--numprocesses", "logical", "--dist", "loadfile"]
#: Options of pytest for each tier: a whole test folder, `make test`, and `make test-all`.
TIERS = {
    "folder": [],
    "first": [*_PARALLEL, "-m", "not slow and not faults and not cluster"],
    "all": [*_PARALLEL, "-m", "not faults and not cluster"],
}
NO_TESTS = 5  # pytest's exit code if no test is selected


@dataclass(frozen=True)
class Fault:
    """A fault: a text in a file and its replacement, and the tests most likely to detect it."""

    name: str
    file: str
    before: str
    after: str
    tests: Sequence[str] = ()

    def stages(self, tier: str) -> list[Sequence[str]]:
        """Return the groups of tests to run: first the likely tests, then the others.

        In the tier "folder", the others are those of the faulty room; the workflow has none.
        """
        if tier != "folder":
            return [self.tests, ["tests"]]
        parts = Path(self.file).parts
        return [self.tests, [f"tests/{parts[2]}"] if parts[:2] == ("src", "ggexp") else []]

    def applied(self, text: str) -> str:
        """Return the file's text with the fault.

        Raises ValueError unless the text to replace occurs exactly once.
        """
        if (count := text.count(self.before)) != 1:
            raise ValueError(f"{self.name!r}: {count} places in {self.file}, expected 1")
        return text.replace(self.before, self.after)


def read_faults(path: Path = LIST) -> list[Fault]:
    """Return the faults of a list. Raises ValueError if two have the same name."""
    faults = [Fault(**entry) for entry in yaml.safe_load(path.read_text("utf-8"))]
    if len({fault.name for fault in faults}) < len(faults):
        raise ValueError(f"{path}: two faults have one name")
    return faults


def not_copied(folder: str, names: list[str]) -> set[str]:
    """Return the names in a folder that `shutil.copytree` should not copy."""
    if Path(folder) == ROOT / "results":
        return {*names} - {"README.md"}
    return shutil.ignore_patterns(*NOT_COPIED)(folder, names)


def run(folder: Path, tests: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return the tests that fail in a copy of the project. options: of pytest."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        # because two versions of a module may be written within one second
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    pytest = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider"]
    completed = subprocess.run(
        [*pytest, *options, *tests],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    failed = re.findall(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", completed.stdout, re.MULTILINE)
    failed += re.findall(r"while loading conftest '(.*?)'", completed.stderr)
    if not failed and completed.returncode not in (0, NO_TESTS):
        raise RuntimeError(
            f"pytest exited with {completed.returncode}:\n{completed.stdout}{completed.stderr}"
        )
    return failed


def caught_by(fault: Fault, folder: Path, tier: str, *, by_all: bool) -> list[str]:
    """Return a test that detects a fault in a copy of the project (by_all: all), or none."""
    file = folder / fault.file
    original = file.read_text("utf-8")
    file.write_text(fault.applied(original), "utf-8")
    options = TIERS[tier] if by_all else ["-x", *TIERS[tier]]
    try:
        stages = [tests for tests in fault.stages(tier) if tests]
        failures = (run(folder, tests, options) for tests in (stages[-1:] if by_all else stages))
        return next(filter(None, failures), [])
    finally:
        file.write_text(original, "utf-8")


def main() -> None:
    """Run the tests on each selected fault and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--tier", choices=TIERS, default="folder", help="tests to run, default: folder"
    )
    parser.add_argument("--only", default="", help="part of the names of the faults to apply")
    parser.add_argument("--list", type=Path, default=LIST, help="the list of faults")
    parser.add_argument("--matrix", action="store_true", help="print all tests that detect a fault")
    arguments = parser.parse_args()
    faults = [fault for fault in read_faults(arguments.list) if arguments.only in fault.name]
    caught_by_name: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "project")
        shutil.copytree(ROOT, folder, ignore=not_copied)
        # a test file that fails to import would seem to detect every fault
        if unreadable := run(folder, ["tests"], ["--collect-only"]):
            sys.exit(f"{unreadable[0]} cannot be imported in a copy of the project")
        for fault in faults:
            fault.applied((folder / fault.file).read_text("utf-8"))
        for fault in faults:
            start = time.monotonic()
            caught = caught_by(fault, folder, arguments.tier, by_all=arguments.matrix)
            caught_by_name[fault.name] = caught
            text = ", ".join(caught) or "NOT CAUGHT"
            print(f"{fault.name}: {text} ({time.monotonic() - start:.0f} s)", flush=True)
        failing = sorted({test for caught in caught_by_name.values() for test in caught})
        if failing and (failed_again := run(folder, failing, [])):
            sys.exit(f"{failed_again[0]} also fails without a fault")
    missed = [name for name, caught in caught_by_name.items() if not caught]
    print(f"caught: {len(faults) - len(missed)} of {len(faults)}")
    if missed:
        sys.exit("not caught: " + "; ".join(missed))


if __name__ == "__main__":
    main()
