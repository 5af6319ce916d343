"""A figure that ranks mechanisms by the excess of their errors over the smallest error."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from ggexp.experiment.metrics import METRICS
from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of, rows_at
from ggexp.figures.tabulate_summaries import MISCLASSIFICATION

LABELS = {name: metric.label for name, metric in METRICS.items()}
LABELS[MISCLASSIFICATION] = "misclassified"
MAX_BOLD_ERRORS = 3  # an excess of at most this number of standard errors is bold
DARKEST_EXCESS = 100  # percent; larger excesses have the same colour
MAX_COLUMNS_WITH_NUMBERS = 4  # with more ε in a panel, numbers do not fit into its cells
ROW_HEIGHT = 0.17  # inches


@style.settings()
def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure with a row for each mechanism, a column for each ε, and a panel for each δ.

    Darker cells have a larger excess over the smallest error. The excess is written in the cell in
    percent, and is bold if it is at most `MAX_BOLD_ERRORS` standard errors.
    """
    errors = list(table["error"].unique())
    mechanisms = list(table["mechanism"].unique())
    looks = style.looks(mechanisms)
    deltas = deltas_of(table)
    rows = len(errors) * panels.rows(len(deltas))
    height = 0.9 + rows * (0.3 + ROW_HEIGHT * len(mechanisms))
    figure = Figure(figsize=(style.WIDTH, max(height, 2)))
    labels = [LABELS[error] for error in errors]
    blocks = panels.blocks(figure, labels, [panels.title(delta=delta) for delta in deltas])
    for block, error in zip(blocks, errors, strict=True):
        error_rows = table[table["error"] == error]
        for axes, delta in zip(block, deltas, strict=True):
            image = _draw_cells(axes, rows_at(error_rows, delta), mechanisms)
        block[0].set_yticks(range(len(mechanisms)), [looks[name][0] for name in mechanisms])
    figure.supxlabel(panels.EPSILON, fontsize=8)
    figure.suptitle(f"{dataset}: mean error above the error of the best mechanism", fontsize=8)
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
    columns = {epsilon: column for column, epsilon in enumerate(sorted(panel["epsilon"].unique()))}
    cells = np.full((len(mechanisms), len(columns)), np.nan)
    for row in panel.to_dict("records"):
        position = (mechanisms.index(row["mechanism"]), columns[row["epsilon"]])
        cells[position] = percent = 100 * row["excess"]
        if len(columns) <= MAX_COLUMNS_WITH_NUMBERS:
            is_bold = row["excess"] <= MAX_BOLD_ERRORS * row["excess_se"]
            axes.text(
                position[1],
                position[0],
                f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}",
                ha="center",
                va="center_baseline",
                fontsize=6,
                fontweight="bold" if is_bold else "normal",
                color="white" if percent > 0.4 * DARKEST_EXCESS else style.BLACK,
            )
    image = axes.imshow(
        cells,
        cmap="Blues",
        norm=PowerNorm(0.5, vmin=0, vmax=DARKEST_EXCESS, clip=True),
        aspect="auto",
    )
    axes.set_xticks(range(len(columns)), [f"{epsilon:g}" for epsilon in columns])
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return image
