"""Compare the results of every design byte by byte with those before a change of the code.

    python studies/checksums.py --save    # before the change: writes reference/results.sha256
    python studies/checksums.py           # after it

Both commands first run the designs (about an hour on two cores, most of it for the readings), as
far as their results are out of date. Names of designs limit both to these. The checksums are of one
processor type and one lock file: on another computer, save them first. `make verify` compares the
paper's design on any computer. To see which columns of a table changed, and by how much, use
compare_runs.py.
"""

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "reference/results.sha256"
#: The make target of each design, and the folder of its results.
DESIGNS = {
    "paper": ("reproduce", "results"),
    "guarantees": ("guarantees", "results/guarantees"),
    "equal-privacy": ("equal-privacy", "results/equal-privacy"),
    "equal-privacy-replaced": ("equal-privacy", "results/equal-privacy-replaced"),
    "empty-cells": ("empty-cells", "results/empty-cells"),
    "synthetic": ("synthetic", "results/synthetic"),
    "multiverse-smoke": ("multiverse-smoke", "results/multiverse-smoke"),
    "multiverse": ("multiverse", "results/multiverse"),
}
#: The kinds of files that hold results. Pages and manifests also hold times and commits.
SUFFIXES = {".csv", ".parquet", ".npy", ".png", ".pdf"}
OTHERS = {"benchmarks", "logs"}  # folders of recorded times


def design_of(path: Path) -> str:
    """Return the design that a file of results belongs to."""
    return path.parts[1] if path.parts[1] in DESIGNS else "paper"


def checksums(designs: list[str]) -> dict[str, str]:
    """Return the SHA-256 of each file of results of these designs."""
    files = (path.relative_to(ROOT) for path in sorted((ROOT / "results").rglob("*")))
    return {
        str(path): hashlib.sha256((ROOT / path).read_bytes()).hexdigest()
        for path in files
        if path.suffix in SUFFIXES
        and not OTHERS & {*path.parts}
        and not any(part.startswith(".") for part in path.parts)
        and design_of(path) in designs
    }


def read_reference(designs: list[str]) -> dict[str, str]:
    """Return the saved checksums of these designs."""
    lines = (line.split(maxsplit=1) for line in REFERENCE.read_text("utf-8").splitlines())
    return {path: sha256 for sha256, path in lines if design_of(Path(path)) in designs}


def main() -> None:
    """Run the designs, and save or compare the checksums of their results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("designs", nargs="*", metavar="DESIGN", help=", ".join(DESIGNS))
    parser.add_argument("--save", action="store_true", help="write reference/results.sha256")
    options = parser.parse_args()
    if unknown := {*options.designs} - {*DESIGNS}:
        parser.error(f"no such design: {', '.join(unknown)}; there are {', '.join(DESIGNS)}")
    designs = options.designs or [*DESIGNS]
    for target in dict.fromkeys(DESIGNS[design][0] for design in designs):
        subprocess.run(["make", target], cwd=ROOT, check=True)
    found = checksums(designs)
    if options.save:
        others = read_reference([*DESIGNS.keys() - {*designs}]) if REFERENCE.exists() else {}
        lines = (f"{sha256}  {path}\n" for path, sha256 in sorted((others | found).items()))
        REFERENCE.write_text("".join(lines), "utf-8")
        print(f"saved: {len(found)} files of results")
        return
    expected = read_reference(designs)
    for path in sorted(found.keys() | expected.keys()):
        if path not in found or path not in expected:
            print(f"{path}: {'missing' if path in expected else 'new'}")
        elif found[path] != expected[path]:
            print(f"{path}: different")
    if found != expected:
        sys.exit(1)
    print(f"the same bytes: {len(found)} files of results")


if __name__ == "__main__":
    main()
