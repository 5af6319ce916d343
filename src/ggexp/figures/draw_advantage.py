"""Figure S6: advantage in guessing against ε, drawn from its table."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ggexp.figures import style
from ggexp.figures.tabulate_advantage import WORST

LOOKS = (
    (style.BLUE, "--"),
    (style.VERMILLION, "-."),
    (style.GREEN, ":"),
    (style.ORANGE, (0, (5, 1, 1, 1, 1, 1))),
    (style.PURPLE, (0, (8, 2))),
)
MARKERS = ("v", "s", "^", "D")  # of the paper's δ
TITLES = {
    "presence": "is somebody in the table?",
    "answer": "what did somebody in the table answer?",
}


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return Figure S6, drawn from its table.

    table: what `ggexp.figures.tabulate_advantage.tabulate` returns.
    """
    del number
    with style.settings():
        made = Figure(figsize=(style.WIDTH, 3.1))
        panels = made.subplots(1, 2, sharey=True)
        for axes, (panel, title) in zip(panels, TITLES.items(), strict=True):
            rows = table[table["panel"] == panel]
            _draw_curves(axes, rows[rows["delta"].isna()])
            place, columns = "lower right", 1
            if panel == "presence":
                _draw_points(axes, rows[rows["delta"].notna()])
                place, columns = "upper left", 2
            axes.set(title=title, xlabel=r"$\epsilon$", xlim=(0, table["epsilon"].max()))
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            legend = axes.legend(loc=place, ncols=columns, fontsize=7, frameon=True, framealpha=1)
            legend.get_frame().set_linewidth(0)  # it hides the lines of ε, and has no edge
        panels[0].set(ylabel="largest advantage in guessing", ylim=(0, 1))
    return made


def _draw_curves(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a curve for each prior, with the paper's ε as dots."""
    looks = iter(LOOKS)
    for prior, curve in rows.groupby("prior", sort=False):
        colour, line = (style.BLACK, "-") if prior == WORST else next(looks)
        axes.plot(curve["epsilon"], curve["advantage"], color=colour, linestyle=line, label=prior)
        paper = curve[curve["paper"]]
        axes.plot(paper["epsilon"], paper["advantage"], "o", color=colour, markersize=3)
    for epsilon in rows["epsilon"][rows["paper"]].unique():
        axes.axvline(epsilon, color=style.GREY, linewidth=0.5, zorder=0)


def _draw_points(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the paper's grid of (ε, δ), a marker for each δ."""
    for (delta, points), marker in zip(rows.groupby("delta"), MARKERS, strict=True):
        axes.plot(
            points["epsilon"],
            points["advantage"],
            marker,
            color=style.GREY,
            markeredgecolor=style.BLACK,
            markeredgewidth=0.4,
            label=rf"mean, $\delta={delta:g}$",
        )
