"""A figure of machines trained on synthetic records."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels
from ggexp.figures.by_method import draw_against_epsilon


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return accuracy on the test records against ε, a panel for each mechanism and δ.

    table: the columns of `ggexp.figures.tabulate_training.tabulate`. Points are means
        over the repeats, bars one standard deviation; the original's accuracy is a line.
    dataset: its name, for the heading.
    """
    is_original = table["mechanism"] == "original"
    means = table[~is_original].copy()
    means[["mean", "sd"]] *= 100
    return draw_against_epsilon(
        [means],
        ["accuracy on test records (%)"],
        f"{dataset}: {panels.repeats(means)}",
        line=100 * table.loc[is_original, "mean"].item(),
    )
