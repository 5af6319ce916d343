"""Numbers as docs/ print them, to compare with computed ones to the last printed digit."""

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?(?!\d)")


def text(name):
    """The text of a page on one line, with ASCII minus signs."""
    return " ".join((DOCS / name).read_text("utf-8").replace("−", "-").split())


def table(name, header):
    """The rows of the one table whose header has this text: lists of cells, without the header."""
    lines = (DOCS / name).read_text("utf-8").replace("\\|", "¦").splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("|") and header in line]
    assert len(starts) == 1, f"{name} has {len(starts)} tables with {header!r}"
    rows = []
    for line in lines[starts[0] :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip().replace("**", "") for cell in line.strip("|").split("|")])
    return [rows[0], *rows[2:]]


def numbers(*cells):
    """The numbers in some cells, as printed; a comma between digits groups thousands."""
    found = [one for cell in cells for one in NUMBER.findall(cell.replace("−", "-"))]
    return [one.rstrip(",").replace(",", "") for one in found]


def agrees(printed, value):
    """Whether a value rounds to what is printed (ties either way)."""
    decimals = len(printed.partition(".")[2])
    return abs(float(printed) - value) <= 0.5 * 10**-decimals * (1 + 1e-9)


def check(printed, values):
    """Fail where a printed number is not what its value rounds to."""
    off = [
        f"{one} is {value!r}"
        for one, value in zip(printed, values, strict=True)
        if not agrees(one, value)
    ]
    assert not off, off
