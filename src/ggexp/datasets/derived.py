"""Find what a table repeats about its counts: percentages, roots, ranks, marks.

These checks look at the true counts. Therefore a release can only be refused because of them, and
nothing that is published may depend on their results.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from math import gcd, inf, lgamma, log
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.tables import ContingencyTable
from ggexp.datasets.totals import LOG_CHANCE, LOG_CHANCE_OF_LIKELY, MAX_LEVELS, Finding, interval_of

#: The owner is told that all counts are multiples of a number if a coincidence has a smaller
#: probability, as a logarithm.
LOG_CHANCE_OF_HINT = log(0.1)
#: Functions of counts whose values are derived numbers, such as roots.
FUNCTIONS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "values": lambda counts: counts,
    "roots": np.sqrt,
    "logarithms": np.log,
    "decimal logarithms": np.log10,
    "binary logarithms": np.log2,
    "squares": np.square,
    "reciprocals": np.reciprocal,
}
#: Largest relative difference of numbers in proportion to the counts.
TOLERANCE = 0.25
#: Names of columns of numbers that are no counts.
_MEASURE = re.compile(
    r"[%‰]|(?<![a-z])(pct|perc|percent(age)?s?|rates?|ratio|proportions?|mean|average|avg|median|"
    r"weighted|expected|residuals?|change|diff(erence)?|cum|cumulative|moe|margin of error|"
    r"std|standard error)(?![a-z])",
    re.I,
)

#: The same for levels, some of which are words of a scale, such as average.
_MEASURE_LEVEL = re.compile(
    r"[%‰]|(row |col(umn)? |valid )?(pct|percent|rate\b|mean\b|median\b).*", re.I
)
_STATED = re.compile(r"(?<![a-z])[nN]\s*[=:]\s*\d")


def is_measure(name: str) -> bool:
    """Return whether a column has the name of numbers that are no counts, such as percentages."""
    return _MEASURE.search(name.replace("_", " ")) is not None


def counts_in_names(table: ContingencyTable, names: Sequence[str]) -> Iterator[Finding]:
    """Yield objections to a name or level that seems to contain a true count.

    names: the names of the columns. Suspect are names with "n = 31", a column's name with the sum
    of all counts, and factors whose levels are or contain their own counts, or ranges around them.
    """
    total = table.total
    suspect = [name for name in names if _STATED.search(name) or total in _numbers(name)]
    for factor, levels in table.factors.items():
        suspect += filter(_STATED.search, levels)
        margin = table.margin([factor]).counts.tolist()
        pairs = [*zip(levels, margin, strict=True)]
        own = [
            level for level, count in pairs if not level.isdecimal() and count in _numbers(level)
        ]
        if len(own) > 1 and 2 * len(own) >= len(levels):
            suspect += own
        ranges = [(interval_of(level), count) for level, count in pairs]
        if len(levels) > 1 and (
            levels == [*map(str, margin)]
            or all(span and span.low < count < span.high < inf for span, count in ranges)
        ):
            suspect += levels
    for name in suspect:
        yield Finding(
            f"{name!r} seems to contain a count, which would be published: change this name, or "
            "--no-derived says that it contains none"
        )


def _numbers(text: str) -> set[int]:
    """Return the whole numbers >= 10 in a text; smaller ones are there by coincidence."""
    numbers = re.findall(r"\d+", re.sub(r"(?<=\d)[,.' ](?=\d{3})", "", text))[:20]
    return {*map(int, numbers)} - {*range(10)}


def objections_to_counts(name: str, table: ContingencyTable) -> Iterator[Finding]:
    """Yield reasons why the counts of a completed table may not be numbers of records."""
    if is_measure(name):
        yield _objection(f"the column {name!r} has the name of numbers that are no counts")
    counts = table.counts[table.counts > 0]
    divisor = gcd(*counts.tolist())
    chance = -counts.size * log(max(divisor, 1))
    if chance < LOG_CHANCE_OF_HINT:
        yield _objection(
            f"all counts are multiples of {divisor}, as rounded or weighted counts are: one record "
            "could change such a count by more than 1",
            chance < LOG_CHANCE_OF_LIKELY,
        )
    if 99 <= table.total <= 101 and table.counts.size > 1:
        yield _objection("the counts sum to 100, as percentages do")
    for factor, levels, rows in table.by_level():
        if measures := [*filter(_MEASURE_LEVEL.fullmatch, levels)]:
            yield _objection(f"the level {measures[0]!r} of {factor!r} has the name of no count")
        if multiple := _multiple(rows):
            names = " and of ".join(repr(levels[position]) for position in multiple)
            yield _objection(f"the numbers of {names} in {factor!r} are in proportion")
        if percentages := _percentages(rows):
            names = ", ".join(repr(levels[position]) for position in percentages)
            yield _objection(f"the numbers of {names} in {factor!r} may be percentages")


def _objection(reason: str, is_certain: bool = True) -> Finding:
    settled = "--ignore leaves columns out, and --no-derived says that all are counts"
    return Finding(f"{reason}; {settled}", is_certain)


def _multiple(counts: NDArray[np.int64]) -> list[int]:
    """Return two rows of which one is a multiple of the other, by no coincidence, or none."""
    shares: dict[tuple[float, ...], int] = {}
    totals, chances = counts.sum(axis=1), -np.log1p(counts)[:, 1:].sum(axis=1)
    for position in np.flatnonzero(totals).tolist():
        share = tuple((counts[position] / totals[position]).round(12).tolist())
        first = shares.setdefault(share, position)
        if totals[position] != totals[first] and chances[[first, position]].min() < LOG_CHANCE:
            return [first, position]
    return []


def _percentages(counts: NDArray[np.int64]) -> list[int]:
    """Return rows that may hold percentages: their sums are 100, or they are shares of a sum."""
    counts = counts[:, counts.any(axis=0)]
    size = len(counts)
    if counts.shape[1] < 2 or not 1 < size <= MAX_LEVELS:
        return []
    for start in range(size - 1):
        sums = counts[start:].cumsum(axis=0)[1:]
        ends = np.flatnonzero(((sums >= 99) & (sums <= 101)).all(axis=1))
        if ends.size:
            return [*range(start, start + 2 + ends[0])]
    for position in np.flatnonzero((counts <= 101).all(axis=1) if size > 2 else []):
        others = np.delete(counts, position, axis=0)
        shares = 100 * others / np.maximum(others.sum(axis=0), 1)
        if (np.abs(shares - counts[position]) <= 1).all(axis=1).any():
            return [int(position)]
    return []


def derived_factors(labels: pd.DataFrame, counts: NDArray[np.int64]) -> Iterator[Finding]:
    """Yield objections to factors that may have been computed from the counts.

    labels: the level of each factor, as text, in each row of the file. counts: of each row.
    A factor is suspect if the other factors determine it, as they determine a percentage or a mark
    of small counts, or if its numbers are measurements or follow from the counts.
    """
    names = [*map(str, labels)]
    for name in reversed(names):
        others = [other for other in names if other != name]
        if others and not labels.duplicated(others).any():
            reason = f"has only one level for each combination of {', '.join(others)}"
        else:
            reason = _reason_in_numbers(labels[name], counts)
        if reason:
            yield _derived(name, reason)


def _derived(factor: str, reason: str, is_certain: bool = True) -> Finding:
    return Finding(
        f"the factor {factor!r} {reason}, and may follow from the counts: --ignore {factor!r} "
        "instead of a factor leaves it out; if no factor follows from the counts, --no-derived "
        "keeps it",
        is_certain,
    )


def _reason_in_numbers(levels: "pd.Series[Any]", counts: NDArray[np.int64]) -> str:
    """Return why the numbers of a factor may follow from the counts, or ""."""
    texts = levels.str.strip(" <>±~*$€£").str.replace(",", "", regex=False)
    if texts.str.contains("[%‰]").any():
        return "has percentages"
    values = pd.to_numeric(texts, errors="coerce").to_numpy(np.float64)
    if len(values) < 2 or not np.isfinite(values).all():
        return ""
    if len({*values.tolist()}) == len(values) and np.array_equal(np.cumsum(counts), values):
        return "has the cumulative sums of the counts"
    filled = counts > 0
    values, sizes = values[filled], counts[filled]
    if len({*values.tolist()}) == len(values) > 1 and (ratios := values / sizes).min() > 0:
        spread = ratios.max() / ratios.min() - 1
        if spread < TOLERANCE * min(1.0, sizes.max() / sizes.min() - 1):
            return "has numbers in proportion to the counts"
    digits = texts.str.extract(r"\.(\d+)$")[0].str.len().max()
    unit = 1.0 if np.isnan(digits) else 10.0**-digits
    for name, function in FUNCTIONS.items():
        if _is_affine(values, function(sizes.astype(np.float64)), unit):
            return f"has numbers that follow from the {name} of the counts"
    return ""


def _is_affine(values: NDArray[np.float64], numbers: NDArray[np.float64], unit: float) -> bool:
    """Return whether the values are the rounded numbers, or a + b times them, by no coincidence.

    unit: the last digit of the values. Evenly spaced values, such as years, may grow like any
    counts; therefore they are compared with the numbers themselves only.
    """
    different = np.unique(values)
    points, spread = len({*zip(values.tolist(), numbers.tolist(), strict=True)}), np.ptp(values)
    if not spread:
        return False
    log_share = log(min(1.0, 2 * unit / spread))
    if np.abs(values - numbers).max() <= unit and points * log_share < LOG_CHANCE_OF_LIKELY:
        return True
    if np.ptp(np.diff(different)) <= unit or (points - 2) * log_share >= LOG_CHANCE_OF_LIKELY:
        return False
    line = np.polynomial.Polynomial.fit(numbers, values, 1)
    return bool(np.abs(values - line(numbers)).max() <= unit)


def ordered_factors(labels: pd.DataFrame, counts: NDArray[np.int64]) -> Iterator[Finding]:
    """Yield objections to factors that order the rows by their counts.

    labels, counts: as for `derived_factors`. Such a factor has ranks, quartiles or marks of the
    counts: all counts of a level are at most those of the next level. Independent counts have this
    order with probability k! Π mᵢ!/N!, for k levels with mᵢ of the N rows, and for ascending or
    descending numbers 2 Π mᵢ!/N!.
    """
    for name in labels:
        groups = pd.Series(counts).groupby(labels[name].to_numpy()).agg(["min", "max", "size"])
        groups = groups.sort_values(["min", "max"])
        lows, highs = groups["min"].to_numpy()[1:], groups["max"].to_numpy()[:-1]
        if (highs > lows).any() or (highs == lows).all():
            continue
        steps = np.diff(pd.to_numeric(pd.Series(groups.index), errors="coerce"))
        is_monotone = (steps > 0).all() or (steps < 0).all()
        chance = log(2) if is_monotone else lgamma(len(groups) + 1)
        chance += sum(lgamma(size + 1) for size in groups["size"]) - lgamma(len(counts) + 1)
        if chance < LOG_CHANCE_OF_LIKELY:
            reason = "orders the rows by their counts, as ranks do"
            yield _derived(str(name), reason, chance < LOG_CHANCE)
