"""Tests of the paper's claims about bounding a release after the noise (end of section 2.6).

Each comparison is for the worst of the cases tried.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ggexp.claims.evidence import Comparison, Comparisons, Results, place
from ggexp.claims.registry import claim_test
from ggexp.mechanisms import calibration
from ggexp.mechanisms.post_hoc import clamped_pdp_delta, redrawn_pdp_delta


class _Case(NamedTuple):
    """A case that was tried. share: Pr(|loss| > ε) as a share of δ, which it must not exceed."""

    share: float
    epsilon: float
    delta: float
    where: str


@claim_test
def clamping(results: Results, *, counts: int) -> Comparisons:
    """Test whether counts with Gaussian noise, clamped at 0, satisfy (ε, δ)-pDP.

    The comparison is for the worst combination of a point (ε, δ) of the run and two neighbouring
    counts. counts: the number of counts to try, from 0 on, each against the next count. The noise
    has the paper's scale, which is conservative, or the smallest scale that satisfies (ε, δ)-pDP.
    """
    for rule in ("pdp", "pdp-exact"):
        cases = []
        for epsilon, delta in results.points:
            b = calibration.calibrate(rule, order=2, epsilon=epsilon, delta=delta).scale
            for count in range(counts):
                probability = clamped_pdp_delta(order=2, scale=b, epsilon=epsilon, count=count)
                where = f"count {count} against {count + 1}"
                cases.append(_Case(probability / delta, epsilon, delta, where))
        yield from _worst(f"{rule}: Pr(|loss| > ε) <= δ after clamping", cases)


@claim_test
def redrawing(
    results: Results,
    *,
    orders: Sequence[float],
    counts: int,
    bounds: Sequence[int],
    points: Sequence[Sequence[float]] | None = None,
) -> Comparisons:
    """Test whether (ε, δ)-pDP holds if noise is redrawn until the release lies within [0, bound].

    The noise has the paper's scale. For each order, the comparison is for the worst combination of
    a point (ε, δ), a bound and two neighbouring counts. counts: the number of counts to try, from 0
    on, each against the next count. points: the (ε, δ); None for those of the run.
    """
    for order in orders:
        cases = []
        for epsilon, delta in results.points if points is None else points:
            b = calibration.calibrate("pdp", order=order, epsilon=epsilon, delta=delta).scale
            for bound in bounds:
                for count in range(min(counts, bound)):
                    probability = redrawn_pdp_delta(
                        order=order, scale=b, epsilon=epsilon, count=count, bound=bound
                    )
                    where = f"[0, {bound}], count {count} against {count + 1}"
                    cases.append(_Case(probability / delta, epsilon, delta, where))
        yield from _worst(f"p={order:g}: Pr(|loss| > ε) <= δ after redrawing", cases)


def _worst(what: str, cases: Sequence[_Case]) -> Comparisons:
    """Yield the comparison for the case with the largest share of δ, none without cases."""
    if not cases:
        return
    # far from the bounds the shares of different counts differ only by rounding: take the first
    worst = max(cases, key=lambda case: round(case.share, 9))
    probability = f"probability {worst.share * worst.delta:.4f} ({worst.share:.3f} δ)"
    where = f"{place(worst.epsilon, worst.delta)}, {worst.where}, {probability}"
    yield Comparison(what, where, worst.delta * (1 - worst.share))
