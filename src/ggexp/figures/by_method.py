"""The shared parts of figures of synthetic records: panels by mechanism, styles by method."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.style import Look

# in the same order as in the tables
METHODS: dict[str, Look] = {
    "release": ("release, not rounded", style.BLACK, "o", "-"),
    "largest-remainder": ("largest remainder", style.BLUE, "s", "--"),
    "multinomial": ("multinomial draw", style.VERMILLION, "^", "-."),
    "counts": ("a record for each count", style.GREEN, "D", ":"),
}


def draw_against_epsilon(
    metrics: list[pd.DataFrame],
    labels: list[str],
    heading: str,
    *,
    original: float | None = None,
    majority: float | None = None,
    from_zero: bool = False,
) -> Figure:
    """Return a figure with a block of panels for each metric, and a line for each method.

    metrics: the rows of a summary, one table for each metric. original, majority: accuracies in
    percent for comparison. from_zero: whether the y axes begin at 0.
    """
    titles = list(panels_of(metrics[0]))
    with style.settings():
        height = 0.8 + 1.8 * len(metrics) * panels.rows(len(titles))
        figure = Figure(figsize=(style.WIDTH, height))
        blocks = panels.blocks(figure, labels, titles)
        for block, metric in zip(blocks, metrics, strict=True):
            for axes, rows in zip(block, panels_of(metric).values(), strict=True):
                if original is not None:
                    axes.axhline(original, color=style.GREY, linewidth=0.8, label="original counts")
                # draw a line for each method instead of each mechanism, in a panel with one δ
                lines = rows.assign(mechanism=rows["method"], delta=np.nan)
                panels.draw_against_epsilon([axes], lines, METHODS)
            if from_zero:
                block[0].set_ylim(bottom=0)
            if majority is not None:
                heading += "\n" + panels.draw_majority(block, majority)
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], heading)
        panels.thin_labels(figure, blocks[-1][-1])
    return figure


def panels_of(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each mechanism and δ, by the title of their panel."""
    looks = style.looks(table["mechanism"].unique())
    rows_by_title = {}
    for mechanism, group in table.groupby("mechanism", sort=False):
        for delta in group["delta"].unique():
            selected = group["delta"].isna() if pd.isna(delta) else group["delta"] == delta
            title = panels.title(delta=float(delta))
            label = looks[str(mechanism)][0]
            rows_by_title[f"{label}, {title}" if title else label] = group[selected]
    return rows_by_title
