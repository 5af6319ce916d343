"""The figures of a private mode: how often each mechanism finds the largest cell."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of, rows_at
from ggexp.figures.style import Look

EXPONENTIAL: dict[str, Look] = {
    "exponential": ("exponential mechanism", style.BLACK, "X", "-"),
    "exponential-one-sided": ("exponential, one-sided", style.ORANGE, "P", "--"),
}


@style.settings()
def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of the probabilities of the right and of a wrong mode, against ε.

    Lines are exact; points in the upper row of panels are shares of the draws. Each row has a panel
    for each δ.
    """
    noise_mechanisms = [name for name in table["mechanism"].unique() if name not in EXPONENTIAL]
    looks = style.looks(noise_mechanisms)
    looks = {name: (f"largest, {look[0]}", *look[1:]) for name, look in looks.items()}
    looks |= EXPONENTIAL
    deltas = deltas_of(table)
    figure = Figure(figsize=(style.WIDTH, 0.8 + 4.2 * panels.rows(len(deltas))))
    titles = [panels.title(delta=delta) for delta in deltas]
    above, below = panels.blocks(
        figure, ["correct mode (%)", "probability of a wrong mode"], titles
    )
    for i, delta in enumerate(deltas):
        _draw_panels(above[i], below[i], rows_at(table, delta), looks)
    panels.scale_by_logarithm(below[0])
    figure.supxlabel(panels.EPSILON, fontsize=8)
    draws = int(table["draws"].max())
    heading = f"{dataset}: exact (lines), fractions of {draws:,} draws (points)"
    style.legend(figure, above[0], heading=heading)
    panels.thin_labels(figure, below[-1])
    return figure


def _draw_panels(above: Axes, below: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw the panels of one δ: right modes above, wrong modes below."""
    for name, group in rows.groupby("mechanism", sort=False):
        label, colour, marker, line = looks[str(name)]
        means = group.sort_values("epsilon")
        x = means["epsilon"]
        above.plot(x, 100 * means["exact"], color=colour, linestyle=line)
        above.plot(x, 100 * means["right"], color=colour, marker=marker, linestyle="none")
        # an empty curve with point and line, for the legend
        above.plot([], [], color=colour, marker=marker, linestyle=line, label=label)
        below.plot(x, means["wrong"], color=colour, marker=marker, linestyle=line)
    epsilons = sorted(rows["epsilon"].unique())
    for axes in (above, below):
        axes.set_xscale("log")
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.minorticks_off()
