"""Tests of claims about the noise of mechanisms relative to the smallest possible (Figure S2).

Each returns the comparisons of a claim: none if the figure is not among the results. A claim has
the panel, the mechanisms, and a range of epsilons and deltas: the smallest and the largest, both
included.
"""

from collections.abc import Sequence

import pandas as pd

from ggexp.claims.evidence import Comparison, Results, place
from ggexp.claims.registry import claim_test


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
    """Return whether mechanisms have at least ``ratio`` times the smallest possible noise."""
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
    """Return whether mechanisms have at most ``ratio`` times the smallest possible noise."""
    return [
        Comparison(
            f"noise of {row['mechanism']} / smallest possible noise <= {ratio:g}",
            place(row["epsilon"], row["delta"]),
            ratio - row["ratio"],
        )
        for row in _rows(results, panel, mechanisms, epsilons, deltas).to_dict("records")
    ]


def _rows(
    results: Results,
    panel: str,
    mechanisms: Sequence[str],
    epsilons: tuple[float, float],
    deltas: tuple[float, float],
) -> pd.DataFrame:
    """Return the rows of Figure S2 that a claim is about, none without the figure."""
    if "s2" not in results.figures:
        return pd.DataFrame()
    table = results.figures["s2"]
    here = (table["panel"] == panel) & table["mechanism"].isin(mechanisms)
    return table[here & table["epsilon"].between(*epsilons) & table["delta"].between(*deltas)]
