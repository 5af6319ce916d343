"""The common part of figures of synthetic records: panels by mechanism, styles by method."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.style import Look

# in the order of the tables
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
    """Return a figure with a block of panels for each metric, a line for each method.

    metrics: rows of a summary. original, majority: accuracies to compare with.
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
                # a method in the place of a mechanism, in a panel of one δ
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
    """Return the rows of each mechanism and δ, by what their panel is called."""
    looks = style.looks(table["mechanism"].unique())
    named = {}
    for mechanism, of_one in table.groupby("mechanism", sort=False):
        for delta in of_one["delta"].unique():
            of_delta = of_one["delta"].isna() if pd.isna(delta) else of_one["delta"] == delta
            title = panels.title(delta=float(delta))
            label = looks[str(mechanism)][0]
            named[f"{label}, {title}" if title else label] = of_one[of_delta]
    return named
