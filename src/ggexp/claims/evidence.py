"""Tests of claims: comparisons with their standard errors, and the verdict that they imply."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product, starmap
from math import copysign, hypot, inf, isfinite, isnan, nan
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtrit

from ggexp.mechanisms.budget import Budget
from ggexp.streams import digest

#: Column of the results -> its symbol in the evidence.
SYMBOLS = {"order": "p", "epsilon": "ε", "delta": "δ"}


class Splits(NamedTuple):
    """The number of splits of the records on which a difference is measured, and its sd over them.

    number: 0 if the difference depends on no split. sd: 0 if there are less than two.
    """

    number: int = 0
    sd: float = 0.0


#: Of a loss of accuracy that is known on the split of the run alone.
ONE_SPLIT = Splits(1)


class Comparison(NamedTuple):
    """One comparison that a claim makes; it agrees with the claim if ``difference`` > 0.

    what: the statement that is tested, such as "laplace < gaussian-pdp".
    where: the grid point or case; empty if ``what`` contains all numbers.
    error: standard error of the difference, 0 if the difference is deterministic.
    splits: the splits of a loss of accuracy. The run has one of them.
    """

    what: str
    where: str
    difference: float
    error: float = 0.0
    splits: Splits = Splits()

    @property
    def margin(self) -> float:
        """The difference in units of ``error`` and of the sd over splits, added as squares.

        It is infinite if both are 0, and nan if the error is unknown.
        """
        unit = hypot(self.error, self.splits.sd)
        return self.difference / unit if unit else copysign(inf, self.difference)

    def half_width(self, tolerance: float) -> float:
        """Return the half-width of the interval of the difference for any split.

        It is the root of z²·error² + t²·sd², where z is the tolerance, and t the quantile of the t
        distribution with the same tail α, with one degree of freedom less than splits. The interval
        of a normal difference fails with probability at most α: if w is the noise's share of the
        variance, it fails if Z² > z² w + t² (1 - w) χ²_ν/ν. The tail of Z² is a convex function,
        so that the probability is convex in w; at w = 0 and at w = 1 it is α.
        """
        number, sd = self.splits
        quantile = float(stdtrit(number - 1, ndtr(tolerance))) if number > 1 else 0.0
        return hypot(tolerance * self.error, sd * quantile)

    def outcome(self, tolerance: float) -> str:
        """Return "agrees" or "disagrees", or "undecided" within the half-width of this tolerance.

        It is undecided too if the error is unknown, because there is only one repeat.
        """
        if abs(self.difference) > self.half_width(tolerance):
            return "agrees" if self.difference > 0 else "disagrees"
        return "undecided"


#: What the test of a claim returns.
Comparisons = Iterator[Comparison]
#: Name of a test, as in reference/*.yaml -> its function.
TESTS: dict[str, Callable[..., Comparisons]] = {}


def claim_test(test: Callable[..., Comparisons]) -> Callable[..., Comparisons]:
    """Register a test under its name.

    A test takes the parameters of a claim by keyword, and the results of a run if it has a
    parameter ``results``. If it has a parameter ``grid``, this is the `Grid` of the claim's dataset
    and metric, of its mechanisms only if the test does not take them itself. The test yields the
    comparisons that the claim makes, none if the results lack its subject.
    """
    registered = TESTS.setdefault(test.__name__, test)
    if registered.__module__ != test.__module__:
        raise ValueError(f"two claim tests have the name {test.__name__!r}")
    return test


class NotTestedError(LookupError):
    """The results lack what a claim needs; the message says what."""

    def __init__(self, *missing: str) -> None:
        *others, last = missing
        listed = f"{', '.join(others)} and {last} are" if others else f"{last} is"
        super().__init__(f"{listed} missing")


class Estimate(NamedTuple):
    """A row of the summary: mean, sd and their standard errors."""

    mean: float
    sd: float
    se: float
    sd_se: float = nan  # unknown if the summary lacks it

    @classmethod
    def of(cls, row: Mapping[Hashable, Any]) -> Self:
        """Return the estimate in a row of a summary."""
        return cls(*(row.get(name, nan) for name in cls._fields))


#: A mechanism, and its ε and δ.
Point = tuple[str, Budget]


def point_of(row: Mapping[Hashable, Any]) -> Point:
    """Return the grid point of a row."""
    return row["mechanism"], budget_of(row)


def budget_of(row: Mapping[Hashable, Any]) -> Budget:
    """Return the ε and the δ of a row; an empty δ is 0."""
    return Budget(row["epsilon"], 0.0 if pd.isna(row["delta"]) else row["delta"])


#: Column -> its smallest and largest value, both included.
Between = Mapping[str, Sequence[float]]


def _within(table: pd.DataFrame, between: Between) -> pd.DataFrame:
    """Return the rows with all values in a range, or without a value, such as a δ of Laplace."""
    for name in between.keys() & {*table}:
        smallest, largest = between[name]
        table = table[table[name].between(smallest, largest) | table[name].isna()]
    return table


@dataclass(frozen=True)
class Results:
    """The results of a run as tables; a table that the run did not make is absent or empty.

    summary, scales, baseline: the CSV files of these names; summary may also have the column sd_se
    (`ggexp.claims.sd_errors.with_sd_errors`). tallies: data set -> its numbers of records, bins
    and cells. equal: the errors of equal counts (dataset, metric, equal). losses: of accuracy, over
    splits (`ggexp.multiverse.universes.losses_over_splits`). figures: number of a figure, or name
    of a supplementary figure or other table -> its data. seed: the seed of the run.
    """

    summary: pd.DataFrame
    scales: pd.DataFrame
    baseline: pd.DataFrame = field(default_factory=pd.DataFrame)
    tallies: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    equal: pd.DataFrame = field(default_factory=pd.DataFrame)
    losses: pd.DataFrame = field(default_factory=pd.DataFrame)
    figures: Mapping[int | str, pd.DataFrame] = field(default_factory=dict)
    seed: int = 0

    def figure(self, name: int | str) -> pd.DataFrame:
        """Return the data of a figure; raise NotTestedError if the run did not make it."""
        table = self.figures.get(name, pd.DataFrame())
        if table.empty:
            raise NotTestedError(f"the table of figure {name}")
        return table

    def within(self, between: Between) -> Self:
        """Return the results without the grid points outside of a range of ε or δ."""
        summary, scales = _within(self.summary, between), _within(self.scales, between)
        if (len(summary), len(scales)) == (len(self.summary), len(self.scales)):
            return self
        return replace(self, summary=summary, scales=scales)

    def rows(
        self, figure: int | str, between: Between | None = None, **where: object
    ) -> pd.DataFrame:
        """Return the rows of a figure with these values; `figure` describes errors.

        between: column -> its smallest and largest value. where: column -> its value, or a list.
        """
        table = _within(self.figure(figure), between or {})
        for name, value in where.items():
            table = table[table[name].isin(value if isinstance(value, list) else [value])]
        return table

    def stream(self, name: str) -> np.random.Generator:
        """Return a random stream that depends on the run's seed and on a claim's name."""
        return np.random.default_rng([self.seed, digest(f"claim: {name}")])

    @cached_property
    def datasets(self) -> set[str]:
        """The data sets of any table."""
        tables = [table for table in (self.summary, *self.figures.values()) if "dataset" in table]
        return {*self.tallies, *chain.from_iterable(table["dataset"] for table in tables)}

    @property
    def epsilons(self) -> list[float]:
        """The ε of the run in ascending order."""
        return sorted(set(self.scales["epsilon"]))

    @property
    def budgets(self) -> list[Budget]:
        """The (ε, δ) of the run, in its order."""
        budgets = self.scales[["epsilon", "delta"]].dropna().drop_duplicates()
        return [*starmap(Budget, budgets.itertuples(index=False, name=None))]

    @cached_property
    def _estimates(self) -> dict[tuple[str, str], dict[Point, Estimate]]:
        tables: dict[tuple[str, str], dict[Point, Estimate]] = {}
        for row in self.summary.to_dict("records"):
            estimates = tables.setdefault((row["dataset"], row["metric"]), {})
            estimates[point_of(row)] = Estimate.of(row)
        return tables

    @cached_property
    def _splits(self) -> dict[tuple[Any, ...], Splits]:
        splits: dict[tuple[Any, ...], Splits] = {}
        for row in self.losses.to_dict("records"):
            budget = None if pd.isna(row["epsilon"]) else budget_of(row)
            pair = frozenset((row["mechanism"], row["other"]))
            splits[row["dataset"], pair, budget] = Splits(row["splits"], row["sd"])
        return splits

    def splits(
        self, dataset: str, mechanism: str, other: str, budget: Budget | None = None
    ) -> Splits:
        """Return the splits of a mechanism's loss of accuracy against another, or "original".

        They are `ONE_SPLIT` if the table of losses lacks the point.
        """
        return self._splits.get((dataset, frozenset((mechanism, other)), budget), ONE_SPLIT)

    def grid(self, dataset: str, metric: str, mechanisms: Collection[str] | None = None) -> "Grid":
        """Return the estimates of a metric on a data set, for some mechanisms or for all."""
        estimates = self._estimates.get((dataset, metric), {})
        kept = {
            point: estimate
            for point, estimate in estimates.items()
            if mechanisms is None or point[0] in mechanisms
        }
        return Grid(kept, metric)


@dataclass(frozen=True)
class Grid:
    """The estimates of one metric on one data set."""

    estimates: Mapping[Point, Estimate]
    metric: str

    @property
    def mechanisms(self) -> list[str]:
        """The mechanisms in the summary's order."""
        return list(dict.fromkeys(mechanism for mechanism, _ in self.estimates))

    @property
    def epsilons(self) -> list[float]:
        """The ε in ascending order."""
        return sorted({budget.epsilon for _, budget in self.estimates})

    def deltas(self, *mechanisms: str) -> list[float]:
        """Return the δ at which these mechanisms are compared: [0] if none of them has a δ."""
        deltas = {budget.delta for name, budget in self.estimates if name in mechanisms}
        return sorted(deltas - {0.0}) or [0.0]

    def budgets(self, *mechanisms: str) -> list[Budget]:
        """Return the (ε, δ) at which these mechanisms are compared."""
        return [*starmap(Budget, product(self.epsilons, self.deltas(*mechanisms)))]

    def at(self, mechanism: str, budget: Budget) -> Estimate:
        """Return the estimate at a grid point; a mechanism without δ has one estimate for all δ."""
        known = self.estimates.get((mechanism, budget))
        return known or self.estimates[mechanism, Budget(budget.epsilon)]


