"""The findings that titles of figures state, computed from the tables that the figures show.

As in claims, means differ if their difference exceeds `TOLERANCE` standard errors.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_FLOOR
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ggexp.figures.style import Look
from ggexp.figures.tabulate_summaries import deltas_of, rows_at
from ggexp.words import in_words, mechanisms_in_words, rounded

TOLERANCE = 3  # standard errors
ROUNDING = 1e-12  # means that differ by up to this share of the largest differ by rounding
# characters of a line of a title, and the largest number of lines
LINE, LINES = 100, 2


class Smallest(NamedTuple):
    """The mechanism, or other value of a column, with the smallest mean at the most points.

    alone: the number of points at which its mean is smaller than every other mean. shared: the
    number of points at which no other mean is smaller. points: the number of all points.
    """

    name: str
    alone: int
    shared: int
    points: int


def smallest(means: pd.DataFrame, by: str = "mechanism") -> Smallest | None:
    """Return what has the smallest mean; None without standard errors, or without a comparison.

    means: rows of one metric, with their mean and se. by: the column whose values are compared at
    each ε and δ, or, if it is not the mechanism, at each mechanism, ε and δ.
    """
    names = [*means[by].unique()]
    if len(names) == 1 or means["se"].isna().any():
        return None
    points = [*_points(means, by)]
    alone, shared = np.zeros(len(names), int), np.zeros(len(names), int)
    for rows in points:
        mean, se = (rows.set_index(by)[column].reindex(names) for column in ("mean", "se"))
        excess = np.subtract.outer(mean.to_numpy(), mean.to_numpy())
        margin = TOLERANCE * np.hypot.outer(se.to_numpy(), se.to_numpy())
        margin += ROUNDING * mean.abs().max()
        is_present = mean.notna().to_numpy()
        alone += is_present & ((excess < -margin).sum(axis=1) == is_present.sum() - 1)
        shared += is_present & ~(excess > margin).any(axis=1)
    best = max(range(len(names)), key=lambda i: (alone[i], shared[i]))
    return Smallest(names[best], int(alone[best]), int(shared[best]), len(points))


def _points(means: pd.DataFrame, by: str) -> Iterator[pd.DataFrame]:
    """Yield the rows that are compared with each other."""
    if by == "mechanism":
        for delta in deltas_of(means):
            yield from (rows for _, rows in rows_at(means, delta).groupby("epsilon"))
    else:
        groups: Any = means.groupby(["mechanism", "epsilon", "delta"], dropna=False)
        yield from (rows for _, rows in groups)


def above_equal(means: pd.DataFrame) -> int:
    """Return the number of means that are larger than the value of equal counts in their row."""
    return int((means["mean"] - means["equal"] > TOLERANCE * means["se"]).sum())


def of_means(
    metrics: Mapping[str, pd.DataFrame],
    by: str = "mechanism",
    looks: Mapping[str, Look] = MappingProxyType({}),
) -> list[str]:
    """Return the findings on equal counts, if they are smaller, and on the smallest means.

    metrics: label -> rows with mean and se, and the column equal if equal counts are shown.
    by: as in `smallest`. looks: value -> look with its label, if it is not the mechanism's name.
    """
    smallest_of: dict[str, list[str]] = {}
    for label, means in metrics.items():
        if found := smallest(means, by):
            name = looks[found.name][0] if looks else mechanisms_in_words(found.name)
            where = "at every ε and δ" if means["delta"].notna().any() else "at every ε"
            text = _on_smallest(found._replace(name=name), by, where)
            smallest_of.setdefault(text, []).append(label)
    return [*_on_equal_counts(metrics, by)] + [
        text.format(_listed(labels), either=_listed(labels, " or "))
        for text, labels in smallest_of.items()
    ]


def _on_equal_counts(metrics: Mapping[str, pd.DataFrame], by: str) -> Iterator[str]:
    """Yield the findings on metrics in which equal counts have smaller values than means."""
    above, sizes = {}, {}
    for name, rows in metrics.items():
        # a table of ranks repeats the mean of a mechanism without δ at each δ
        distinct = rows.drop_duplicates([*{"mechanism", by}, "epsilon", "mean", "se"])
        if number := above_equal(distinct) if "equal" in rows else 0:
            above[name], sizes[name] = number, len(distinct)
    if every := [name for name in above if above[name] == sizes[name]]:
        yield f"equal counts have a smaller {_listed(every)} than every {by}"
    if some := [name for name in above if name not in every]:
        larger, size = (sum(numbers[name] for name in some) for numbers in (above, sizes))
        metric = some[0] if len(some) == 1 else "error"
        yield f"equal counts have a smaller {metric} than {larger} of {size} means"


def _on_smallest(found: Smallest, by: str, where: str) -> str:
    """Return the sentence on the smallest mean, with braces in place of the metric."""
    name, alone, shared, points = found
    if alone == points:
        return f"{name} has the smallest {{}} {where}"
    if alone:
        larger = points - shared
        others = f"a larger one at {larger}" if larger else f"no other {by} at any"
        return f"{name} has the smallest {{}} at {alone} of {points} grid points, {others}"
    if shared == points:
        return f"no {by} has a significantly smaller {{either}} than {name}"
    return f"at no grid point is the {{either}} of one {by} significantly smaller than all others"


def _listed(labels: list[str], word: str = " and ") -> str:
    """Return one or two labels, or the number of more."""
    return word.join(labels) if len(labels) < 3 else f"error by {len(labels)} metrics"


def of_releases(table: pd.DataFrame, delta: float) -> list[str]:
    """Return the ranges of the errors at the first and the last ε, and the largest count's medians.

    table: the percentiles of all mechanisms at one δ, which the ranges enclose.
    """
    ranges = []
    for epsilon in dict.fromkeys(table["epsilon"].iloc[[0, -1]]):
        rows = table[table["epsilon"] == epsilon]
        low = rounded((rows["low"] - rows["original"]).min(), 3, ROUND_FLOOR)
        high = rounded((rows["high"] - rows["original"]).max(), 3)
        ends = f"between {in_words(low)} and {in_words(high)}".replace("-", "−")
        ranges.append(f"{ends} records at ε = {in_words(float(epsilon))}")
    largest = table[table["original"] == table["original"].max()]
    medians = ends_of(largest["median"], 3)
    at = "" if np.isnan(delta) else f" with δ = {in_words(delta)}"
    return [
        f"at least 90 % of the errors{at} are {', '.join(ranges)}",
        f"the largest count, {largest['original'].iloc[0]:,}, has medians of {medians}",
    ]


def ends_of(numbers: pd.Series, digits: int = 2) -> str:
    """Return the smallest and the largest number as text."""
    return f"{in_words(numbers.min(), digits)} to {in_words(numbers.max(), digits)}"


def title(dataset: str, findings: Iterable[str], shown: str = "") -> str:
    """Return the title of a figure: the data set, if any, and the findings that fit `LINES` lines.

    shown: what the figure shows, which is the title if nothing is found.
    """
    text, first = dataset, ": " if dataset else ""
    for separator, finding in zip((first, *["; "] * 9), [*findings] or [shown], strict=False):
        if len(textwrap.wrap(longer := text + separator + finding, LINE)) > LINES:
            break
        text = longer
    return textwrap.fill(text, LINE)
