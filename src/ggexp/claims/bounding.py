"""Tests of the paper's claims about bounding a release after the noise (end of section 2.6).

Each returns the comparisons of a claim, each for the worst of the cases tried.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ggexp.claims.evidence import Comparison, Results, place
from ggexp.claims.registry import claim_test
from ggexp.mechanisms import calibration
from ggexp.mechanisms.post_hoc import clamped_pdp_delta, redrawn_pdp_delta


class _Tried(NamedTuple):
    """Pr(|loss| > ε), relative to the δ that it must not exceed, at one case."""

    share: float
    epsilon: float
    delta: float
    where: str


@claim_test
def clamping(results: Results, *, counts: int) -> list[Comparison]:
    """Return whether Gaussian noise clamped at 0 satisfies (ε, δ)-pDP, at the run's worst point.

    counts: the number of counts from 0 that are tried, each against the next. The noise has the
    paper's scale, which is conservative, or the smallest scale of (ε, δ)-pDP.
    """
    comparisons = []
    for rule in ("pdp", "pdp-exact"):
        tried = []
        for epsilon, delta in _points(results):
            b = calibration.scale(rule, order=2, epsilon=epsilon, delta=delta)
            for count in range(counts):
                found = clamped_pdp_delta(order=2, scale=b, epsilon=epsilon, count=count)
                where = f"count {count} against {count + 1}"
                tried.append(_Tried(found / delta, epsilon, delta, where))
        comparisons += _worst(f"{rule}: Pr(|loss| > ε) <= δ after clamping", tried)
    return comparisons


@claim_test
def redrawing(
    results: Results,
    *,
    orders: Sequence[float],
    counts: int,
    bounds: Sequence[int],
    points: Sequence[Sequence[float]] | None = None,
) -> list[Comparison]:
    """Return whether noise redrawn until within [0, bound] satisfies (ε, δ)-pDP, for each order.

    With the paper's scale, at the worst of the points (ε, δ) (by default those of the run), of the
    bounds, and of the counts from 0, each against the next.
    """
    comparisons = []
    for order in orders:
        tried = []
        for epsilon, delta in _points(results) if points is None else points:
            b = calibration.scale("pdp", order=order, epsilon=epsilon, delta=delta)
            for bound in bounds:
                for count in range(min(counts, bound)):
                    found = redrawn_pdp_delta(
                        order=order, scale=b, epsilon=epsilon, count=count, bound=bound
                    )
                    where = f"[0, {bound}], count {count} against {count + 1}"
                    tried.append(_Tried(found / delta, epsilon, delta, where))
        comparisons += _worst(f"p={order:g}: Pr(|loss| > ε) <= δ after redrawing", tried)
    return comparisons


def _points(results: Results) -> Iterable[tuple[float, float]]:
    """Return the (ε, δ) of the run."""
    points = results.scales[["epsilon", "delta"]].dropna().drop_duplicates()
    return list(points.itertuples(index=False, name=None))


def _worst(what: str, tried: Sequence[_Tried]) -> list[Comparison]:
    """Return the comparison of the largest share of δ, none if nothing was tried."""
    if not tried:
        return []
    # far from the bounds counts differ in the last bits only: the first of them is named
    worst = max(tried, key=lambda one: round(one.share, 9))
    found = f"probability {worst.share * worst.delta:.4f} ({worst.share:.3f} δ),"
    where = f"{place(worst.epsilon, worst.delta)}, {worst.where}, {found}"
    return [Comparison(what, where, worst.delta * (1 - worst.share))]
