"""What the modules of the tables on docs/numbers.md share."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product
from math import ceil
from pathlib import Path

import pandas as pd

from ggexp.run.files import read_csv

ROOT = Path(__file__).parents[2]
EPSILONS = (0.5, 1, 2)  # these and the δ are the paper's
DELTAS = (0.01, 0.05, 0.1, 0.25)
GRID = [*product(EPSILONS, DELTAS)]
#: δ that one can defend, besides the paper's.
SMALL_DELTAS = (1e-6, 1e-5, 1e-3)
MAX_ROWS = 6  # longer tables are folded

Cell = float | str


def section(title: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Make a function a section: its docstring is the text above its table."""

    def add(make: Callable[[], str]) -> Callable[[], str]:
        make.section_title = title
        return make

    return add


def table(header: str, formats: str, rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table in Markdown.

    header: the titles of the columns, separated by " | ". formats: for each column, how a number is
    formatted, separated by spaces; the last one holds for all remaining columns. ^.3f rounds up, as
    an ε that is needed must be. A table of more than `MAX_ROWS` rows is folded.
    """
    columns = header.count(" | ") + 1
    specifications = formats.split()
    specifications += specifications[-1:] * (columns - len(specifications))
    lines = [f"| {header} |", "|" + "---|" * columns]
    for row in rows:
        cells = [
            cell if isinstance(cell, str) else formatted(cell, specification)
            for cell, specification in zip(row, specifications, strict=True)
        ]
        lines.append(f"| {' | '.join(cells)} |")
    if len(lines) > MAX_ROWS + 2:
        summary = f"<summary>{len(lines) - 2} rows</summary>"
        lines = ['<details markdown="1">', summary, "", *lines, "", "</details>"]
    return "\n".join(lines)


def formatted(number: float, specification: str) -> str:
    """Return a number as text; see `table`."""
    if specification.startswith("^"):
        specification = specification[1:]
        unit = 10.0 ** int(specification.strip(".f"))
        number = ceil(unit * number - 1e-6) / unit  # not because of rounding errors
    return f"{number:{specification}}"


@cache
def committed(path: str) -> pd.DataFrame:
    """Return a table of a full run, by its path below tests/data."""
    return read_csv(ROOT / f"tests/data/{path}.csv")
