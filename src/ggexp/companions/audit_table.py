"""The audit of a run's mechanisms, of every calibration rule, and of insufficient noise."""

from collections.abc import Container, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import product
from typing import NamedTuple

import pandas as pd

from ggexp.companions import audit
from ggexp.companions.audited import BOUNDED, EVERY_CELL, Audited
from ggexp.companions.rules import RULES
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import BEST, EXACT, Rule
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.sensitivity import CHANGED_CELLS, Neighbours
from ggexp.progress import log_progress
from ggexp.releases.kinds import STABILITY, THRESHOLD
from ggexp.releases.unlisted import Unlisted

FALSE_ALARM = 0.001  # the largest probability that any bound of the table is wrong
UNCLAMPED_COUNT = 100  # records in a cell whose noisy count is never clamped
SMALL_DOMAIN = 500  # cells; the noise of each empty cell exceeds the threshold with probability 2/5
LARGE_DOMAIN = 5_000  # cells; the same probability is 4 %
TOTAL_BELOW_THRESHOLD = 1  # n of the releases with the large domain
UPPER_BOUND = 4  # of a count that is released within bounds, in records
# the audit must detect insufficient noise that is calibrated to this multiple of ε
DETECTED_MULTIPLE = 1.25

ORDERS_BOUNDED = (1, 2, 3)


class Point(NamedTuple):
    """A mechanism at an ε and a δ; delta is None if the mechanism does not use it."""

    mechanism: str
    order: float | None
    calibration: str
    epsilon: float
    delta: float | None


def audited(points: Iterable[Point], neighbours: Neighbours = "add-remove") -> list[Audited]:
    """Return the releases to audit: with a run's noise, other noise and insufficient noise.

    points: the grid points of a run. All audited noise is for an ε and δ of these points, or, if it
        is insufficient, for a multiple of this ε.
    neighbours: of the run. With "replace-one", only noise on every cell is audited.
    """
    points = list(points)
    run = list(dict.fromkeys(_run_points(points)))
    epsilons = list(dict.fromkeys(point.epsilon for point in points))
    with_delta = [
        Budget(epsilon, delta)
        for epsilon, delta in dict.fromkeys(point[3:] for point in points)
        if delta is not None
    ]
    known = {point[1:] for point in run}
    additional = list(_rule_points(known, epsilons, with_delta, CHANGED_CELLS[neighbours]))
    if neighbours == "replace-one":
        return [release for point in run + additional for release in _replaced(point)]
    deltas = list(dict.fromkeys(budget.delta for budget in with_delta))
    above_thresholds = [point for point in run if _has_tails(point)]
    pure = [point for point in additional if point.delta is None and _has_tails(point)]
    return [
        *(release for point in run + additional for release in _every_cell(point)),
        *(release for point in above_thresholds for release in _stability(point, deltas)),
        *(release for point in above_thresholds + pure for release in _threshold(point)),
        *(release for epsilon in epsilons for release in _bounded(epsilon)),
    ]


def _run_points(points: Iterable[Point]) -> Iterator[Point]:
    """Yield the mechanisms of a run, without δ if only the kind of release uses it."""
    for point in points:
        has_delta = RULES[point.calibration].guarantee.has_delta
        yield point if has_delta else point._replace(delta=None)


def _has_tails(point: Point) -> bool:
    """Return whether noise above a threshold can be drawn, as releases of unlisted cells need."""
    return not any(map(RULES[point.calibration].family.lacks, Unlisted.needs))


def _rule_points(
    known: Container[tuple[float | str | None, ...]],
    epsilons: Iterable[float],
    budgets: Iterable[Budget],
    cells: int,
) -> Iterator[Point]:
    """Yield each calibration rule at every ε, or at every ε and δ, except for known points."""
    for rule in RULES.values():
        for order in _orders(rule):
            for budget in budgets if rule.guarantee.has_delta else map(Budget, epsilons):
                if budget.delta > rule.largest_delta:
                    continue
                at_point = _at_point(order, budget, cells)
                fields = (at_point, rule.name, budget.epsilon, budget.delta or None)
                if fields not in known:
                    name = rule.name if order is None else f"order-{order}-{rule.name}"
                    yield Point(name, *fields)


def _at_point(order: float | str | None, budget: Budget, cells: int) -> float | None:
    """Return an order as a number, which the best order has at each point."""
    if isinstance(order, str):
        return Mechanism("best", "adp-exact").order_at(budget, cells)
    return order


def _orders(rule: Rule) -> tuple[float | str | None, ...]:
    """Return the orders with which a rule is audited."""
    if rule.order != "any":
        return (rule.order,)
    return (1, 2, 3, BEST) if rule.name == EXACT else (2, 3)  # at order 1 it is that of "pure"


def _every_cell(point: Point) -> Iterator[Audited]:
    """Yield releases of a count far from 0, of a count of 0, and with insufficient noise."""
    release = Audited(EVERY_CELL, *point, made_for=1.0, records=UNCLAMPED_COUNT)
    yield release
    yield replace(release, records=0)
    yield from _insufficient(release, DETECTED_MULTIPLE)