def place(budget: Budget) -> str:
    """Return the name of a grid point in evidence, such as "(0.5, 0.01)", or "ε=0.5" without δ."""
    epsilon, delta = budget.epsilon, budget.delta
    return f"({epsilon:g}, {delta:g})" if delta else f"ε={epsilon:g}"


def contrast(*terms: tuple[float, Estimate]) -> tuple[float, float]:
    """Return Σ c·mean and its standard error, for independent estimates with factors c."""
    mean = sum(c * estimate.mean for c, estimate in terms)
    return mean, hypot(*(c * estimate.se for c, estimate in terms))


def nearest(comparisons: Iterable[Comparison]) -> Comparison:
    """Return the comparison with the smallest margin, for example with the nearer bound."""
    # one unknown error leaves all the comparisons undecided
    return min(comparisons, key=lambda c: -inf if isnan(c.error) else c.margin)


def judge(
    comparisons: Sequence[Comparison], tolerance: float, *, by_construction: bool = False
) -> tuple[str, str]:
    """Return the verdict on a claim, and its evidence in words.

    tolerance: the number of standard errors that a difference must exceed to agree or disagree.
    by_construction: whether only a bug could make a run disagree.

    The verdict is "confirmed" if all comparisons agree ("by construction" if ``by_construction``),
    "refuted" if some disagree and none agrees, "undecided" if all lie within the tolerance, and
    "partly" in any other case. The evidence lists every comparison that does not agree.
    """
    agree, disagree, undecided = (
        [comparison for comparison in comparisons if comparison.outcome(tolerance) == outcome]
        for outcome in ("agrees", "disagrees", "undecided")
    )
    if len(agree) == len(comparisons):
        closest = min(agree, key=lambda c: c.margin if isfinite(c.margin) else c.difference)
        verdict = "by construction" if by_construction else "confirmed"
        start = _all(agree, "agree") + ". Closest" * (len(agree) > 1)
        return verdict, f"{start}: {_describe([closest], 'at', before=', with a margin of')}."
    verdict = "partly" if agree else "refuted" if disagree else "undecided"
    failures = _describe(disagree, "fails at")
    if len(disagree) == len(comparisons):
        return verdict, f"{_all(disagree, 'disagree')}: {failures}."
    parts = [f"{len(agree)} of {len(comparisons)} comparisons agree{'s' * (len(agree) == 1)}."]
    if disagree:
        parts.append(f"{len(disagree)} disagree{'s' * (len(disagree) == 1)}: {failures}.")
    if undecided:
        within = f"{len(undecided)} {'is' if len(undecided) == 1 else 'are'} within"
        differences = _describe(undecided, "at", before=":", signed=True)
        parts.append(f"{within} {tolerance:g} standard errors: {differences}.")
    return verdict, " ".join(parts)


