"""Find levels that contain other levels, such as totals, by their names or by their counts.

`find_totals` guesses which levels to leave out when a file is described. The others look for every
level that may contain others, because a release with one would not satisfy its guarantee.
"""

import re
from collections.abc import Iterator, Sequence
from math import inf, log, nextafter
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.table import Table

#: Smallest number of strata in which it is no chance if a level equals the sum of the others.
MIN_STRATA = 5
#: Smallest number of levels of such a factor. Of two, each may be the total of the other.
MIN_LEVELS = 3
#: A coincidence with a smaller probability, as a logarithm, is none.
LOG_CHANCE = log(1e-6)
#: The same for a level that is the sum of all others or of its neighbours, as subtotals are: in one
#: stratum, and in several strata, beside other subtotals or for two tables one below the other.
LOG_CHANCE_OF_LIKELY, LOG_CHANCE_OF_REPEATED = log(1e-3), log(0.01)
#: Largest number of levels of which all subsets are tried.
MAX_SUBSETS = 12
#: Largest number of levels of which sums of neighbouring levels, and percentages, are tried.
MAX_LEVELS = 200
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
_NUMBER = r"\d+(?:\.\d+)?"
_LOW, _HIGH, _ABOVE, _BELOW, _AT = (
    rf"(?P<{name}>{_NUMBER})" for name in ("low", "high", "above", "below", "at")
)
_YEARS = r"\s*(?:years? |yrs? |y )?\s*"
#: Patterns of ranges, whose groups are bounds.
_RANGES = (
    rf"{_LOW}\s*(?:-|to|bis|through|\.\.)\s*{_HIGH}",
    rf"{_LOW}{_YEARS}(?:\+|plus|(?:and|or|&) (?:over|older|above|more|up|greater))",
    rf"{_HIGH}{_YEARS}(?:and|or|&) (?:under|below|younger|less|fewer)",
    rf"(?:≥|>=|at least|from|ab)\s*{_LOW}",
    rf"(?:≤|<=|up to|until|at most|bis)\s*{_HIGH}",
    rf"(?:>|over|above|more than|older than|über)\s*{_ABOVE}",
    rf"(?:<|under|below|less than|younger than|fewer than|unter)\s*{_BELOW}",
    _AT,
)
_UNITS = re.compile(r"\b(aged?|ages|years?|yrs?|y|old|jahre)\b|[\s()\[\]:]+")
_THOUSANDS = re.compile(rf"({_NUMBER})\s?(?:k|tsd)\b")
_DASHES = str.maketrans("–—−", "---", "$€£¥%,'")


def has_total_name(level: str) -> bool:
    """Return whether a level is named like a total, such as all, total, sum or both."""
    return _TOTAL.fullmatch(level) is not None


class Finding(NamedTuple):
    """A message about what speaks against a release, with the options that settle it.

    is_certain: whether a coincidence is so unlikely that the table is refused.
    """

    message: str
    is_certain: bool = True


def find_nested(table: Table) -> Iterator[Finding]:
    """Yield levels whose names say that they contain other levels of their factor."""
    for factor, levels in table.factors.items():
        if nested := _nested_level(levels):
            level, reason = nested
            yield Finding(f"the level {level!r} of {factor!r} {reason}: {_on_totals(level)}")


def _nested_level(levels: Sequence[str]) -> tuple[str, str] | None:
    """Return the first level whose name says that it contains others, and the reason, or None.

    Ranges that have only an end in common do not overlap.
    """
    if len(levels) < 2:
        return None
    for level in levels:
        if level not in (parts := re.split(r"\W+", level)) and {*parts} <= {*levels}:
            return level, "combines the names of other levels"
        if has_total_name(level):
            return level, "has the name of a total"
        if _PART.fullmatch(level):
            return level, "has the name of a part of another level"
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
    match = next(filter(None, (re.search(pattern, text) for pattern in _RANGES)), None)
    if match is None:
        return None
    words = _UNITS.sub("", text[: match.start()] + " " + text[match.end() :])
    low, high = -inf, inf
    for name, number in match.groupdict().items():
        bound = float(number)
        if name in ("low", "above", "at"):
            low = nextafter(bound, inf) if name == "above" else bound
        if name in ("high", "below", "at"):
            high = nextafter(bound, -inf) if name == "below" else bound
    is_range = low <= high and not any(map(str.isdigit, words))
    return Interval(low, high, words) if is_range else None


