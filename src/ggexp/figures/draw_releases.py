"""Figures 6, 8 and 10: the error of each count, and sanitized against original counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of, rows_at
from ggexp.figures.style import Look

MAX_EPSILONS = 3  # columns that a column of text has room for; of more ε, some are drawn
SCATTER, ROW, MARGINS = 0.95, 0.72, 0.75  # inches: heights of the first row, the others, the rest
BETWEEN = 0.16  # inches from row to row, with a name in between
DIGIT, BESIDE = 0.05, 0.12  # inches: of a tick's label, and between two
POINT = 3.0  # square points: the area of a cell's marker
MIN_AREA = 0.1  # of that area, where there are few of many cells
MAX_POINTS = 5000  # of a mechanism in a panel; more are drawn as those of a grid's places
PLACES = 100  # of that grid, in each direction
MARGIN = 0.06  # of the axes, beyond what is drawn
POINTS: dict[str, Any] = {"alpha": 0.6, "linewidth": 0, "zorder": 3}
BAND: dict[str, Any] = {"alpha": 0.25, "linewidth": 0}
MEDIAN: dict[str, Any] = {"linewidth": 0.9}
NARROW: dict[str, Any] = {"linewidth": 0.6, "linestyle": (0, (3, 1))}


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 6, 8 or 10: a column of panels for each ε, a row for each mechanism.

    table: the columns of `ggexp.figures.tabulate_releases.tabulate`. The first row of panels has
        the sanitized counts of the first release against the original ones, by all mechanisms;
        the row of a mechanism its errors, sanitized - original, with the median and the range
        over the repeats. All are at the least δ; of the largest there is the range.
        Of more than `MAX_POINTS` points, those of a grid's places are drawn.
        Of more than `MAX_EPSILONS` ε so many are drawn, from the first to the last.
    dataset: its name, for the heading.
    """
    looks = style.looks(table["mechanism"].unique())
    epsilons, deltas = table["epsilon"].unique(), sorted(deltas_of(table))
    heading = ", ".join(filter(None, [dataset, panels.title(delta=deltas[0])]))
    if epsilons.size > MAX_EPSILONS:
        heading += f" ({MAX_EPSILONS} of {epsilons.size} ε)"
        epsilons = epsilons[np.linspace(0, epsilons.size - 1, MAX_EPSILONS).round().astype(int)]
    is_drawn = table["delta"].isna() | table["delta"].isin([deltas[0], deltas[-1]])
    table = table[is_drawn & table["epsilon"].isin(epsilons)]
    errors = {
        column: table[column] - table["original"]
        for column in ("sanitized", "low", "median", "high")
    }
    with style.settings(column=True):
        height = MARGINS + SCATTER + ROW * len(looks)
        layout = ConstrainedLayoutEngine(hspace=BETWEEN * (1 + len(looks)) / height)
        figure = Figure(figsize=(style.COLUMN, height), layout=layout)
        grid = figure.subplots(
            1 + len(looks),
            epsilons.size,
            sharex=True,
            squeeze=False,
            height_ratios=[SCATTER, *[ROW] * len(looks)],
        )
        _scale(grid[0], table)
        for column, epsilon in zip(grid.T, epsilons, strict=True):
            of_epsilon = table["epsilon"] == epsilon
            column[0].set_title(panels.title(epsilon=epsilon))
            _draw_scatter(column[0], rows_at(table[of_epsilon], deltas[0]), looks)
            _draw_errors(column[1:], table.assign(**errors)[of_epsilon], deltas, looks)
        for axes, look in zip(grid[1:, 0], looks.values(), strict=True):
            _name(axes, look)
        grid[0, 0].set_ylabel("sanitized")
        figure.supxlabel("original count (records)", fontsize=7)
        figure.supylabel("sanitized − original count (records)", fontsize=7)
        _draw_key(grid[0, 0], deltas)
        panels.legend(figure, grid[0, 0], heading)
    return figure


def _scale(row: Sequence[Axes], table: pd.DataFrame) -> None:
    """Set limits and ticks of the panels of sanitized against original counts."""
    counts = table["original"]
    first = row[0]
    for axes in row[1:]:
        axes.sharey(first)
        axes.tick_params(labelleft=False)
    first.set_xlim(_limits(counts))
    first.set_ylim(_limits(table[["original", "sanitized"]]))
    first.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    width = first.get_position().width * style.COLUMN  # before the layout
    # a histogram without records has ticks of hundredths
    digits = max(len(f"{counts.max():.0f}"), 5 * (counts.max() == 0))
    ticks = max(1, min(3, int(width / (DIGIT * digits + BESIDE))))
    first.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))


