"""The audit of a run's mechanisms, of every calibration rule, and of insufficient noise.

It has one row for each bound. docs/audit.md lists what it does not cover.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import product
from typing import Any, NamedTuple

import pandas as pd

from ggexp.experiment.audited import BOUNDED, EVERY_CELL, Audited
from ggexp.guarantees import audit
from ggexp.mechanisms.calibration import BEST, RULES, Rule
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.progress import log_progress
from ggexp.releases.kinds import STABILITY, THRESHOLD
from ggexp.releases.unlisted import Unlisted

FALSE_ALARM = 0.001  # that one of the table's bounds is wrong, at most
UNCLAMPED_COUNT = 100  # records in a cell, so many that its count is never clamped
SMALL_DOMAIN = 500  # of a domain in which noise exceeds the threshold in 2 of 5
LARGE_DOMAIN = 5_000  # and of one where it does in 4 %
MIN_TOTAL = 1  # n there, which the threshold exceeds
HIGHEST = 4  # of a count that is released within bounds
CAUGHT = 1.25  # mechanisms must be caught whose noise is made for this multiple of ε

ORDERS_BOUNDED = (1, 2, 3)


class Point(NamedTuple):
    """A mechanism at an ε and a δ, None if its guarantee has none."""

    mechanism: str
    order: float | None
    calibration: str
    epsilon: float
    delta: float | None


def audited(points: Iterable[Mapping[str, Any]]) -> list[Audited]:
    """Return all that is audited: a run's releases, other noise at the same ε and δ, and less.

    points: each with mechanism, order, calibration, epsilon and delta (None without one).
    """
    points = list(points)
    run = list(dict.fromkeys(_run(points)))
    epsilons = list(dict.fromkeys(point["epsilon"] for point in points))
    budgets = list(dict.fromkeys((point["epsilon"], point["delta"]) for point in points))
    with_delta = [(epsilon, delta) for epsilon, delta in budgets if delta is not None]
    others = list(_others({point[1:] for point in run}, epsilons, with_delta))
    deltas = list(dict.fromkeys(delta for _, delta in with_delta))
    sparse = [point for point in run if not RULES[point.calibration].family.lacks(*Unlisted.needs)]
    pure = [
        point
        for point in others
        if point.delta is None and not RULES[point.calibration].family.lacks(*Unlisted.needs)
    ]
    return [
        *(release for point in run + others for release in _every_cell(point)),
        *(release for point in sparse for release in _stability(point, deltas)),
        *(release for point in sparse + pure for release in _threshold(point)),
        *(release for epsilon in epsilons for release in _bounded(epsilon)),
    ]


def _run(points: Iterable[Mapping[str, Any]]) -> Iterator[Point]:
    """Yield the mechanisms of a run, without a δ of stability that the noise does not have."""
    for point in points:
        delta = point["delta"] if RULES[point["calibration"]].uses_delta else None
        yield Point(**{name: point[name] for name in Point._fields[:-1]}, delta=delta)


def _others(
    known: Container[tuple[Any, ...]],
    epsilons: Iterable[float],
    budgets: Iterable[tuple[float, float]],
) -> Iterator[Point]:
    """Yield each calibration rule at every ε, or ε and δ, except for the known ones.

    known: order, rule, ε and δ of each.
    """
    for rule in RULES.values():
        for order in _orders(rule):
            for epsilon, delta in budgets if rule.uses_delta else product(epsilons, [None]):
                if delta is not None and delta > rule.largest_delta:
                    continue
                number = Mechanism(order, rule.name).order_at(epsilon, delta)
                at = (number, rule.name, epsilon, delta)
                if at not in known:
                    yield Point(_name(order, rule), *at)


def _orders(rule: Rule) -> tuple[float | str | None, ...]:
    """Return the orders with which a rule is audited."""
    if rule.order != "any":
        return (rule.order,)
    return (1, 2, 3, BEST) if rule.has_best else (2, 3)  # of order 1 others are "pure"


def _name(order: float | str | None, rule: Rule) -> str:
    return rule.name if order is None else f"order-{order}-{rule.name}"


def _every_cell(point: Point) -> Iterator[Audited]:
    """Yield a count far from 0 and a count of 0, and insufficient noise."""
    whole = Audited(EVERY_CELL, *point, made_for=1.0, records=UNCLAMPED_COUNT)
    yield whole
    yield replace(whole, records=0)
    less = replace(whole, made_for=CAUGHT)
    is_known = RULES[point.calibration].is_tight or less.noise.is_whole
    if is_known and not any(less.guarantees().values()):
        yield less


def _stability(point: Point, deltas: Iterable[float]) -> Iterator[Audited]:
    """Yield the same for releases by stability, with a threshold for less noise.

    deltas: of the threshold, if the noise has none.
    """
    for delta in deltas if point.delta is None else [point.delta]:
        at = point._replace(delta=delta)
        for made_for, records in ((1.0, UNCLAMPED_COUNT), (1.0, 0), (CAUGHT, 0)):
            yield Audited(STABILITY, *at, made_for=made_for, records=records)


def _threshold(point: Point) -> Iterator[Audited]:
    """Yield releases with a threshold that many cells reach, and with one that is above n.

    Noise above the latter shows nothing if its probability is below δ.
    """
    whole = Audited(THRESHOLD, *point, made_for=1.0, records=0, cells=SMALL_DOMAIN)
    yield whole
    if point.delta is None:
        beyond = replace(whole, total=MIN_TOTAL, cells=LARGE_DOMAIN)
        yield beyond
        yield replace(beyond, made_for=CAUGHT)


def _bounded(epsilon: float) -> Iterator[Audited]:
    """Yield the mechanisms of the paper's Definitions 5 and 6 on a count at its lower bound."""
    for released, kind in BOUNDED.items():
        for order, is_less in product(ORDERS_BOUNDED, (False, True)):
            name = f"order-{order}-{kind.calibration}"
            at = Point(name, order, kind.calibration, epsilon, None)
            made_for = kind.caught**order if is_less else 1.0
            yield Audited(released, *at, made_for=made_for, records=0, total=HIGHEST)


