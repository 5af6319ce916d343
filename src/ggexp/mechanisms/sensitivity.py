"""Global sensitivity: how far one person's record can move the statistics (paper, section 2.2)."""

from collections.abc import Iterable
from math import expm1, log1p
from typing import Literal, NamedTuple

from ggexp import checks

Neighbours = Literal["add-remove", "replace-one"]


class OneCell(NamedTuple):
    """What noise on one cell must satisfy if it moves by the sensitivity: (ε, δ)."""

    epsilon: float
    delta: float | None
    sensitivity: float


def of_one_cell(
    order: float | None,
    neighbours: Neighbours,
    *,
    has_norm: bool,
    epsilon: float,
    delta: float | None,
) -> OneCell:
    """Return what noise on each cell must satisfy if the histogram is to satisfy (ε, δ).

    order: of the noise, None if it has none. has_norm: of `ggexp.mechanisms.noise.Noise`.

    If one record is replaced, two cells move by 1. Noise with a norm has the l_p sensitivity of
    both. Of other noise both cells satisfy (ε/2, 1 - √(1-δ)), since the composition of two
    independent releases of (ε', δ') satisfies (2ε', 1 - (1-δ')²), under approximate DP (Kairouz,
    Oh and Viswanath 2015) and under probabilistic DP.
    """
    if has_norm or neighbours != "replace-one":
        return OneCell(epsilon, delta, histogram(order, neighbours))
    return OneCell(epsilon / 2, None if delta is None else -expm1(log1p(-delta) / 2), 1.0)


def histogram(order: float | None, neighbours: Neighbours = "add-remove") -> float:
    """Return the l_p sensitivity Δ_p of a histogram's counts, in records.

    order: p >= 1; None for noise without an order, of which "replace-one" has no sensitivity.
    neighbours: "add-remove" (one record more or less: one cell moves by 1, Δ_p = 1 for every p),
        as in the paper's experiments, or "replace-one" (two cells move by 1: Δ_p = 2^(1/p)).
    Raises ValueError for an order below 1 or another neighbour relation. Source: paper, section
    2.2, after Lemma 2.
    """
    if neighbours == "add-remove":
        if order is not None:
            checks.at_least_one("order", order)
        return 1.0
    if neighbours == "replace-one":
        return float(2.0 ** (1 / checks.at_least_one("order", order)))
    raise ValueError(f"neighbours must be 'add-remove' or 'replace-one', got {neighbours!r}")


def of_coordinates(order: float, sensitivities: Iterable[float]) -> float:
    """Return an upper bound of Δ_p, (Σ_k Δ_{1,k}^p)^(1/p) (paper, Lemma 2).

    order: p >= 1. sensitivities: Δ_{1,k} > 0 of each statistic, in its units.
    It is far from tight where one record cannot move all of them: see `histogram`.
    """
    checks.at_least_one("order", order)
    steps = [checks.positive("sensitivities", value) for value in sensitivities]
    if not steps:
        raise ValueError("sensitivities must hold at least one number, got none")
    largest = max(steps)  # relative to it, no power overflows
    return float(largest * sum((step / largest) ** order for step in steps) ** (1 / order))


def of_bounds(order: float, bounds: Iterable[tuple[float, float]]) -> float:
    """Return an upper bound of Δ_p for statistics that lie within bounds (paper, Claim 3).

    order: p >= 1. bounds: (c_k0, c_k1) of each statistic; Δ_{1,k} <= c_k1 - c_k0.
    """
    return of_coordinates(order, [checks.width(low, high) for low, high in bounds])
