"""Marked numbers of the pages: a comment after a number names the fact that the number states.

    the worst has 0.786<!-- redrawing.largest --> δ
    from 0.05 to 0.15<!-- adult.lost --> percentage points

If the fact is several numbers, they are compared with as many before the mark. A comment on the
line before a table marks the table, with its header if that has numbers:

    <!-- table: looseness.table -->
    | scale : that of adp-exact | adp-classical | adp-lecture |
    |---|---|---|
    | (0.1, 10⁻⁶) | 1.460 | 1.484 |
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*<!--[^`\n]*`", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
MARK = re.compile(r"<!--\s*(table:\s)?\s*([a-z0-9.-]+)\s*-->")
RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
NUMBER = re.compile(
    r"(?<![\w.^+−-])([+−-]?)"  # not the 3 of GGM-3
    rf"(?:10([{RAISED}]+)|(\d{{1,3}}(?:,\d{{3}})+|\d+)(\.\d+)?"
    rf"(?:e([+-]?\d+)|\s?[·×]\s?10([{RAISED}]+))?)"
)
Cell = float | Sequence[float | None] | str | None
Fact = float | Sequence[float] | Sequence[Sequence[Cell]]


class Bold(float):
    """A number that a table prints in bold."""


class Number(NamedTuple):
    """A printed number: value, one unit of its last digit (0: it is exact), text, end of it."""

    value: float
    unit: float
    text: str
    end: int

    def states(self, value: float) -> bool:
        """Whether a value rounds to what is printed, ties either way."""
        return abs(self.value - value) <= 0.5 * self.unit * (1 + 1e-9) + 1e-12 * abs(value)


def numbers(text: str) -> list[Number]:
    """Return the numbers of a text; a percent sign is their unit, and is not read."""
    found = []
    for match in NUMBER.finditer(text):
        sign, power, whole, decimals, e, times = match.groups()
        exponent = int((power or times or e or "0").translate(str.maketrans(RAISED, "-0123456789")))
        value = float(f"{(whole or '1').replace(',', '')}{decimals or ''}e{exponent}")
        unit = 0 if power else 10.0 ** (exponent - len((decimals or ".")[1:]))
        found.append(
            Number(-value if sign in "−-" and sign else value, unit, match[0], match.end())
        )
    return found


def misprints(text: str, values: Sequence[float | None]) -> Iterator[str]:
    """Yield what the numbers of a text are, where they are not these values; None: any."""
    printed = numbers(text)
    if len(printed) != len(values):
        yield f"{text!r} are {len(printed)} numbers, computed {len(values)}: {values}"
    for one, value in zip(printed, values, strict=False):
        if value is not None and not one.states(value):
            yield f"{one.text} is {float(value)!r}"


class Mark(NamedTuple):
    """A mark: the fact's name, where it stands, and the text before it."""

    name: str
    place: str
    text: str

    def misprints(self, fact: Fact) -> Iterator[str]:
        """Yield what the numbers before the mark are, where they are not the fact."""
        values = fact if isinstance(fact, Sequence) else [fact]
        printed = numbers(self.text)[-len(values) :]
        if not (printed and re.fullmatch(r"(\s?%)?[)*]*", self.text[printed[-1].end :])):
            yield "no number stands before the mark"
        else:
            start = printed[0].end - len(printed[0].text)
            yield from misprints(self.text[start:], values)


class Table(NamedTuple):
    """A marked table: the fact's name, where it stands, and its rows of cells."""

    name: str
    place: str
    rows: list[list[str]]

    def misprints(self, fact: Sequence[Sequence[Cell]]) -> Iterator[str]:
        """Yield what the cells are, where they are not the fact's."""
        if len(self.rows) != len(fact):
            yield f"{len(self.rows)} rows, computed {len(fact)}"
            return
        for cells, computed in zip(self.rows, fact, strict=True):
            if len(cells) != len(computed):
                yield f"{len(cells)} cells in {cells}, computed {len(computed)}"
            for cell, value in zip(cells, computed, strict=False):
                yield from misprints_of_cell(cell, value)


def misprints_of_cell(cell: str, fact: Cell) -> Iterator[str]:
    """Yield what a cell is, where it is not the fact: numbers, words, or None (not computed)."""
    plain = re.sub(r"[*`]", "", cell)
    if isinstance(fact, str):
        if plain != fact:
            yield f"{plain!r} is {fact!r}"
    elif fact is not None:
        yield from misprints(plain, fact if isinstance(fact, Sequence) else [fact])
        if isinstance(fact, float) and isinstance(fact, Bold) != cell.startswith("**"):
            yield f"{cell} is {'' if isinstance(fact, Bold) else 'not '}to be bold"


def marks(page: Path) -> Iterator[Mark | Table]:
    """Yield the marks of a page. Raises ValueError for another comment."""
    # code may show a mark
    text = CODE.sub(lambda code: "\n" * code[0].count("\n"), page.read_text("utf-8"))
    for comment in COMMENT.finditer(text):
        place = f"{page}:{text.count(chr(10), 0, comment.start()) + 1}"
        mark = MARK.fullmatch(comment[0])
        if not mark:
            raise ValueError(f"{place}: {comment[0]} is no name of a fact")
        table, name = mark.groups()
        if table:
            yield Table(name, place, rows(text[comment.end() :]))
        else:
            before = text[: comment.start()].rpartition("\n\n")[2]
            if before.rpartition("\n")[2].startswith("|"):
                before = before.rpartition("|")[2]
            yield Mark(name, place, COMMENT.sub("", before))


def rows(text: str) -> list[list[str]]:
    """Return the cells of the table that a text begins with, the header if it has numbers."""
    lines = re.match(r"\n((?:\|.*\n)*)", COMMENT.sub("", text).replace("\\|", "¦"))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[1].splitlines()]
    header, body = cells[0], cells[2:]
    return [header, *body] if numbers(" | ".join(header)) else body