def _replaced(point: Point) -> Iterator[Audited]:
    """Yield releases of two cells far from 0, of which one record is replaced.

    Insufficient noise is for twice the ε. In the case of ε-DP, it is noise for one changing cell.
    It is omitted for rules of probabilistic DP, because only approximate DP is tested.
    """
    release = Audited(
        EVERY_CELL, *point, made_for=1.0, records=UNCLAMPED_COUNT, neighbours="replace-one"
    )
    yield release
    if RULES[point.calibration].guarantee is not Guarantee.PROBABILISTIC:
        yield from _insufficient(release, 2.0)


def _insufficient(release: Audited, multiple: float) -> Iterator[Audited]:
    """Yield the release with noise for a multiple of ε, if all tested guarantees are violated."""
    insufficient = replace(release, made_for=multiple)
    is_known = RULES[release.calibration].is_tight or insufficient.noise.is_integer_valued
    if is_known and not any(insufficient.guarantees().values()):
        yield insufficient


def _stability(point: Point, deltas: Iterable[float]) -> Iterator[Audited]:
    """Yield releases of kind `STABILITY`: of a count far from 0, of a count of 0, and with a fault.

    The fault is a threshold that is too low, because it is computed from the noise for a larger ε.

    deltas: the δ of the threshold, if the noise has none.
    """
    for delta in deltas if point.delta is None else [point.delta]:
        with_delta = point._replace(delta=delta)
        for made_for, records in ((1.0, UNCLAMPED_COUNT), (1.0, 0), (DETECTED_MULTIPLE, 0)):
            yield Audited(STABILITY, *with_delta, made_for=made_for, records=records)


def _threshold(point: Point) -> Iterator[Audited]:
    """Yield releases with a threshold that many cells exceed, and with a threshold above n.

    Releases with a threshold above n are yielded with sufficient and with insufficient noise, but
    only if there is no δ, because noise above a threshold shows no violation if its probability is
    below δ.
    """
    release = Audited(THRESHOLD, *point, made_for=1.0, records=0, cells=SMALL_DOMAIN)
    yield release
    if point.delta is None:
        above_total = replace(release, total=TOTAL_BELOW_THRESHOLD, cells=LARGE_DOMAIN)
        yield above_total
        yield replace(above_total, made_for=DETECTED_MULTIPLE)


def _bounded(epsilon: float) -> Iterator[Audited]:
    """Yield releases by the paper's Definitions 5 and 6 of a count at its lower bound."""
    for released, kind in BOUNDED.items():
        for order, is_insufficient in product(ORDERS_BOUNDED, (False, True)):
            name = f"order-{order}-{kind.calibration}"
            point = Point(name, order, kind.calibration, epsilon, None)
            made_for = kind.detected_divisor**order if is_insufficient else 1.0
            yield Audited(released, *point, made_for=made_for, records=0, total=UPPER_BOUND)


def tabulate_audit(
    points: Iterable[Point],
    *,
    seed: int,
    threads: int = 1,
    share: float = 1.0,
    neighbours: Neighbours = "add-remove",
) -> pd.DataFrame:
    """Return the audit: a row for each mechanism, grid point, multiple of ε and guarantee.

    points: the grid points of a run, as for `audited`. seed: the seed of the random streams.
    threads: the number of threads, which does not change the results. share: the number of releases
    as a fraction of the number in a full audit. neighbours: as for `audited`.

    The columns are the fields of `Audited`, and

    - scale, bound: the scale and the bound of the noise at ε (sufficient noise), in records;
    - releases: the mean number of releases of each neighbour;
    - guarantee: the tested guarantee;
    - claimed: whether the mechanism should satisfy this guarantee;
    - epsilon_low: the lower bound of ε;
    - exact_delta: the δ of the noise from the exact sampler, for integer-valued noise only;
    - exceeds: whether epsilon_low or exact_delta exceeds the ε or δ of the grid point.

    All bounds hold together with probability 1 - `FALSE_ALARM`, by Bonferroni's correction: each
    row has an equal part of `FALSE_ALARM`, and each interval has an equal part of its row's part.
    """
    rows = audited(points, neighbours)
    error = FALSE_ALARM / sum(len(row.guarantees()) for row in rows)

    def examine(row: Audited) -> list[dict[str, object]]:
        return list(_examine(row, seed, share, error))

    with ThreadPoolExecutor(threads) as pool:
        parts = zip(log_progress(rows, "audits"), pool.map(examine, rows), strict=True)
        table = pd.DataFrame([row for _, part in parts for row in part])
    return table.astype({"cells": "Int64"})


def _examine(row: Audited, seed: int, share: float, error: float) -> Iterator[dict[str, object]]:
    """Yield the table's rows for all guarantees of an audited mechanism, from the same releases."""
    guarantees = row.guarantees()
    releases, rng = int(share * row.releases), row.stream(seed)
    tally = audit.tally(
        row.release, row.histograms, row.cuts(), releases=releases, rng=rng, statistic=row.statistic
    )
    for guarantee, claimed in guarantees.items():
        low = audit.bound(tally, guarantee, delta=row.delta, error=error)
        exact = row.exact_delta(guarantee)
        allowed = row.delta if guarantee.has_delta and row.delta is not None else 0.0
        yield {
            **asdict(row),
            "scale": row.noise.numbers.get("scale"),
            "bound": row.noise.numbers.get("bound"),
            "releases": releases,
            "guarantee": guarantee.value,
            "claimed": claimed,
            "epsilon_low": low,
            "exact_delta": exact,
            "exceeds": low > row.epsilon or (exact is not None and exact > allowed),
        }