def _limits(values: pd.DataFrame | pd.Series) -> tuple[float, float]:
    """Return limits of an axis on which all values are seen."""
    numbers = values.to_numpy()
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    margin = MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def _draw_scatter(axes: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw the sanitized against the original counts of all mechanisms."""
    axes.axline((0, 0), slope=1, color=style.GREY, linewidth=0.6, zorder=1)
    for name, cells in rows.groupby("mechanism", sort=False):
        _draw_points(axes, cells, looks[str(name)])


def _draw_errors(
    column: Sequence[Axes], errors: pd.DataFrame, deltas: list[float], looks: dict[str, Look]
) -> None:
    """Draw the errors at one ε, a panel for each mechanism.

    At the least δ these are a band, a line and points, at the largest dashed lines.
    """
    limits = _limits(errors[["low", "high"]].join(rows_at(errors, deltas[0])["sanitized"]))
    for axes, (name, look) in zip(column, looks.items(), strict=True):
        rows, colour = errors[errors["mechanism"] == name], look[1]
        axes.set_ylim(limits)
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        axes.axhline(0, color=style.GREY, linewidth=0.6, zorder=1)
        cells, narrow = rows_at(rows, deltas[0]), rows[rows["delta"] == deltas[-1]]
        x, low, median, high = _levels(cells)
        axes.fill_between(x, low, high, color=colour, **BAND)
        axes.plot(x, median, color=colour, **MEDIAN)
        if len(deltas) > 1:
            x, low, _, high = _levels(narrow)
            for edge in (low, high):
                axes.plot(x, edge, color=colour, **NARROW)
        _draw_points(axes, cells, look)


def _levels(cells: pd.DataFrame) -> list[NDArray[np.float64]]:
    """Return the original counts that occur, and the range and median of the errors at each."""
    levels = cells.drop_duplicates("original").sort_values("original")
    x, *of_errors = (levels[name].to_numpy() for name in ("original", "low", "median", "high"))
    if x.size == 1:  # a band has two ends
        x, *of_errors = (np.repeat(values, 2) for values in (x, *of_errors))
        x = x + np.array([-0.25, 0.25])
    return [x, *of_errors]


def _name(axes: Axes, look: Look) -> None:
    """Write what a row of panels is of above its first one, which a long name does not widen."""
    label, colour, *_ = look
    name = axes.annotate(
        label, (0, 1), xytext=(0, 2), xycoords="axes fraction", textcoords="offset points"
    )
    name.set(color=colour, fontweight="bold", in_layout=False)


def _draw_points(axes: Axes, cells: pd.DataFrame, look: Look) -> None:
    """Draw a release over the original counts, the larger a point the more cells are there."""
    _, colour, marker, _ = look
    if len(cells) > MAX_POINTS:
        cells = _on_grid(axes, cells)
    area = np.full(len(cells), POINT)
    if "cells" in cells:
        most = cells.groupby("original")["cells"].transform("max")
        area *= np.maximum(np.sqrt(cells["cells"] / most), MIN_AREA)
    # above their own count, however many mechanisms are there: noise may be less than a record
    axes.scatter(
        cells["original"], cells["sanitized"], s=area, marker=marker, color=colour, **POINTS
    )


def _on_grid(axes: Axes, cells: pd.DataFrame) -> pd.DataFrame:
    """Return the places of a grid over the axes where cells are, in the middle, and how many."""
    found = {"cells": cells["cells"]}
    for name, (low, high) in (("original", axes.get_xlim()), ("sanitized", axes.get_ylim())):
        width = (high - low) / PLACES
        found[name] = low + width * (0.5 + np.floor((cells[name] - low) / width))
    places = pd.DataFrame(found).groupby(["original", "sanitized"], sort=False)
    return places["cells"].sum().reset_index()


def _draw_key(axes: Axes, deltas: list[float]) -> None:
    """Draw nothing, with labels that the legend shows."""
    grey = "0.4"
    axes.scatter([], [], s=2 * POINT, color=grey, label="one release", **POINTS)
    axes.plot([], [], color=grey, label="median", **MEDIAN)
    axes.fill_between([], [], [], color=grey, label="5 to 95 % of the repeats", **BAND)
    if len(deltas) > 1:
        label = f"the same, {panels.title(delta=deltas[-1])}"
        axes.plot([], [], color=grey, label=label, **NARROW)
