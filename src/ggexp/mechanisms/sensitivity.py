"""Global sensitivity: how much one record can change the statistics (paper, section 2.2)."""

from collections.abc import Iterable, Mapping
from typing import Literal

from ggexp import checks
from ggexp.ranges import Order, Sensitivity

#: Neighbours that differ by one added or removed record (unbounded DP), or by one replaced record
#: (bounded DP).
Neighbours = Literal["add-remove", "replace-one"]
#: The number of cells of a histogram that differ between neighbours, each by 1.
CHANGED_CELLS: Mapping[Neighbours, int] = {"add-remove": 1, "replace-one": 2}


def histogram(order: Order, neighbours: Neighbours = "add-remove") -> float:
    """Return the l_p sensitivity Δ_p of a histogram's counts, in records.

    neighbours: "add-remove", as in the paper's experiments: one record is added or removed, so that
        one cell changes by 1, and Δ_p = 1. "replace-one": one record is replaced, so that two cells
        change by 1, and Δ_p = 2^(1/p).
    Source: the paper, section 2.2.

    >>> from ggexp import sensitivity
    >>> sensitivity.histogram(2), round(sensitivity.histogram(2, "replace-one"), 4)
    (1.0, 1.4142)
    """
    if neighbours not in CHANGED_CELLS:
        raise ValueError(f"neighbours must be 'add-remove' or 'replace-one', got {neighbours!r}")
    return of_coordinates(order, [1.0] * CHANGED_CELLS[neighbours])


def of_coordinates(order: Order, sensitivities: Iterable[Sensitivity]) -> float:
    """Return the upper bound (Σ_k Δ_{1,k}^p)^(1/p) on Δ_p, from the Δ_{1,k} of each statistic.

    Source: the paper, Lemma 2.

    >>> from ggexp import sensitivity
    >>> sensitivity.of_coordinates(2, [3, 4])
    5.0
    """
    checks.at_least_one("order", order)
    steps = [checks.positive("sensitivities", value) for value in sensitivities]
    if not steps:
        raise ValueError("sensitivities must contain at least one number, got none")
    largest = max(steps)  # powers of ratios to the largest step do not overflow
    return float(largest * sum((step / largest) ** order for step in steps) ** (1 / order))


def of_bounds(order: Order, bounds: Iterable[tuple[float, float]]) -> float:
    """Return an upper bound on Δ_p for statistics within bounds.

    bounds: (c_k0, c_k1) of each statistic; Δ_{1,k} <= c_k1 - c_k0.
    Source: the paper, Claim 3.

    >>> from ggexp import sensitivity
    >>> sensitivity.of_bounds(2, [(0, 3), (1, 5)])
    5.0
    """
    return of_coordinates(order, [checks.width(low, high) for low, high in bounds])
