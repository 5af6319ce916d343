"""Figure S6: the guessing advantage against ε."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ggexp.companions.figures.tabulate_advantage import WORST
from ggexp.figures import style

LOOKS = [
    *zip(
        (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE, style.PURPLE),
        style.LINES[1:],
        strict=True,
    )
]
MARKERS = ("v", "s", "^", "D")  # one for each δ of the paper
TITLES = {
    "presence": "is somebody in the table?",
    "answer": "what did somebody in the table answer?",
}


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return Figure S6."""
    del number
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 3.1))
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (panel, title) in zip(panels, TITLES.items(), strict=True):
            rows = table[table["panel"] == panel]
            _draw_curves(axes, rows[rows["delta"].isna()])
            location, columns = "lower right", 1
            if panel == "presence":
                _draw_points(axes, rows[rows["delta"].notna()])
                location, columns = "upper left", 2
            axes.set(title=title, xlabel="ε", xlim=(0, table["epsilon"].max()))
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            legend = axes.legend(
                loc=location, ncols=columns, fontsize=7, frameon=True, framealpha=1
            )
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
    for (delta, points), marker in zip(rows.groupby("delta"), MARKERS, strict=True):
        axes.plot(
            points["epsilon"],
            points["advantage"],
            marker,
            color=style.GREY,
            markeredgecolor=style.BLACK,
            markeredgewidth=0.4,
            label=f"mean, δ = {delta:g}",
        )
