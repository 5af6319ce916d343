"""Figures 7, 9 and 11: how far releases are from the original counts."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels, style

ERRORS = {"l1": "l₁ distance (records)", "kl": "KL divergence (nats)"}


def draw_errors(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figures 7, 9 and 11: l1 distance and KL divergence against ε, a panel for each δ.

    table: rows of the summary with the metrics l1 and kl. Points are means over the repeats, bars
    one standard deviation.
    dataset: its name, for the heading.
    """
    table = table[table["metric"].isin(ERRORS)]
    looks = style.looks(table["mechanism"].unique())
    titles = [panels.title(delta=delta) for delta in panels.deltas_of(table)]
    with style.settings():
        rows = len(ERRORS) * panels.rows(len(titles))
        figure = Figure(figsize=(style.WIDTH, 0.8 + 1.7 * rows))
        blocks = panels.blocks(figure, list(ERRORS.values()), titles)
        for block, metric in zip(blocks, ERRORS, strict=True):
            panels.draw_against_epsilon(block, table[table["metric"] == metric], looks)
            block[0].set_ylim(bottom=0)
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], f"{dataset}: {panels.repeats(table)}")
        panels.thin_labels(figure, blocks[-1][-1])
    return figure
