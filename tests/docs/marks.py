"""Marked numbers of the pages: a comment after a number names the fact that the number states.

    the worst has 0.786<!-- redrawing.largest --> δ
    from 0.05 to 0.15<!-- adult.lost --> percentage points

If the fact is several numbers, they are compared with as many before the mark. A comment on the
line before a table marks the table, with its header if that has numbers:

    <!-- table: looseness.table -->
    | scale : that of adp-exact | adp-classical | adp-lecture |
    |---|---|---|
    | (0.1, 10⁻⁶) | 1.460 | 1.484 |

A number that no test computes, such as a time or a number that the paper prints, has a source: a
file of the project, and for a measurement where it was made. It is the source of all numbers before
it in its sentence, and on a line of its own that of the paragraph or table below:

    a run takes 7 min<!-- source: benchmarks/reproduce.py, two cores of a server processor -->
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from conftest import ROOT

CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*<!--[^`\n]*`", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
MARK = re.compile(r"<!--\s*(table:\s)?\s*([a-z0-9.-]+)\s*-->")
SOURCE = re.compile(r"<!--\s*source:\s+([\w./-]+\w)(?:, [^>]+)?\s*-->")
SENTENCE = re.compile(r"[.?!][*)\"”]*(?=\s)|\n\n|\n *(?:-|\d+\.)(?=\s)|\|")
MARKED_BLOCK = re.compile(r"^<!-- (?:table|source): .*\n(?:.+\n)+", re.MULTILINE)
#: What needs no mark: headings, links, quoted code, dates, versions, numbered things, and the
#: values of ε, δ and p, alone, in a list, or as a grid point.
VALUE = r"[\d.,·×/−⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*[\d½¼⁻⁰¹²³⁴⁵⁶⁷⁸⁹]"
VALUES = rf"{VALUE}(?:(?:,?\s+(?:and|or|to)\s+|,\s+){VALUE}(?!\w*\s?%))*"
FREE = re.compile(
    r"^#.*$|\[[^\]]*\]\([^)]*\)|`[^`]*`"
    r"|\b(?:19|20)\d\d\b(?:-\d\d-\d\d)?"
    r"|\b(?:Debian|Python|R|SLURM|Snakemake|Volume)\s+\d[\d.]*"
    rf"|\b(?:Chapter|Corollary|Definition|Eqn|Example|Exercise|Figure|Lemma|Section|Theorem)s?"
    rf"\s+{VALUES}"
    rf"|\b{VALUE}-DP\b|\b95 % points?\b"
    rf"|(?:[εδ][₁₂]?|\bp|\borders?)(?:\s+(?:=|≤|≥|<|>|from|of|to))?\s+{VALUES}"
    rf"|\({VALUE},\s+{VALUE}\)",
    re.MULTILINE | re.IGNORECASE,
)
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
    """A mark: the fact's name, where it stands, and the text before it.

    `own` is the end of that text, from the mark before it or the beginning of the sentence on,
    without what needs no mark.
    """

    name: str
    place: str
    text: str
    own: str

    def misprints(self, fact: Fact) -> Iterator[str]:
        """Yield what the numbers before the mark are, where they are not the fact."""
        values = fact if isinstance(fact, Sequence) else [fact]
        printed = numbers(self.text)[-len(values) :]
        if not (printed and re.fullmatch(r"(\s?%)?[)*]*", self.text[printed[-1].end :])):
            yield "no number stands before the mark"
        else:
            start = printed[0].end - len(printed[0].text)
            yield from misprints(self.text[start:], values)

    def unmarked(self, fact: Fact) -> list[str]:
        """Return the numbers of the sentence before those that are the fact."""
        values = fact if isinstance(fact, Sequence) else [fact]
        first = numbers(self.text)[-len(values)]
        stated = len(self.text) - (first.end - len(first.text))
        return [one.text for one in reported(self.own[: max(0, len(self.own) - stated)])]


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
    text = without_code(page)
    free = without_free(text)
    ended = 0
    for comment in COMMENT.finditer(text):
        begun, ended = ended, comment.end()
        place = f"{page}:{text.count(chr(10), 0, comment.start()) + 1}"
        if source := SOURCE.fullmatch(comment[0]):
            if not (ROOT / source[1]).exists():
                raise ValueError(f"{place}: {source[1]} is no file of the project")
            continue
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
            begun = max([begun, *(one.end() for one in SENTENCE.finditer(text, begun, ended))])
            yield Mark(name, place, COMMENT.sub("", before), free[begun : comment.start()])


def unmarked(page: Path) -> Iterator[str]:
    """Yield the numbers that report a result, and that neither a fact nor a source follows."""
    text = without_code(page)
    free = without_free(text)
    ends = [one.end() for one in SENTENCE.finditer(free)]
    comments = [one.start() for one in COMMENT.finditer(text)]
    for one in reported(free):
        end = min((end for end in ends if end > one.end), default=len(text))
        if not any(one.end <= comment < end for comment in comments):
            yield f"{page.name}:{free.count(chr(10), 0, one.end) + 1}: {one.text}"


def without_free(text: str) -> str:
    """Return a text without comments, blocks that have a mark, and what needs none."""
    return blanked(FREE, blanked(COMMENT, blanked(MARKED_BLOCK, text)))


def reported(text: str) -> Iterator[Number]:
    """Yield the numbers that need a mark: decimals, and whole numbers above 12."""
    for one in numbers(text):
        if one.value != int(one.value) or abs(one.value) > 12:
            yield one


def without_code(page: Path) -> str:
    """Return the text of a page without blocks of code, and without code that shows a mark."""
    return CODE.sub(lines, page.read_text("utf-8"))


def lines(found: "re.Match[str]") -> str:
    """Return as many lines as were found, but of blanks."""
    return re.sub(r"[^\n]", " ", found[0])


def blanked(pattern: "re.Pattern[str]", text: str) -> str:
    """Return a text with blanks in the place of what a pattern finds."""
    return pattern.sub(lines, text)


def rows(text: str) -> list[list[str]]:
    """Return the cells of the table that a text begins with, the header if it has numbers."""
    lines = re.match(r"\n((?:\|.*\n)*)", COMMENT.sub("", text).replace("\\|", "¦"))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[1].splitlines()]
    header, body = cells[0], cells[2:]
    return [header, *body] if numbers(" | ".join(header)) else body
