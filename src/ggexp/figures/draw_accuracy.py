"""Figure 12: how well what was trained on releases predicts."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import style
from ggexp.figures.panels import draw_against_epsilon, label_columns, legend


def draw_accuracy(table: pd.DataFrame) -> Figure:
    """Return Figure 12: accuracy on the test records against ε, a panel for each δ.

    table: mechanism, epsilon, delta, mean, sd of the accuracy (in [0, 1]), and a row with the
        mechanism "original" for what training on the original counts gives, drawn as a line. Points
        are means over the repeats, bars one standard deviation.
    """
    is_original = table["mechanism"] == "original"
    means = table[~is_original].copy()
    means[["mean", "sd"]] *= 100
    original = 100 * table.loc[is_original, "mean"].item()
    looks = style.looks(means["mechanism"].unique())
    deltas = means["delta"].dropna().unique()
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 2.5))
        row = figure.subplots(1, max(1, len(deltas)), sharex=True, sharey=True, squeeze=False)[0]
        for axes in row:
            axes.axhline(original, color=style.BLACK, linewidth=0.8, label="original counts")
        draw_against_epsilon(row, means, looks)
        row[0].set_ylabel("accuracy on test records (%)")
        label_columns(row, deltas)
        figure.supxlabel("privacy budget ε", fontsize=8)
        legend(figure, row[0])
    return figure
