"""Tests of claims that compare mechanisms with the smallest possible noise (Figure S2).

The parameters of a claim are the panel, the mechanisms, and ranges of ε and δ: ``epsilons`` and
``deltas`` are the smallest and the largest value, both included.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.companions import least_pdp
from ggexp.companions.claims.rows import at_points, rows_of

ROUNDING = 1e-6  # relative error of a standard deviation


@claim_test
def ratio_to_best(
    results: Results,
    *,
    panel: str,
    mechanisms: Sequence[str],
    ratio: float,
    epsilons: tuple[float, float],
    deltas: tuple[float, float],
    at_most: bool = False,
) -> list[Comparison]:
    """Test whether mechanisms have at least ``ratio`` times the smallest possible noise.

    at_most: True to test whether they have at most this multiple.
    """
    ranges = {"epsilon": epsilons, "delta": deltas}
    rows = rows_of(results, "s2", between=ranges, panel=panel, mechanism=[*mechanisms])
    what = f"noise of {{mechanism}} / smallest possible noise {'<=' if at_most else '>='} {ratio:g}"
    sign = -1 if at_most else 1
    return at_points(rows, what, lambda row: sign * (row["ratio"] - ratio))


@claim_test
def truncated_is_least(
    results: Results, *, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Test whether truncated geometric noise has the least sd of symmetric noise for pDP.

    Where the lower bound of Figure S2 does not show it, the noise is compared with the least sd of
    noise with at most two broken steps (`least_pdp.with_broken_steps`).
    """

    def difference(row: Mapping[str, Any]) -> float:
        other = row["bound"]
        if row["ratio"] > 1 + ROUNDING:
            other = least_pdp.with_broken_steps(row["epsilon"], row["delta"])
        return float(1 + ROUNDING - row["ratio"] * row["bound"] / other)

    ranges = {"epsilon": epsilons, "delta": deltas}
    rows = rows_of(results, "s2", between=ranges, mechanism="truncated-geometric")
    return at_points(rows, "sd of truncated geometric noise / least sd found <= 1", difference)
