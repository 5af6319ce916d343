"""Figures of the errors of releases against ε."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.experiment.metrics import METRICS
from ggexp.figures import panels
from ggexp.figures.draw_summaries import draw_blocks

# divergences grow with the square of the error, so metrics with their unit have a logarithmic axis
DIVERGENCE_UNIT = "nats"
# other metrics have a logarithmic axis if their largest mean exceeds this multiple of the smallest
MAX_RATIO = 20
ROUNDING = 1e-12  # means up to this are rounding errors of 0, which has no logarithm


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 7, 9 or 11: each metric against ε, with a panel for each δ."""
    metrics = {
        METRICS[name].axis: table[table["metric"] == name] for name in table["metric"].unique()
    }
    return draw_blocks(metrics, f"{dataset}: {panels.repeats(table)}", y_axis=_set_y_axis)


def _set_y_axis(axes: Axes, means: pd.DataFrame) -> None:
    """Let the y axis of a metric begin at 0, or make it logarithmic."""
    smallest, largest = means["mean"].min(), means["mean"].max()
    is_divergence = METRICS[means["metric"].iloc[0]].unit == DIVERGENCE_UNIT
    if (is_divergence or largest > MAX_RATIO * smallest) and smallest > ROUNDING:
        panels.scale_by_logarithm(axes)
    else:
        axes.set_ylim(bottom=0)
