"""Marks of numbers in pages: a comment after a number names the fact that the number states.

    the worst has 0.786<!-- redrawing.largest --> δ
    from 0.05 to 0.15<!-- adult.lost --> percentage points

If the fact has several numbers, they are compared with the same number of numbers before the mark.
A comment on the line before a table marks the whole table. Its header counts as a row if it has
numbers:

    <!-- table: looseness.table -->
    | scale : that of adp-exact | adp-classical | adp-lecture |
    |---|---|---|
    | (0.1, 10⁻⁶) | 1.460 | 1.484 |

A number that no test computes, such as a measured time or a number printed in the paper, has a
source instead: a file of the project, and for measurements also the computer. A source covers all
numbers before it in its sentence; on a separate line, it covers the paragraph or table below:

    a run takes 7 min<!-- source: benchmarks/reproduce.py, two cores of a server processor -->
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from conftest import ROOT

BLOCK = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
INLINE_CODE = re.compile(r"`[^`\n]*`")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
MARK = re.compile(r"<!--\s*(table:\s)?\s*([a-z0-9.-]+)\s*-->")
SOURCE = re.compile(r"<!--\s*source:\s+([\w./-]+\w)(?:, [^>]+)?\s*-->")
SENTENCE_END = re.compile(r"[.?!][*)\"”]*(?=\s)|\n\n|\n *(?:-|\d+\.)(?=\s)|\|")
MARKED_BLOCK = re.compile(r"^<!-- (?:table|source): .*\n(?:.+\n)+", re.MULTILINE)
#: One value, and one or several values in a list.
VALUE = r"[\d.,·×/−⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*[\d½¼⁻⁰¹²³⁴⁵⁶⁷⁸⁹]"
VALUES = rf"{VALUE}(?:(?:,?\s+(?:and|or|to)\s+|,\s+){VALUE}(?!\w*\s?%))*"
#: Text whose numbers need no mark: headings, links, code, dates, versions, numbered figures and the
#: like, and the values of ε, δ and p, alone, in a list, or as a grid point.
EXEMPT = re.compile(
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
SUPERSCRIPTS = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
NUMBER = re.compile(
    r"(?<![\w.^+−-])([+−-]?)"  # not the 3 of GGM-3
    rf"(?:10([{SUPERSCRIPTS}]+)|(\d{{1,3}}(?:,\d{{3}})+|\d+)(\.\d+)?"
    rf"(?:e([+-]?\d+)|\s?[·×]\s?10([{SUPERSCRIPTS}]+))?)"
)
Cell = float | Sequence[float | None] | str | None
Fact = float | Sequence[float] | Sequence[Sequence[Cell]]


class Bold(float):
    """A number that is printed in bold in a table."""


class Number(NamedTuple):
    """A printed number. unit: the unit of its last digit, 0 if exact; end: its end in the text."""

    value: float
    unit: float
    text: str
    end: int

    def states(self, value: float) -> bool:
        """Return whether a value rounds to the printed number; ties may round either way."""
        return abs(self.value - value) <= 0.5 * self.unit * (1 + 1e-9) + 1e-12 * abs(value)


def numbers(text: str) -> list[Number]:
    """Return the numbers of a text; a percent sign does not change their value."""
    printed = []
    for match in NUMBER.finditer(text):
        sign, power, whole, decimals, e, factor_power = match.groups()
        exponent = int(
            (power or factor_power or e or "0").translate(
                str.maketrans(SUPERSCRIPTS, "-0123456789")
            )
        )
        value = float(f"{(whole or '1').replace(',', '')}{decimals or ''}e{exponent}")
        unit = 0 if power else 10.0 ** (exponent - len((decimals or ".")[1:]))
        printed.append(
            Number(-value if sign in "−-" and sign else value, unit, match[0], match.end())
        )
    return printed


def misprints(text: str, values: Sequence[float | None]) -> Iterator[str]:
    """Yield a message for each number of a text that differs from its value; None allows any."""
    printed = numbers(text)
    if len(printed) != len(values):
        yield f"{text!r} has {len(printed)} numbers, computed {len(values)}: {values}"
    for number, value in zip(printed, values, strict=False):
        if value is not None and not number.states(value):
            yield f"printed {number.text}, computed {float(value)!r}"


class Mark(NamedTuple):
    """A mark: the name of its fact, its place in the page, and the text before it.

    sentence_part: the part of ``text`` after the previous mark or the beginning of the sentence,
    with the exempt parts blanked out.
    """

    name: str
    place: str
    text: str
    sentence_part: str

    def misprints(self, fact: Fact) -> Iterator[str]:
        """Yield a message for each number before the mark that differs from the fact."""
        values = fact if isinstance(fact, Sequence) else [fact]
        printed = numbers(self.text)[-len(values) :]
        if not (printed and re.fullmatch(r"(\s?%)?[)*]*", self.text[printed[-1].end :])):
            yield "there is no number before the mark"
        else:
            start = printed[0].end - len(printed[0].text)
            yield from misprints(self.text[start:], values)

    def unmarked(self, fact: Fact) -> list[str]:
        """Return the numbers before the fact's in the sentence that need their own mark."""
        values = fact if isinstance(fact, Sequence) else [fact]
        first = numbers(self.text)[-len(values)]
        fact_length = len(self.text) - (first.end - len(first.text))
        before = self.sentence_part[: max(0, len(self.sentence_part) - fact_length)]
        return [number.text for number in numbers_to_mark(before)]


