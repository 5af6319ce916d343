"""Figures 6, 8 and 10: sanitized against original counts."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of, rows_at
from ggexp.figures.style import Look

MOST_EPSILONS, MOST_DELTAS = 10, 8  # that there is room for; of more, some are drawn
DIGIT = 0.065  # inches, in a tick's label


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 6, 8 or 10: sanitized against original counts, a panel for each (ε, δ).

    table: the columns of `ggexp.figures.tabulate_releases.tabulate`. Points are the first
        release, the bands behind them the range over the repeats. Of more than `MOST_EPSILONS` ε
        and `MOST_DELTAS` δ so many are drawn, from the first to the last.
    dataset: its name, for the heading.
    """
    looks = style.looks(table["mechanism"].unique())
    all_epsilons, all_deltas = table["epsilon"].unique(), np.array(deltas_of(table))
    epsilons, deltas = _some(all_epsilons, MOST_EPSILONS), _some(all_deltas, MOST_DELTAS)
    heading = f"{dataset}: one release, and the range from 5 to 95 % of the repeats"
    for name, drawn, there in (("ε", epsilons, all_epsilons), ("δ", deltas, all_deltas)):
        if drawn.size < there.size:
            heading += f"; {drawn.size} of {there.size} {name}"
    draw_cells = _draw_densities if "cells" in table else _draw_points
    with style.settings():
        figure = Figure()
        grid = _panels(figure, epsilons, deltas)
        first = grid[0][0]
        with panels.limits_at_the_end([axes for axes, _, _ in grid]):
            for axes, epsilon, delta in grid:
                axes.axline((0, 0), slope=1, color=style.GREY, linewidth=0.7, zorder=1)
                draw_cells(axes, rows_at(table[table["epsilon"] == epsilon], delta), looks)
        first.yaxis.set_major_locator(MaxNLocator(4, integer=True))
        width = first.get_position().width * style.WIDTH  # before the layout, which has room to add
        # a histogram without records has ticks of hundredths
        digits = max(len(f"{table['original'].max():.0f}"), 5 * (table["original"].max() == 0))
        ticks = max(1, min(4, int(width / (DIGIT * digits + 0.1))))
        first.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))
        figure.supxlabel("original count (records)", fontsize=8)
        figure.supylabel("sanitized count (records)", fontsize=8)
        panels.legend(figure, first, heading)
    return figure


def _some(values: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return at most so many of the values, evenly from the first to the last."""
    if values.size <= most:
        return values
    return values[np.linspace(0, values.size - 1, most).round().astype(int)]


def _panels(
    figure: Figure, epsilons: NDArray[np.float64], deltas: NDArray[np.float64]
) -> list[tuple[Axes, float, float]]:
    """Return a panel for each (ε, δ): a grid, or where there is one ε or one δ, rows of panels."""
    points = [(epsilon, delta) for epsilon in epsilons for delta in deltas]
    is_grid = epsilons.size > 1 and deltas.size > 1
    rows = epsilons.size if is_grid else panels.rows(len(points))
    columns = -(-len(points) // rows)
    height = min(7 / columns, max(1.75, 9 / rows), 3)  # inches: about as high as wide
    figure.set_size_inches(style.WIDTH, height * rows + 0.5)
    if not is_grid:
        titles = [panels.title(epsilon=epsilon, delta=delta) for epsilon, delta in points]
        (block,) = panels.blocks(figure, [""], titles)
        return [(axes, *point) for axes, point in zip(block, points, strict=True)]
    grid = figure.subplots(rows, columns, sharex=True, sharey=True)
    for axes, delta in zip(grid[0], deltas, strict=True):
        axes.set_title(panels.title(delta=delta))
    for axes, epsilon in zip(grid[:, -1], epsilons, strict=True):
        text = panels.title(epsilon=epsilon)
        axes.annotate(text, (1.03, 0.5), xycoords="axes fraction", rotation=270, va="center")
    return [(axes, *point) for axes, point in zip(grid.ravel(), points, strict=True)]


def _draw_points(axes: Axes, panel: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw a panel's ranges as bands and its cells as points."""
    groups = list(panel.groupby("mechanism", sort=False))
    width = 0.011 * panel["original"].max()
    for i, (name, cells) in enumerate(groups):
        label, colour, marker, _ = looks[str(name)]
        # side by side, because many cells have the same small count
        shift = (i - (len(groups) - 1) / 2) * width
        band = cells.drop_duplicates("original").sort_values("original")
        axes.fill_between(
            band["original"], band["low"], band["high"], color=colour, alpha=0.07, linewidth=0
        )
        for edge in ("low", "high"):
            axes.plot(band["original"], band[edge], color=colour, alpha=0.5, linewidth=0.6)
        axes.scatter(
            cells["original"] + shift,
            cells["sanitized"],
            s=6,
            marker=marker,
            color=colour,
            alpha=0.8,
            linewidth=0,
            label=label,
            zorder=3,
        )


def _draw_densities(axes: Axes, panel: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw each mechanism's cells as bars beside their original count, and its range as a line."""
    groups = list(panel.groupby("mechanism", sort=False))
    levels = np.unique(panel["original"])
    between = np.diff(levels).min() if levels.size > 1 else 1
    width = 0.9 * between / len(groups)
    for i, (name, bars) in enumerate(groups):
        label, colour, marker, _ = looks[str(name)]
        shift = (i - (len(groups) - 1) / 2) * width
        x = bars["original"] + shift
        most = bars.groupby("original")["cells"].transform("max")
        half = width / 2 * np.maximum(np.sqrt(bars["cells"] / most), 0.2)
        axes.hlines(bars["sanitized"], x - half, x + half, color=colour, linewidth=0.7, alpha=0.7)
        ranges = bars.drop_duplicates("original")
        x = ranges["original"] + shift
        axes.vlines(x, ranges["low"], ranges["high"], color=colour, linewidth=0.9)
        axes.plot(
            x,
            ranges["median"],
            marker,
            color=colour,
            markersize=2.2,
            markerfacecolor="white",
            markeredgewidth=0.6,
            label=label,
        )
