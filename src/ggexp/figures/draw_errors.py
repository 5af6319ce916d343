"""Figures of the errors of releases against ε."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.experiment.metrics import METRICS
from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of, rows_at
from ggexp.figures.tabulate_summaries import RATIO
from ggexp.words import mechanisms_in_words

# divergences grow with the square of the error, so metrics with their unit have a logarithmic axis
DIVERGENCE_UNIT = "nats"
# other metrics have a logarithmic axis if their largest mean exceeds this multiple of the smallest
MAX_RATIO = 20
ROUNDING = 1e-12  # means up to this are rounding errors of 0, which has no logarithm
SAME = 0.01  # lines coincide if all of their means differ by less than this share


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 7, 9 or 11: each metric against ε, with a panel for each δ, and ratios.

    Coinciding lines are one line with all names.
    """
    names = [*table["mechanism"].unique()]
    looks = style.looks(names)
    reference = table["reference"].dropna().iloc[0]
    for name, *others in _coinciding(table, [reference, *names]):
        looks[name] = (", ".join(looks[same][0] for same in (name, *others)), *looks[name][1:])
        table = table[~table["mechanism"].isin(others)]
    by_metric = {name: table[table["metric"] == name] for name in table["metric"].unique()}
    metrics = {METRICS[name].axis: rows for name, rows in by_metric.items() if name != RATIO}
    label = f"{METRICS[next(iter(by_metric))].label}\nrelative to {mechanisms_in_words(reference)}"
    metrics[label] = by_metric[RATIO]
    return panels.draw_blocks(
        metrics,
        f"{dataset}: {panels.repeats(table)}",
        looks=looks,
        strongest=reference,
        finish=_set_y_axis,
    )


def _coinciding(table: pd.DataFrame, names: Sequence[str]) -> list[list[str]]:
    """Return groups of mechanisms whose means differ by at most `SAME` in every panel."""
    panels = [rows_at(table, delta).assign(delta=str(delta)) for delta in deltas_of(table)]
    means = pd.concat(panels).pivot_table(
        index=["metric", "epsilon", "delta"], columns="mechanism", values="mean"
    )
    groups: list[list[str]] = []
    for name in dict.fromkeys(names):
        for group in groups:
            if np.isclose(means[name], means[group[0]], rtol=SAME, atol=ROUNDING).all():
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _set_y_axis(block: Sequence[Axes], rows: pd.DataFrame) -> None:
    """Let the y axis of a metric begin at 0, or make it logarithmic."""
    metric = rows["metric"].iloc[0]
    smallest, largest = rows["mean"].min(), rows["mean"].max()
    is_divergence = metric != RATIO and METRICS[metric].unit == DIVERGENCE_UNIT
    if (is_divergence or largest > MAX_RATIO * smallest) and smallest > ROUNDING:
        panels.scale_by_logarithm(block[0])
    elif metric != RATIO:
        block[0].set_ylim(bottom=0)
