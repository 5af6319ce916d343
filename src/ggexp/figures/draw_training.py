"""A figure of classifiers trained on synthetic records."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels
from ggexp.figures.by_method import draw_against_epsilon


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of accuracy against ε, with a panel for each mechanism and δ.

    A line is the accuracy of training on the original counts; the heading states the accuracy of
    always predicting the most frequent class.
    """
    means, original, majority = panels.split_baselines(table)
    return draw_against_epsilon(
        [means],
        ["accuracy on test records (%)"],
        f"{dataset}: {panels.repeats(means)}",
        original=original,
        majority=majority,
    )