def tabulate_audit(
    points: Iterable[Mapping[str, Any]], *, seed: int, threads: int = 1, share: float = 1.0
) -> pd.DataFrame:
    """Return the audit: a row for each mechanism, grid point, multiple of ε and guarantee.

    points: a run's; see `audited`. seed: of the streams. threads: do not change the results.
    share: of the releases of a full audit.
    The columns are those of `Audited`, scale and bound (of the noise that the mechanism adds, in
    records), releases (of each neighbour, on average), guarantee, claimed (whether the mechanism
    should satisfy that guarantee), epsilon_low (the lower bound of ε), exact_delta (the δ of the
    noise that the exact sampler draws, for whole-number noise only) and exceeds (whether the ε or δ
    of the grid point is below one of these two). All bounds hold together with a probability of 1 -
    `FALSE_ALARM`, by Bonferroni's correction: each row has an equal part of it, and each interval
    an equal part of its row.
    """
    rows = audited(points)
    error = FALSE_ALARM / sum(len(row.guarantees()) for row in rows)

    def examine(row: Audited) -> list[dict[str, Any]]:
        return list(_examine(row, seed, share, error))

    with ThreadPoolExecutor(threads) as pool:
        parts = zip(log_progress(rows, "audits"), pool.map(examine, rows), strict=True)
        table = pd.DataFrame([row for _, part in parts for row in part])
    return table.astype({"cells": "Int64"})


def _examine(one: Audited, seed: int, share: float, error: float) -> Iterator[dict[str, Any]]:
    """Yield the rows of one that is audited, all from the same releases."""
    guarantees = one.guarantees()
    releases, rng = int(share * one.releases), one.stream(seed)
    found = audit.tally(one.release, one.counts, one.cuts(), releases=releases, rng=rng)
    for guarantee, claimed in guarantees.items():
        low = audit.bound(found, guarantee, delta=one.delta, error=error)
        exact = one.exact_delta(guarantee)
        allowed = one.delta if guarantee.has_delta and one.delta is not None else 0.0
        yield {
            **asdict(one),
            "scale": one.noise.numbers.get("scale"),
            "bound": one.noise.numbers.get("bound"),
            "releases": releases,
            "guarantee": guarantee.value,
            "claimed": claimed,
            "epsilon_low": low,
            "exact_delta": exact,
            "exceeds": low > one.epsilon or (exact is not None and exact > allowed),
        }
