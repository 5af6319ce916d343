"""Figure S6: the guessing advantage against ε."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ggexp.companions.figures.tabulate_advantage import WORST
from ggexp.figures import style

COLOURS = (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE, style.PURPLE)
LOOKS = [*zip(COLOURS, style.LINES[1:], strict=True)]
MARKERS = ("v", "s", "^", "D")  # one for each δ of the paper
TITLES = {
    "presence": "is somebody in the table?",
    "answer": "what did somebody in the table answer?",
}


@style.settings()
def draw(table: pd.DataFrame) -> Figure:
    """Return Figure S6."""
    figure, panels = style.side_by_side(2, height=3.1)
    for axes, (panel, title) in zip(panels, TITLES.items(), strict=True):
        rows = table[table["panel"] == panel]
        _draw_curves(axes, rows[rows["delta"].isna()])
        corner: dict[str, Any] = {"loc": "lower right"}
        if panel == "presence":
            _draw_points(axes, rows[rows["delta"].notna()])
            corner = {"loc": "upper left", "ncols": 2}
        axes.set(title=title, xlabel="ε", xlim=(0, table["epsilon"].max()))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        legend = axes.legend(**corner, fontsize=7, frameon=True, framealpha=1)
        # an opaque frame without an edge, which hides the lines at the paper's ε
        legend.get_frame().set_linewidth(0)
    panels[0].set(ylabel="guessing advantage", ylim=(0, 1))
    return figure


def _draw_curves(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a curve for each prior, with dots at the paper's ε."""
    looks = iter(LOOKS)
    for prior, curve in rows.groupby("prior", sort=False):
        colour, line = (style.BLACK, "-") if prior == WORST else next(looks)
        axes.plot(curve["epsilon"], curve["advantage"], color=colour, linestyle=line, label=prior)
        paper = curve[curve["paper"]]
        axes.plot(paper["epsilon"], paper["advantage"], "o", color=colour, markersize=3)
    for epsilon in rows["epsilon"][rows["paper"]].unique():
        axes.axvline(epsilon, color=style.GREY, linewidth=0.5, zorder=0)


def _draw_points(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the points of the paper's grid of (ε, δ), with a marker for each δ."""
    look: dict[str, Any] = {
        "color": style.GREY,
        "markeredgecolor": style.BLACK,
        "markeredgewidth": 0.4,
    }
    for (delta, points), marker in zip(rows.groupby("delta"), MARKERS, strict=True):
        label = f"mean, δ = {delta:g}"
        axes.plot(points["epsilon"], points["advantage"], marker, label=label, **look)
