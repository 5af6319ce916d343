"""Tests of claims that compare mechanisms with the smallest possible noise (Figure S2).

Each test returns the comparisons of a claim, or none if the figure is not among the results. The
parameters of a claim are the panel, the mechanisms, and ranges of ε and δ: ``epsilons`` and
``deltas`` are the smallest and the largest value, both included.
"""

from collections.abc import Sequence

import pandas as pd

from ggexp.claims.evidence import Comparison, Results, place
from ggexp.claims.registry import claim_test
from ggexp.companions import least_pdp

ROUNDING = 1e-6  # relative error of a standard deviation


@claim_test
def at_least_of_best(
    results: Results,
    *,
    panel: str,
    mechanisms: Sequence[str],
    ratio: float,
    epsilons: tuple[float, float],
    deltas: tuple[float, float],
) -> list[Comparison]:
    """Test whether mechanisms have at least ``ratio`` times the smallest possible noise."""
    return [
        Comparison(
            f"noise of {row['mechanism']} / smallest possible noise >= {ratio:g}",
            place(row["epsilon"], row["delta"]),
            row["ratio"] - ratio,
        )
        for row in _rows(results, panel, mechanisms, epsilons, deltas).to_dict("records")
    ]


@claim_test
def at_most_of_best(
    results: Results,
    *,
    panel: str,
    mechanisms: Sequence[str],
    ratio: float,
    epsilons: tuple[float, float],
    deltas: tuple[float, float],
) -> list[Comparison]:
    """Test whether mechanisms have at most ``ratio`` times the smallest possible noise."""
    return [
        Comparison(
            f"noise of {row['mechanism']} / smallest possible noise <= {ratio:g}",
            place(row["epsilon"], row["delta"]),
            ratio - row["ratio"],
        )
        for row in _rows(results, panel, mechanisms, epsilons, deltas).to_dict("records")
    ]


@claim_test
def truncated_is_least(
    results: Results, *, epsilons: tuple[float, float], deltas: tuple[float, float]
) -> list[Comparison]:
    """Test whether truncated geometric noise has the least sd of symmetric noise for pDP.

    Where the lower bound of Figure S2 does not show it, the noise is compared with the least sd of
    noise with at most two broken steps (`least_pdp.with_broken_steps`).
    """
    comparisons = []
    for row in _rows(results, "probabilistic", ["truncated-geometric"], epsilons, deltas).to_dict(
        "records"
    ):
        where, other = place(row["epsilon"], row["delta"]), row["bound"]
        if row["ratio"] > 1 + ROUNDING:
            other = least_pdp.with_broken_steps(row["epsilon"], row["delta"])
        what = "sd of truncated geometric noise / least sd found <= 1"
        ratio = row["ratio"] * row["bound"] / other
        comparisons.append(Comparison(what, where, 1 + ROUNDING - ratio))
    return comparisons


def _rows(
    results: Results,
    panel: str,
    mechanisms: Sequence[str],
    epsilons: tuple[float, float],
    deltas: tuple[float, float],
) -> pd.DataFrame:
    """Return the rows of Figure S2 that a claim is about, empty without the figure."""
    if "s2" not in results.figures:
        return pd.DataFrame()
    table = results.figures["s2"]
    selected = (table["panel"] == panel) & table["mechanism"].isin(mechanisms)
    return table[selected & table["epsilon"].between(*epsilons) & table["delta"].between(*deltas)]
