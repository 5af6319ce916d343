"""The size of the project, compared with its limits, and the part that the paper needs.

    python benchmarks/house.py

Counts the files that git tracks, as they stand: lines include docstrings, comments and empty lines.
The part that the paper needs consists of the modules that its scripts import, directly or
indirectly (`ggexp.run.fingerprint`).
"""

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from ggexp.run.fingerprint import reached

ROOT = Path(__file__).parents[1]
#: Pages that a command of make writes.
GENERATED = "config/keys", "docs/claims", "docs/coverage", "docs/gallery", "docs/numbers"
LONG = 350  # lines; a longer module usually has a second idea
#: Scripts of the numbers of Figures 6 to 12, with the modules that their parameters name.
NUMBERS = {
    "make_table_histogram": (),
    "make_records_histogram": (),
    "measure_releases": ["mechanisms.distribution", "releases.simulate"],
    "prepare_classifiers": (),
    "measure_accuracy": ["mechanisms.distribution", "releases.simulate"],
    "summarize": (),
    "summarize_errors": (),
    "tabulate": ["figures.tabulate_releases", "figures.tabulate_summaries"],
}


def tracked() -> list[Path]:
    """Return the files that git tracks, relative to the root of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, check=True).stdout
    return [Path(name) for name in listed.decode().splitlines() if (ROOT / name).is_file()]


def lines(files: Iterable[Path]) -> int:
    """Return the number of lines of some files."""
    return sum((ROOT / file).read_bytes().count(b"\n") for file in files)


def words(files: Iterable[Path]) -> int:
    """Return the number of words of some files."""
    return sum(len((ROOT / file).read_text("utf-8").split()) for file in files)


def needed(scripts: Mapping[str, Sequence[str]]) -> list[Path]:
    """Return the modules that some scripts need, as files."""
    names = chain.from_iterable(
        reached(ROOT / f"workflow/scripts/{name}.py", also=[f"ggexp.{module}" for module in also])
        for name, also in scripts.items()
    )
    paths = (Path("src", *name.split(".")).with_suffix(".py") for name in set(names))
    return [path for path in paths if (ROOT / path).is_file()]


def main() -> None:
    """Print the table of sizes and limits, and the modules that the paper's numbers need."""
    files = tracked()

    def inside(*folders: str, ending: str = "") -> list[Path]:
        return [
            file for file in files if str(file).startswith(folders) and file.name.endswith(ending)
        ]

    library = inside("src/ggexp/", ending=".py")
    companions = inside("src/ggexp/companions/", ending=".py")
    pages = [file for file in inside("", ending=".md") if str(file)[:-3] not in GENERATED]
    scripts = [
        file for file in inside("studies/", "benchmarks/") if file.suffix in {".py", ".R", ".yaml"}
    ]
    path = needed(NUMBERS)
    long = [str(file.relative_to("src/ggexp")) for file in path if lines([file]) > LONG]
    rows: list[tuple[str, int, int]] = [
        ("src/ggexp without companions, lines", lines({*library} - {*companions}), 25_000),
        ("the numbers of Figures 6 to 12 need, lines", lines(path), 5_500),
        (f"their modules above {LONG} lines: {', '.join(sorted(long)) or 'none'}", len(long), 0),
        ("companions, lines", lines(companions), 4_900),
        ("workflow/, lines", lines(inside("workflow/")), 2_200),
        ("tests/, lines of Python", lines(inside("tests/", ending=".py")), 22_500),
        ("hand-written Markdown, words", words(pages), 24_000),
        ("studies/ and benchmarks/, lines", lines(scripts), 1_200),
    ]
    print("| | now | limit |\n|---|---|---|")
    for name, value, limit in rows:
        print(f"| {name} | {value:,} | {limit:,} |")
    print(f"\nThe numbers of Figures 6 to 12 need {len(path)} modules:\n")
    for file in sorted(path):
        print(f"{lines([file]):5} {file.relative_to('src/ggexp')}")


if __name__ == "__main__":
    main()