def _overlapping_range(levels: Sequence[str]) -> tuple[str, str] | None:
    """Return a level that is a range of numbers which overlaps another level."""
    known = [(level, span) for level in levels if (span := interval_of(level))]
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
                return level, f"overlaps {other!r}"
    return None


def _shorter_code(levels: Sequence[str]) -> tuple[str, str] | None:
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
                    return shorter, f"is the beginning of {longer[shorter]!r} and of {level!r}"
                longer[shorter] = level
    return None


def find_totals(table: Table, file: object) -> tuple[dict[str, list[str]], list[str]]:
    """Return factor -> its levels that are totals of the others, and warnings about unclear levels.

    A level named like a total is one if each of its counts is the sum of the cells that it covers.
    Any other level, of at least `MIN_LEVELS`, is one if it alone is the sum of the others in every
    stratum, and not 0 in at least `MIN_STRATA`.
    """
    totals: dict[str, list[str]] = {}
    warnings: list[str] = []
    for factor, level, is_sum in _named_totals(table):
        if is_sum:
            totals.setdefault(factor, []).append(level)
        else:
            warnings.append(
                f"the level {level!r} of {factor!r} has the name of a total, but is kept, because "
                "its counts are not the sums of the others"
            )
    remaining = table
    for factor, levels in totals.items():
        remaining = remaining.without(factor, levels)
    for factor in table.factors:
        rows = remaining.completed(file).rows_of(factor)
        sums = np.flatnonzero(are_sums_of_others(rows) & (len(rows) >= MIN_LEVELS))
        for level, strata in [(remaining.factors[factor][i], (rows[i] > 0).sum()) for i in sums]:
            if strata >= MIN_STRATA and len(sums) == 1:
                totals.setdefault(factor, []).append(level)
                remaining = remaining.without(factor, [level])
            else:
                warnings.append(
                    f"the level {level!r} of {factor!r} may be the total of the others, because it "
                    f"is their sum in all {strata} strata; it is kept: delete its rows if it is a "
                    "total"
                )
    return totals, warnings


def _named_totals(table: Table) -> Iterator[tuple[str, str, bool]]:
    """Yield each level named like a total, with its factor, and whether it is a total."""
    names = {name: [*filter(has_total_name, known)] for name, known in table.factors.items()}
    are_named = pd.DataFrame({name: table.labels[name].isin(names[name]) for name in names})
    rows = are_named.any(axis="columns").to_numpy()
    if not rows.any():
        return
    base = table.where(~rows)
    are_summed = (are_named | (table.labels == ""))[rows]
    are_totals = np.zeros(len(rows), dtype=bool)
    for pattern, positions in are_summed.groupby([*names]).groups.items():
        flags = pattern if isinstance(pattern, tuple) else (pattern,)
        kept = [name for name, is_summed in zip(names, flags, strict=True) if not is_summed]
        sums = _sums(base, table.labels.loc[positions], kept)
        are_totals[positions] = table.counts[positions] == sums
    for factor, levels in names.items():
        others = [name for name in names if name != factor]
        strata = table.where(~are_named[factor].to_numpy())
        for level in levels:
            cells = (table.labels[factor] == level).to_numpy()
            counts = table.counts[cells]
            are_sums = are_totals[cells] | (counts == _sums(strata, table.labels[cells], others))
            yield factor, level, bool(are_sums.all() and counts.any())


