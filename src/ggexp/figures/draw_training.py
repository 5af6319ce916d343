"""A figure of classifiers trained on synthetic records."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels
from ggexp.figures.by_method import draw_against_epsilon


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return accuracy on the test records against ε, a panel for each mechanism and δ.

    table: the columns of `ggexp.figures.tabulate_training.tabulate`. Points are means
        over the repeats, bars one standard deviation; the original's accuracy is a line, and the
        heading has that of the most frequent class.
    dataset: its name, for the heading.
    """
    means, original, majority = panels.baselines(table)
    return draw_against_epsilon(
        [means],
        ["accuracy on test records (%)"],
        f"{dataset}: {panels.repeats(means)}",
        original=original,
        majority=majority,
    )
