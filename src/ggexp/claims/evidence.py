"""What claims are judged by: comparisons with their errors, and the verdict that they add up to."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import copysign, hypot, inf, isnan
from typing import NamedTuple

import pandas as pd


class Comparison(NamedTuple):
    """One comparison that a claim makes: it agrees where ``difference`` > 0.

    what: what is compared, such as "laplace < gaussian-pdp".
    where: at which grid point; empty where ``what`` tells all.
    error: standard error of the difference, 0 where it is computed without chance.
    """

    what: str
    where: str
    difference: float
    error: float = 0.0


class Estimate(NamedTuple):
    """A row of the summary: mean, sd, standard error and number of the repeats."""

    mean: float
    sd: float
    se: float
    repeats: int


@dataclass(frozen=True)
class Results:
    """What a run found, as tables; those that it did not make are absent or empty.

    summary, scales, baseline: the CSV files of these names. tallies: data set -> the quantities
    that its records, or its cells, count to. figures: number, or name of one beyond the paper, ->
    the table that it is drawn from. seed: the run's.
    """

    summary: pd.DataFrame
    scales: pd.DataFrame
    baseline: pd.DataFrame = field(default_factory=pd.DataFrame)
    tallies: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    figures: Mapping[int | str, pd.DataFrame] = field(default_factory=dict)
    seed: int = 0

    @cached_property
    def _estimates(self) -> dict[tuple[str, str], dict[tuple[str, float, float | None], Estimate]]:
        found: dict[tuple[str, str], dict[tuple[str, float, float | None], Estimate]] = {}
        for row in self.summary.to_dict("records"):
            delta = None if pd.isna(row["delta"]) else row["delta"]
            estimate = Estimate(*(row[name] for name in Estimate._fields))
            table = found.setdefault((row["dataset"], row["metric"]), {})
            table[row["mechanism"], row["epsilon"], delta] = estimate
        return found

    def grid(self, dataset: str, metric: str, mechanisms: Collection[str] | None = None) -> "Grid":
        """Return a data set's estimates of a metric, empty where the run has none.

        mechanisms: of these alone; None for all that were run.
        """
        found = self._estimates.get((dataset, metric), {})
        return Grid(
            {at: one for at, one in found.items() if mechanisms is None or at[0] in mechanisms}
        )


@dataclass(frozen=True)
class Grid:
    """The estimates of one metric on one data set, by mechanism, ε and δ (None without one)."""

    estimates: Mapping[tuple[str, float, float | None], Estimate]

    @property
    def mechanisms(self) -> list[str]:
        """The mechanisms in the summary's order."""
        return list(dict.fromkeys(mechanism for mechanism, _, _ in self.estimates))

    @property
    def epsilons(self) -> list[float]:
        """The ε in ascending order."""
        return sorted({epsilon for _, epsilon, _ in self.estimates})

    def deltas(self, *mechanisms: str) -> Sequence[float | None]:
        """Return the δ at which these mechanisms are compared: [None] if none of them has one."""
        found = {d for m, _, d in self.estimates if m in mechanisms and d is not None}
        return sorted(found) or [None]

    def at(self, mechanism: str, epsilon: float, delta: float | None) -> Estimate:
        """Return the estimate there; a mechanism without a δ has the same at every δ."""
        point = (mechanism, epsilon, delta)
        return self.estimates.get(point) or self.estimates[mechanism, epsilon, None]


def place(epsilon: float, delta: float | None) -> str:
    """Return how evidence names a grid point: "(ε, δ)", or "ε" alone."""
    return f"ε={epsilon:g}" if delta is None else f"({epsilon:g}, {delta:g})"


def contrast(*terms: tuple[float, Estimate]) -> tuple[float, float]:
    """Return Σ c·mean and its standard error, for independent estimates with factors c."""
    return sum(c * one.mean for c, one in terms), hypot(*(c * one.se for c, one in terms))


def nearest(*comparisons: Comparison) -> Comparison:
    """Return, of comparisons that must all agree, the one that does so least, in standard errors.

    So a mean that must lie between two bounds is held against the nearer one.
    """

    def errors(one: Comparison) -> float:
        if isnan(one.error):
            return -inf  # it decides nothing, whatever the others say
        return one.difference / one.error if one.error else copysign(inf, one.difference)

    return min(comparisons, key=errors)


def judge(
    comparisons: Sequence[Comparison], tolerance: float, *, by_construction: bool = False
) -> tuple[str, str]:
    """Return the verdict on a claim, and its evidence in words.

    tolerance: how many standard errors a difference must exceed to count for or against.
    by_construction: whether no run could disagree, short of a bug.
    confirmed: all comparisons agree; by construction, if they could not do otherwise. refuted: some
    disagree and none agrees. undecided: all lie within the error. Anything else is partly, and the
    evidence names the other comparisons.
    """
    agree, disagree, open_ = [], [], []
    for one in comparisons:
        if one.difference > tolerance * one.error:
            agree.append(one)
        elif one.difference < -tolerance * one.error:
            disagree.append(one)
        else:
            open_.append(one)  # an error that is not known, from a single repeat, decides nothing
    if len(agree) == len(comparisons):
        closest = min(agree, key=lambda one: one.difference / (one.error or 1.0))
        verdict = "by construction" if by_construction else "confirmed"
        return verdict, f"{_count(agree, comparisons)}; the closest: {_describe([closest])}"
    verdict = "partly" if agree else "refuted" if disagree else "undecided"
    parts = [_count(agree, comparisons)]
    if disagree:
        parts.append(f"contrary: {_describe(disagree)}")
    if open_:
        parts.append(f"within {tolerance:g} standard errors: {_describe(open_)}")
    return verdict, "; ".join(parts)


def _count(agree: Sequence[Comparison], comparisons: Sequence[Comparison]) -> str:
    return f"{len(agree)} of {len(comparisons)} agree"


def _describe(comparisons: Iterable[Comparison]) -> str:
    """Return the comparisons in words, those of one kind together."""
    places: dict[str, list[str]] = {}
    for one in comparisons:
        error = f" ± {one.error:.2g}" if one.error else ""
        difference = f"{one.where} by {one.difference:+.3g}{error}" if one.where else ""
        places.setdefault(one.what, []).append(difference)
    return "; ".join(
        f"{what} at {', '.join(where)}" if where[0] else what for what, where in places.items()
    )
