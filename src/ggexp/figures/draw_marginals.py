"""A figure of the marginals of synthetic records."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels
from ggexp.figures.by_method import draw_against_epsilon

MARGINALS = {"one_way": "one-way marginals (%)", "two_way": "two-way marginals (%)"}


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of errors of marginals against ε, with a line for each method.

    table: rows of the summary of synthetic records with the metrics one_way and two_way, in [0, 1].
        Each mechanism and δ has a panel.
    """
    table = table.dropna(subset="mean").copy()
    table[["mean", "sd"]] *= 100
    present = {name: label for name, label in MARGINALS.items() if name in set(table["metric"])}
    return draw_against_epsilon(
        [table[table["metric"] == name] for name in present],
        list(present.values()),
        f"{dataset}: records that must be moved, {panels.repeats(table)}",
        from_zero=True,
    )
