"""Figures 7, 9 and 11: the errors of releases."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.experiment.metrics import METRICS
from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of

DIVERGENCE = "nats"  # unit of metrics that grow with the square of the error: on a logarithmic axis
WIDE = 20  # how many times the least mean the largest is, from which on others are on one too
ROUNDING = 1e-12  # a mean up to this is 0, which has no logarithm


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figures 7, 9 and 11: each metric against ε, a panel for each δ.

    table: rows of the summary. Points are means over the repeats, bars one standard deviation.
    dataset: its name, for the heading.
    """
    metrics = list(table["metric"].unique())
    looks = style.looks(table["mechanism"].unique())
    titles = [panels.title(delta=delta) for delta in deltas_of(table)]
    with style.settings():
        rows = len(metrics) * panels.rows(len(titles))
        figure = Figure(figsize=(style.WIDTH, 0.8 + 1.7 * rows))
        blocks = panels.blocks(figure, [METRICS[metric].axis for metric in metrics], titles)
        for block, metric in zip(blocks, metrics, strict=True):
            means = table[table["metric"] == metric]
            panels.draw_against_epsilon(block, means, looks)
            least, largest = means["mean"].min(), means["mean"].max()
            is_wide = METRICS[metric].unit == DIVERGENCE or largest > WIDE * least
            if is_wide and least > ROUNDING:
                panels.scale_by_logarithm(block[0])
            else:
                block[0].set_ylim(bottom=0)
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], f"{dataset}: {panels.repeats(table)}")
        panels.thin_labels(figure, blocks[-1][-1])
    return figure
