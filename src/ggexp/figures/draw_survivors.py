"""A figure of what releases of a histogram of many cells keep of it."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of
from ggexp.figures.tabulate_survivors import REFERENCE, SHOWN

LABELS = {
    "l1": "l₁ distance (records)",
    "kept": "original cells kept",
    "accuracy": "accuracy on\ntest records (%)",
}


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of l1 distance, cells kept and accuracy against ε, a panel for each δ.

    table: the columns of `ggexp.figures.tabulate_survivors.tabulate`. Points are means
        over the repeats, bars one standard deviation, and a line is the metric's reference.
    dataset: its name, for the heading.
    """
    table = table.copy()
    table.loc[table["metric"] == "accuracy", ["mean", "sd"]] *= 100
    is_reference = table["mechanism"] == REFERENCE
    references = table[is_reference].set_index("metric")["mean"]
    means = table[~is_reference]
    metrics = [metric for metric in SHOWN if metric in set(means["metric"])]
    looks = style.looks(means["mechanism"].unique())
    deltas = deltas_of(means)
    with style.settings():
        rows = len(metrics) * panels.rows(len(deltas))
        figure = Figure(figsize=(style.WIDTH, 0.8 + 1.6 * rows))
        titles = [panels.title(delta=delta) for delta in deltas]
        blocks = panels.blocks(figure, [LABELS[metric] for metric in metrics], titles)
        for block, metric in zip(blocks, metrics, strict=True):
            of_metric = means[means["metric"] == metric]
            for axes in block:
                axes.axhline(
                    references[metric],
                    color=style.BLACK,
                    linewidth=0.8,
                    linestyle="--",
                    label="for comparison",
                )
            panels.draw_against_epsilon(block, of_metric, looks, deltas)
            if metric == "kept":  # from none to all
                block[0].set_yscale("symlog", linthresh=1)
            if metric != "accuracy":
                block[0].set_ylim(bottom=0)
            if metric == "l1":
                block[0].set_ylim(top=1.08 * references[metric])
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], f"{dataset}: mean ± sd of the repeats")
        panels.thin_labels(figure, blocks[-1][-1])
    return figure