def are_sums_of_others(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each row, of a level, is the sum of all others in every stratum."""
    return rows.any() & (2 * rows == rows.sum(axis=0)).all(axis=1)


def _sums(table: Table, cells: pd.DataFrame, names: Sequence[str]) -> NDArray[np.int64]:
    """Return for each cell the sum of the table's counts that agree with it in these factors."""
    if not names:
        return np.full(len(cells), table.total)
    margin = table.margin(names)
    sums = margin.labels.astype(object).assign(**{"": margin.counts})
    merged = cells[[*names]].astype(object).merge(sums, how="left", on=[*names])
    return merged[""].fillna(0).to_numpy(np.int64)


def find_sums(table: Table) -> Iterator[Finding]:
    """Yield levels that are sums of at least two other levels of their factor in every stratum.

    table: completed, with the levels in the order of the file, as subtotals stand beside their
    parts. A stratum is a combination of levels of the other factors. The sums of all other levels
    are tried; with at most `MAX_LEVELS` levels, also those of the levels directly before or after;
    with at most `MAX_SUBSETS`, all sums, if they are certain. A level with the count v in a stratum
    equals a sum by coincidence with a probability of about 1/(v + 1). Two tables of the same
    records, one below the other, have first levels with the sum of the last.
    """
    for factor, levels in table.factors.items():
        rows = table.rows_of(factor)
        filled = np.flatnonzero(rows.any(axis=1))
        counts = rows[filled][:, np.argsort(-rows.sum(axis=0), kind="stable")]
        size = len(filled)
        if size < 3:
            continue
        is_total = are_sums_of_others(counts)
        candidates = range(size) if size <= MAX_LEVELS else np.flatnonzero(is_total).tolist()
        found = []
        for position in candidates:
            others = [row for row in range(size) if row != position]
            parts = others if is_total[position] else _neighbours(position, others, counts)
            is_likely = bool(parts)
            if not parts and size <= MAX_SUBSETS:
                parts = _subset(position, others, counts)
            if parts:
                found.append((position, parts, is_likely))
        chances = -np.log1p(counts.astype(np.float64)).sum(axis=1)
        likely = [position for position, _, is_likely in found if is_likely]
        log_tried = log(size) + min(size - 1, MAX_SUBSETS) * log(2)
        others_too = len(likely) > 1 and (chances[likely] + log(2 * size)).sum()
        for position, parts, is_likely in found:
            is_certain = log_tried + chances[position] < LOG_CHANCE
            if is_likely:
                is_repeated = (counts[position] > 0).sum() > 1
                limit = LOG_CHANCE_OF_REPEATED if is_repeated else LOG_CHANCE_OF_LIKELY
                is_certain |= log(2 * size) + chances[position] < limit
                is_certain |= others_too < LOG_CHANCE_OF_REPEATED
            if is_certain or is_likely:
                names = [levels[filled[part]] for part in parts]
                is_certain |= all(name.startswith(levels[filled[position]]) for name in names)
                yield _sum(factor, [levels[filled[position]]], names, is_certain)
        if size > MAX_LEVELS or (counts == counts[0]).all():
            continue
        names = [levels[position] for position in filled]
        sums = counts.cumsum(axis=0)
        for end in 2 + np.flatnonzero((2 * sums[1:-2] == sums[-1]).all(axis=1)):
            chance = log(size) - np.log1p(sums[end - 1].astype(np.float64)).sum()
            yield _sum(factor, names[end:], names[:end], chance < LOG_CHANCE_OF_REPEATED)


def _sum(factor: str, levels: Sequence[str], parts: Sequence[str], is_certain: bool) -> Finding:
    """Return the objection to levels whose counts sum to the same as others in every stratum."""
    sums = " and of ".join(" + ".join(map(repr, names)) for names in (levels, parts))
    doubt = ", perhaps by coincidence; check that it is no total before you publish the release"
    return Finding(
        f"in {factor!r}, the counts of {sums} have the same sum{'' if is_certain else doubt}: "
        + _on_totals(",".join(levels)),
        bool(is_certain),
    )


def _on_totals(level: str) -> str:
    """Return the options that settle whether a level is a total."""
    return (
        f"--totals {level!r} leaves it out, with --keep-totals it is released as a total, and "
        "--no-totals says that no level contains another"
    )


def _neighbours(position: int, others: list[int], counts: NDArray[np.int64]) -> list[int]:
    """Return at least two rows directly after or before a row whose sum it is, or an empty list."""
    for run in (others[position:], others[:position][::-1]):
        for end in np.flatnonzero(np.cumsum(counts[run, 0]) == counts[position, 0]):
            if end > 0 and (counts[run[: end + 1]].sum(axis=0) == counts[position]).all():
                return sorted(run[: end + 1])
    return []


def _subset(position: int, others: list[int], counts: NDArray[np.int64]) -> list[int]:
    """Return at least two other rows whose sum is the row at a position, or an empty list."""
    masks = np.arange(2 ** len(others))[:, None] >> np.arange(len(others)) & 1
    masks = masks[masks.sum(axis=1) > 1]
    for column in counts.T:
        masks = masks[masks @ column[others] == column[position]]
        if len(masks) < 4:  # few enough to compare in all strata
            break
    for mask in masks:
        parts = [others[i] for i in np.flatnonzero(mask)]
        if (counts[parts].sum(axis=0) == counts[position]).all():
            return parts
    return []
