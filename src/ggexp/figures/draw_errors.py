"""Figures 7, 9 and 11: the errors of releases."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.experiment.metrics import METRICS
from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of

# divergences grow with the square of the error, so metrics with their unit have a logarithmic axis
DIVERGENCE_UNIT = "nats"
# other metrics have a logarithmic axis if their largest mean exceeds this multiple of the smallest
MAX_RATIO = 20
ROUNDING = 1e-12  # means up to this are rounding errors of 0, which has no logarithm


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 7, 9 or 11: each metric against ε, with a panel for each δ."""
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
            smallest, largest = means["mean"].min(), means["mean"].max()
            is_log = METRICS[metric].unit == DIVERGENCE_UNIT or largest > MAX_RATIO * smallest
            if is_log and smallest > ROUNDING:
                panels.scale_by_logarithm(block[0])
            else:
                block[0].set_ylim(bottom=0)
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], f"{dataset}: {panels.repeats(table)}")
        panels.thin_labels(figure, blocks[-1][-1])
    return figure