def _all(comparisons: Sequence[Comparison], verb: str) -> str:
    """Return the beginning of a sentence that says the same of all comparisons."""
    names = {1: f"The comparison {verb}s", 2: f"Both comparisons {verb}"}
    return names.get(len(comparisons), f"All {len(comparisons)} comparisons {verb}")


def on_splits(comparisons: Sequence[Comparison]) -> str:
    """Return a sentence on the splits of losses of accuracy, "" for other comparisons."""
    numbers = {comparison.splits.number for comparison in comparisons} - {0}
    if numbers == {1}:
        return " This judges the noise alone, on one split of the records."
    several = f"by the noise and the sd over {max(numbers, default=0)} splits of the records"
    if 1 in numbers:
        one = sum(comparison.splits.number == 1 for comparison in comparisons)
        return f" This judges {several}, but {one} of the comparisons by the noise alone."
    return f" This judges {several}." if numbers else ""


def _describe(
    comparisons: Iterable[Comparison], verb: str, *, before: str = " by", signed: bool = False
) -> str:
    """Return the comparisons in words, by statement, with margins. before: words before these."""
    cases: dict[str, list[str]] = {}
    for comparison in comparisons:
        difference = comparison.difference
        margin = f"{difference:+.3g}" if signed else f"{abs(difference):.3g}"
        if comparison.error:
            margin += f" ± {comparison.error:.2g}"
        if comparison.splits.sd:
            margin += f" (sd over splits {comparison.splits.sd:.2g})"
        where = f"{comparison.where}{before} {margin}" if comparison.where else ""
        cases.setdefault(comparison.what, []).append(where)
    parts = []
    for what, places in cases.items():
        names = "(ε, δ) = " if places[0].startswith("(") else ""
        parts.append(f'"{what}" {verb} {names}{", ".join(places)}' if places[0] else what)
    return "; ".join(parts)
