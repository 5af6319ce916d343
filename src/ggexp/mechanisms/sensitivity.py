"""Global sensitivity: how much one record can change the statistics (paper, section 2.2)."""

from collections.abc import Iterable, Mapping
from typing import Literal

from ggexp import checks

Neighbours = Literal["add-remove", "replace-one"]


#: The number of cells of a histogram that differ between neighbours, each by 1.
CHANGED_CELLS: Mapping[Neighbours, int] = {"add-remove": 1, "replace-one": 2}


def histogram(order: float | None, neighbours: Neighbours = "add-remove") -> float:
    """Return the l_p sensitivity Δ_p of a histogram's counts.

    Parameters
    ----------
    order : float or None
        p >= 1, or None for noise without an order, with "add-remove" only.
    neighbours : "add-remove" or "replace-one", optional
        "add-remove", as in the paper's experiments: one record is added or removed, so that one
        cell changes by 1. "replace-one": one record is replaced, so that two cells change by 1.

    Returns
    -------
    float
        Δ_p in records: 1 for "add-remove" at every p, 2^(1/p) for "replace-one".

    Raises
    ------
    ValueError
        If the order is below 1 or the neighbour relation is unknown.

    References
    ----------
    F. Liu, "Generalized Gaussian Mechanism for Differential Privacy", IEEE TKDE 31(4), 2019,
    section 2.2.

    Examples
    --------
    >>> from ggexp import sensitivity
    >>> sensitivity.histogram(2), round(sensitivity.histogram(2, "replace-one"), 4)
    (1.0, 1.4142)
    """
    if neighbours == "add-remove":
        if order is not None:
            checks.at_least_one("order", order)
        return 1.0
    if neighbours == "replace-one":
        return float(2.0 ** (1 / checks.at_least_one("order", order)))
    raise ValueError(f"neighbours must be 'add-remove' or 'replace-one', got {neighbours!r}")


def of_coordinates(order: float, sensitivities: Iterable[float]) -> float:
    """Return the upper bound (Σ_k Δ_{1,k}^p)^(1/p) on Δ_p.

    The bound is far from tight if one record cannot change all statistics; see `histogram`.

    Parameters
    ----------
    order : float
        p >= 1.
    sensitivities : iterable of float
        Δ_{1,k} > 0 of each statistic, in its units.

    Returns
    -------
    float
        An upper bound on Δ_p.

    Raises
    ------
    ValueError
        If an argument is outside its range, or if there are no sensitivities.

    References
    ----------
    F. Liu, "Generalized Gaussian Mechanism for Differential Privacy", IEEE TKDE 31(4), 2019, Lemma
    2.

    Examples
    --------
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


def of_bounds(order: float, bounds: Iterable[tuple[float, float]]) -> float:
    """Return an upper bound on Δ_p for statistics within bounds.

    Parameters
    ----------
    order : float
        p >= 1.
    bounds : iterable of (float, float)
        (c_k0, c_k1) of each statistic; Δ_{1,k} <= c_k1 - c_k0.

    Returns
    -------
    float
        An upper bound on Δ_p.

    Raises
    ------
    ValueError
        If an argument is outside its range, or if there are no bounds.

    References
    ----------
    F. Liu, "Generalized Gaussian Mechanism for Differential Privacy", IEEE TKDE 31(4), 2019, Claim
    3.

    Examples
    --------
    >>> from ggexp import sensitivity
    >>> sensitivity.of_bounds(2, [(0, 3), (1, 5)])
    5.0
    """
    return of_coordinates(order, [checks.width(low, high) for low, high in bounds])
