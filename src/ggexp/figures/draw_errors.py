"""Figures 7, 9 and 11: how far releases are from the original counts."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import style
from ggexp.figures.panels import draw_against_epsilon, label_columns, legend

ERRORS = {"l1": "l₁ distance (records)", "kl": "KL divergence (nats)"}


def draw_errors(table: pd.DataFrame) -> Figure:
    """Return Figures 7, 9 and 11: l1 distance and KL divergence against ε, a panel for each δ.

    table: rows of the summary with the metrics l1 and kl. Points are means over the repeats, bars
    one standard deviation.
    """
    table = table[table["metric"].isin(ERRORS)]
    looks = style.looks(table["mechanism"].unique())
    deltas = table["delta"].dropna().unique()
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 4.2))
        axes = figure.subplots(
            len(ERRORS), max(1, len(deltas)), sharex=True, sharey="row", squeeze=False
        )
        for row, (metric, label) in zip(axes, ERRORS.items(), strict=True):
            draw_against_epsilon(row, table[table["metric"] == metric], looks)
            row[0].set_ylabel(label)
            row[0].set_ylim(bottom=0)
        label_columns(axes[0], deltas)
        figure.supxlabel("privacy budget ε", fontsize=8)
        legend(figure, axes[0, 0])
    return figure
