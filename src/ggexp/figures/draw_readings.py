"""A figure that shows which choices decide each of the paper's sentences."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import style
from ggexp.figures.tabulate_readings import OUTCOMES

COLOURS = {"holds": style.BLUE, "partly": style.SKY, "undecided": "0.85", "fails": style.VERMILLION}
ROW_HEIGHT = 0.24  # inches
DARK = 0.55  # differences above this are written in white


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return a figure with a row for each sentence: its shares, and a column for each choice.

    The choices are in descending order of their effect.
    The number in a cell is the largest difference, in percentage points, between the shares of
    readings in which the sentence holds with the alternatives of the choice.
    """
    sentences = table.drop_duplicates("claim").set_index("claim")
    decides = table.pivot_table(index="claim", columns="choice", values="decides", sort=False)
    by_effect = decides.sum().sort_values(ascending=False, kind="stable").index
    decides = decides.loc[sentences.index, by_effect]
    with style.settings():
        height = 1.4 + ROW_HEIGHT * len(sentences)
        figure = Figure(figsize=(style.WIDTH, height))
        widths = {"width_ratios": [1, 0.28 * decides.shape[1]]}
        bars, cells = figure.subplots(1, 2, sharey=True, gridspec_kw=widths)
        _draw_shares(bars, sentences)
        _draw_cells(cells, decides.to_numpy())
        cells.set_xticks(range(decides.shape[1]), list(decides), rotation=60, ha="left")
        bars.set_yticks(range(len(sentences)), list(sentences.index))
        bars.set_ylim(len(sentences) - 0.5, -0.5)
        figure.legend(loc="outside lower center", ncols=len(COLOURS))
    return figure


def _draw_shares(axes: Axes, sentences: pd.DataFrame) -> None:
    """Draw a bar for each sentence, divided into its outcomes, and write the share that holds."""
    left = np.zeros(len(sentences))
    rows = np.arange(len(sentences))
    for name in OUTCOMES:
        share = sentences[name].to_numpy()
        axes.barh(rows, share, left=left, color=COLOURS[name], height=0.8, label=name)
        left += share
    for row, (holds, readings) in enumerate(sentences[["holds", "readings"]].to_numpy()):
        text = f"{holds:.0%} of {readings:,.0f}"
        axes.text(1.04, row, text, va="center", fontsize=6, clip_on=False)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 1], ["0", "1"])
    axes.set_xlabel("share of readings")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)


def _draw_cells(axes: Axes, decides: np.ndarray) -> None:
    """Draw how much each choice decides; a cell without a number is of no choice of the claim."""
    axes.imshow(decides, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(decides):
        if not np.isnan(value):
            colour = "white" if value > DARK else "black"
            text = f"{100 * value:.0f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=6, color=colour)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
