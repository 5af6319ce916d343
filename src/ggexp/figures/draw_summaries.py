"""Figures of a data set's summaries: accuracy, marginals and training against ε."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of
from ggexp.figures.by_method import METHODS, panels_of

MARGINALS = {"one_way": "one-way marginals (%)", "two_way": "two-way marginals (%)"}
ACCURACY = "accuracy on test records (%)"


def accuracy(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 12: accuracy on the test records against ε, a panel for each δ.

    The row of the mechanism "original" is the accuracy of training on the original counts, drawn as
    a line; the row of "majority" is the accuracy of predicting the most frequent class.
    """
    means, *baselines = panels.split_baselines(table)
    heading = f"{dataset}: {panels.repeats(means)}"
    return draw_blocks({ACCURACY: means}, heading, baselines=baselines, baseline_colour=style.BLACK)


def marginals(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of errors of marginals against ε, with a line for each method.

    table: rows of the summary of synthetic records with the metrics one_way and two_way, in [0, 1].
        Each mechanism and δ has a panel.
    """
    table = table.dropna(subset="mean").copy()
    table[["mean", "sd"]] *= 100
    names = table["metric"].unique()
    present = {label: name for name, label in MARGINALS.items() if name in names}
    return draw_blocks(
        {label: table[table["metric"] == name] for label, name in present.items()},
        f"{dataset}: records that must be moved, {panels.repeats(table)}",
        by_method=True,
        y_axis=lambda axes, _: axes.set_ylim(bottom=0),
    )


def training(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of accuracy against ε, with a panel for each mechanism and δ.

    A line is the accuracy of training on the original counts; the heading states the accuracy of
    always predicting the most frequent class.
    """
    means, *baselines = panels.split_baselines(table)
    heading = f"{dataset}: {panels.repeats(means)}"
    return draw_blocks({ACCURACY: means}, heading, by_method=True, baselines=baselines)


def draw_blocks(
    metrics: dict[str, pd.DataFrame],
    heading: str,
    *,
    by_method: bool = False,
    baselines: Sequence[float] = (),
    baseline_colour: str = style.GREY,
    y_axis: Callable[[Axes, pd.DataFrame], object] = lambda axes, means: None,
) -> Figure:
    """Return a figure with a block of panels for each metric.

    metrics: label of the y axis -> rows of a summary. by_method: whether each mechanism and δ has a
    panel with a line for each method, instead of a panel for each δ with a line for each mechanism.
    baselines: accuracies in percent of training on the original counts, and of the majority class.
    y_axis: changes the y axis of a metric.
    """
    first = next(iter(metrics.values()))
    titles = [panels.title(delta=delta) for delta in deltas_of(first)]
    looks = METHODS if by_method else style.looks(first["mechanism"].unique())
    if by_method:
        titles = list(panels_of(first))
    with style.settings():
        rows = len(metrics) * panels.rows(len(titles))
        figure = Figure(figsize=(style.WIDTH, 0.8 + (1.8 if by_method else 1.7) * rows))
        blocks = panels.blocks(figure, list(metrics), titles)
        for block, means in zip(blocks, metrics.values(), strict=True):
            for axes in block if baselines else []:
                axes.axhline(
                    baselines[0], color=baseline_colour, linewidth=0.8, label="original counts"
                )
            if by_method:
                for axes, lines in zip(block, panels_of(means).values(), strict=True):
                    # a line for each method instead of each mechanism, in a panel with one δ
                    of_methods = lines.assign(mechanism=lines["method"], delta=np.nan)
                    panels.draw_against_epsilon([axes], of_methods, looks)
            else:
                panels.draw_against_epsilon(block, means, looks)
            y_axis(block[0], means)
            if baselines:
                heading += "\n" + panels.draw_majority(block, baselines[1])
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], heading)
        panels.thin_labels(figure, blocks[-1][-1])
    return figure
