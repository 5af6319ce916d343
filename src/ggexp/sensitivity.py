"""Global sensitivity: how far one person's record can move the statistics (paper, section 2.2)."""

from typing import Literal

from ggexp import checks

Neighbours = Literal["add-remove", "replace-one"]


def histogram(order: float, neighbours: Neighbours = "add-remove") -> float:
    """Return the l_p sensitivity Δ_p of a histogram's counts, in records.

    order: p >= 1.
    neighbours: "add-remove" (one record more or less: one cell moves by 1, Δ_p = 1 for every p),
        as in the paper's experiments, or "replace-one" (two cells move by 1: Δ_p = 2^(1/p)).
    Raises ValueError for an order below 1 or another neighbour relation. Source: paper, section
    2.2, after Lemma 2.
    """
    checks.at_least_one("order", order)
    if neighbours == "add-remove":
        return 1.0
    if neighbours == "replace-one":
        return 2.0 ** (1 / order)
    raise ValueError(f"neighbours must be 'add-remove' or 'replace-one', got {neighbours!r}")