class Table(NamedTuple):
    """A marked table: the name of its fact, its place in the page, and its rows of cells."""

    name: str
    place: str
    rows: list[list[str]]

    def misprints(self, fact: Sequence[Sequence[Cell]]) -> Iterator[str]:
        """Yield a message for each cell that differs from the fact."""
        if len(self.rows) != len(fact):
            yield f"{len(self.rows)} rows, computed {len(fact)}"
            return
        for cells, computed in zip(self.rows, fact, strict=True):
            if len(cells) != len(computed):
                yield f"{len(cells)} cells in {cells}, computed {len(computed)}"
            for cell, value in zip(cells, computed, strict=False):
                yield from misprints_of_cell(cell, value)


def misprints_of_cell(cell: str, fact: Cell) -> Iterator[str]:
    """Yield messages if a cell differs from a fact: numbers, text, or None (not computed)."""
    plain = re.sub(r"[*`]", "", cell)
    if isinstance(fact, str):
        if plain != fact:
            yield f"printed {plain!r}, computed {fact!r}"
    elif fact is not None:
        yield from misprints(plain, fact if isinstance(fact, Sequence) else [fact])
        if isinstance(fact, float) and isinstance(fact, Bold) != cell.startswith("**"):
            yield f"{cell} must {'' if isinstance(fact, Bold) else 'not '}be bold"


def marks(page: Path) -> Iterator[Mark | Table]:
    """Yield the marks of a page. Raises ValueError for any other comment."""
    text = without_code(page)
    exempted = without_exempt(text)
    end = 0
    for comment in COMMENT.finditer(text):
        start, end = end, comment.end()
        place = f"{page}:{text.count(chr(10), 0, comment.start()) + 1}"
        if source := SOURCE.fullmatch(comment[0]):
            if not (ROOT / source[1]).exists():
                raise ValueError(f"{place}: {source[1]} is no file of the project")
            continue
        mark = MARK.fullmatch(comment[0])
        if not mark:
            raise ValueError(f"{place}: {comment[0]} is not the name of a fact")
        table, name = mark.groups()
        if table:
            yield Table(name, place, rows(text[comment.end() :]))
        else:
            before = text[: comment.start()].rpartition("\n\n")[2]
            if before.rpartition("\n")[2].startswith("|"):
                before = before.rpartition("|")[2]
            start = max(
                [start, *(match.end() for match in SENTENCE_END.finditer(text, start, end))]
            )
            yield Mark(name, place, COMMENT.sub("", before), exempted[start : comment.start()])


def unmarked(page: Path) -> Iterator[str]:
    """Yield the numbers that need a mark but have neither a fact nor a source after them."""
    text = without_code(page)
    exempted = without_exempt(text)
    ends = [match.end() for match in SENTENCE_END.finditer(exempted)]
    comments = [match.start() for match in COMMENT.finditer(text)]
    for number in numbers_to_mark(exempted):
        end = min((end for end in ends if end > number.end), default=len(text))
        if not any(number.end <= comment < end for comment in comments):
            yield f"{page.name}:{exempted.count(chr(10), 0, number.end) + 1}: {number.text}"


def without_exempt(text: str) -> str:
    """Return a text with comments, marked blocks and exempt parts blanked out."""
    return blank_out(EXEMPT, blank_out(COMMENT, blank_out(MARKED_BLOCK, text)))


def numbers_to_mark(text: str) -> Iterator[Number]:
    """Yield the numbers that need a mark: decimals, and whole numbers above 12."""
    for number in numbers(text):
        if number.value != int(number.value) or abs(number.value) > 12:
            yield number


def without_code(page: Path) -> str:
    """Return the text of a page; code blocks, and inline code with a mark, are blanked out."""
    return blank_out(INLINE_CODE, blank_out(BLOCK, page.read_text("utf-8")), "<!--")


def blank_out(pattern: "re.Pattern[str]", text: str, part: str = "") -> str:
    """Return a text with the matches of a pattern replaced by spaces; line breaks are kept.

    part: only matches that contain it are replaced.
    """
    return pattern.sub(
        lambda match: re.sub(r"[^\n]", " ", match[0]) if part in match[0] else match[0], text
    )


def rows(text: str) -> list[list[str]]:
    """Return the cells of the table at the start of a text, with the header if it has numbers."""
    lines = re.match(r"\n((?:\|.*\n)*)", COMMENT.sub("", text).replace("\\|", "¦"))
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[1].splitlines()]
    header, body = cells[0], cells[2:]
    return [header, *body] if numbers(" | ".join(header)) else body
