"""A figure that ranks mechanisms: the excess of each one's error over the smallest."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from ggexp.experiment.metrics import METRICS
from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of, rows_at
from ggexp.figures.tabulate_ranks import MISCLASSIFICATION

LABELS = {name: metric.label for name, metric in METRICS.items()}
LABELS[MISCLASSIFICATION] = "misclassified"
ALIKE = 3  # standard errors within which an error is as small as the smallest
FULL = 100  # percent above the smallest, from which on all have the darkest colour
ROOM = 4  # ε of a panel whose cells have room for numbers
ROW = 0.17  # inches


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure with a row for each mechanism, a column for each ε, and a panel for each δ.

    table: the columns of `ggexp.figures.tabulate_ranks.tabulate`. The darker a cell, the
        larger the error above the smallest, which is written in it, in percent and bold where it
        is as small as the smallest within `ALIKE` standard errors.
    dataset: its name, for the heading.
    """
    errors = list(table["error"].unique())
    mechanisms = list(table["mechanism"].unique())
    looks = style.looks(mechanisms)
    deltas = deltas_of(table)
    with style.settings():
        rows = len(errors) * panels.rows(len(deltas))
        height = 0.9 + rows * (0.3 + ROW * len(mechanisms))
        figure = Figure(figsize=(style.WIDTH, max(height, 2)))
        labels = [LABELS[error] for error in errors]
        blocks = panels.blocks(figure, labels, [panels.title(delta=delta) for delta in deltas])
        for block, error in zip(blocks, errors, strict=True):
            of_error = table[table["error"] == error]
            for axes, delta in zip(block, deltas, strict=True):
                image = _draw_cells(axes, rows_at(of_error, delta), mechanisms)
            block[0].set_yticks(range(len(mechanisms)), [looks[name][0] for name in mechanisms])
        figure.supxlabel("privacy budget ε", fontsize=8)
        figure.suptitle(f"{dataset}: mean error above that of the best mechanism", fontsize=8)
        figure.colorbar(
            image,
            ax=figure.axes,
            extend="max",
            label="above the smallest (%)",
            ticks=[0, 5, 20, 50, 100],
            aspect=40,
            pad=0.01,
        )
        panels.thin_labels(figure, blocks[-1][-1])
    return figure


def _draw_cells(axes: Axes, panel: pd.DataFrame, mechanisms: list[str]) -> AxesImage:
    """Draw a panel's errors as coloured cells, with numbers in them if there is room."""
    columns = {epsilon: place for place, epsilon in enumerate(sorted(panel["epsilon"].unique()))}
    cells = np.full((len(mechanisms), len(columns)), np.nan)
    for row in panel.to_dict("records"):
        place = (mechanisms.index(row["mechanism"]), columns[row["epsilon"]])
        cells[place] = percent = 100 * row["excess"]
        if len(columns) <= ROOM:
            alike = row["excess"] <= ALIKE * row["excess_se"]
            axes.text(
                place[1],
                place[0],
                f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}",
                ha="center",
                va="center_baseline",
                fontsize=6,
                fontweight="bold" if alike else "normal",
                color="white" if percent > 0.4 * FULL else style.BLACK,
            )
    image = axes.imshow(
        cells, cmap="Blues", norm=PowerNorm(0.5, vmin=0, vmax=FULL, clip=True), aspect="auto"
    )
    axes.set_xticks(range(len(columns)), [f"{epsilon:g}" for epsilon in columns])
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return image
