"""Find levels whose names say that they contain other levels: totals, ranges and codes.

Only names are compared, never counts.
"""

import re
from collections.abc import Sequence
from math import inf, nextafter
from typing import NamedTuple

import numpy as np

#: Names of totals, and of parts that a table lists below a total.
_TOTAL = re.compile(
    r"\W*(grand[ -]?|sub-?)?"
    r"(all|totals?|totale|sums?|both|overall|combined|any|margin|net|base|"
    r"(un)?weighted( base)?|sample( size)?|"
    r"respondents|everyone|everybody|persons|people|population|"
    r"gesamt|insgesamt|summe|alle|zusammen|ensemble|tous|totaux|totaal|totalt|i alt|tutti|todos|"
    r"suma?|soma|celkem|spolu|ogółem|razem|łącznie|ukupno|skupaj|összesen|yhteensä|samtals|kokku|"
    r"kopā|iš viso|toplam|jami|tổng|итого|всего|усього|общо|укупно|σύνολο|المجموع|الإجمالي|סך הכל|"
    r"合計|小計|总计|总数|합계|총계|소계)\b.*",
    re.I | re.S,
)
_PART = re.compile(
    r"\W*(of (which|whom|these)|thereof|davon|darunter|dont|incl|including|subset)\b.*|"
    r"[-–—•·*>] .*",
    re.I,
)
_NUMBER = r"(\d+(?:\.\d+)?)"
#: Patterns of ranges, and functions that return the bounds of their numbers.
_RANGES = [
    (re.compile(pattern), bounds)
    for pattern, bounds in (
        (rf"{_NUMBER}\s*(?:-|to|bis|through|\.\.)\s*{_NUMBER}", lambda low, high: (low, high)),
        (
            rf"{_NUMBER}\s*(?:years? |yrs? |y )?\s*"
            r"(?:\+|plus|(?:and|or|&) (?:over|older|above|more|up|greater))",
            lambda low: (low, inf),
        ),
        (
            rf"{_NUMBER}\s*(?:years? |yrs? |y )?\s*(?:and|or|&) (?:under|below|younger|less|fewer)",
            lambda high: (-inf, high),
        ),
        (rf"(?:≥|>=|at least|from|ab)\s*{_NUMBER}", lambda low: (low, inf)),
        (rf"(?:≤|<=|up to|until|at most|bis)\s*{_NUMBER}", lambda high: (-inf, high)),
        (
            rf"(?:>|over|above|more than|older than|über)\s*{_NUMBER}",
            lambda low: (nextafter(low, inf), inf),
        ),
        (
            rf"(?:<|under|below|less than|younger than|fewer than|unter)\s*{_NUMBER}",
            lambda high: (-inf, nextafter(high, -inf)),
        ),
        (_NUMBER, lambda number: (number, number)),
    )
]
_UNITS = re.compile(r"\b(aged?|ages|years?|yrs?|y|old|jahre)\b|[\s()\[\]:]+")
_THOUSANDS = re.compile(rf"{_NUMBER}\s?(?:k|tsd)\b")
_DASHES = str.maketrans("–—−", "---", "$€£¥%,'")


def has_total_name(level: str) -> bool:
    """Return whether a level is named like a total, such as all, total, sum or both."""
    return _TOTAL.fullmatch(level) is not None


class Nested(NamedTuple):
    """A level that contains other levels by its name, and the reason in words."""

    level: str
    reason: str


def nested_level(levels: Sequence[str]) -> Nested | None:
    """Return the first level whose name says that it contains others, None if there is none.

    Such a level has the name of a total (Total, all, both …), is a range that overlaps another one
    (Under 18, 0-4, 5-17), or is the beginning of longer codes (1, 1.1, 1.2). Ranges that have only
    an end in common do not overlap.
    """
    if len(levels) < 2:
        return None
    for level in levels:
        if level not in (parts := re.split(r"\W+", level)) and {*parts} <= {*levels}:
            return Nested(level, "combines the names of other levels")
        if has_total_name(level):
            return Nested(level, "has the name of a total")
        if _PART.fullmatch(level):
            return Nested(level, "has the name of a part of another level")
    return _overlapping_range(levels) or _shorter_code(levels)


class Interval(NamedTuple):
    """A range of numbers, and the other words of its name."""

    low: float
    high: float
    words: str


def interval_of(level: str) -> Interval | None:
    """Return the range of numbers that a level names, None if it names none."""
    text = level.casefold().translate(_DASHES)
    text = _THOUSANDS.sub(lambda match: f"{float(match[1]) * 1000:f}", text)
    for pattern, bounds in _RANGES:
        if match := pattern.search(text):
            words = _UNITS.sub("", text[: match.start()] + " " + text[match.end() :])
            low, high = bounds(*map(float, match.groups()))
            is_range = low <= high and not any(map(str.isdigit, words))
            return Interval(low, high, words) if is_range else None
    return None


def _overlapping_range(levels: Sequence[str]) -> Nested | None:
    """Return a level that is a range of numbers which overlaps another level."""
    known = [(level, span) for level in levels if (span := interval_of(level))]
    if not known:
        return None
    lows = np.array([span.low for _, span in known])
    highs = np.array([span.high for _, span in known])
    for level, span in sorted(known, key=lambda pair: pair[1].low - pair[1].high):
        if span.low == span.high:
            return None  # only single numbers remain
        lower, upper = np.maximum(lows, span.low), np.minimum(highs, span.high)
        overlaps = (lower < upper) | ((lows == highs) & (lower == upper))
        for position in np.flatnonzero(overlaps):
            other, other_span = known[position]
            words = {span.words, other_span.words}
            if other != level and (len(words) == 1 or "" in words):
                return Nested(level, f"overlaps {other!r}")
    return None


def _shorter_code(levels: Sequence[str]) -> Nested | None:
    """Return a level that is the beginning of two codes or more.

    Examples are 1 of 1.1 and 1.2, DE of DE-BY and DE-BE, and C of C10 and C11; also 01 of 011 and
    012, if all levels are digits, of which some begin with 0 (1 is no beginning of 10 and 11).
    """
    known = {*levels}
    are_digits = all(map(str.isdecimal, levels)) and any(re.match("0.", level) for level in levels)
    longer: dict[str, str] = {}
    for level in levels:
        letters = level.rstrip("0123456789")
        heads = [level[:end] for end in range(2, len(level))] if are_digits else []
        heads += [letters] if letters.isalpha() and len(letters) < 3 else []
        heads += re.findall(r"([^a-z]+)[-./:_][^-./:_]*", level)
        for shorter in heads:
            if shorter in known and shorter != level:
                if shorter in longer:
                    return Nested(
                        shorter, f"is the beginning of {longer[shorter]!r} and of {level!r}"
                    )
                longer[shorter] = level
    return None
