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

MAX_EPSILONS = 3  # largest number of ε that are drawn; their panels fit into a column of text
# inches: heights of the first row of panels, of each other row, and of all margins together
FIRST_ROW, ROW, MARGINS = 0.95, 0.72, 0.75
ROW_GAP = 0.16  # inches between rows, for the names of mechanisms
DIGIT_WIDTH, LABEL_GAP = 0.05, 0.12  # inches, for the labels of ticks
POINT_AREA = 3.0  # area of a cell's marker, in points²
MIN_SHARE = 0.1  # smallest area of a marker that represents few cells, as a share of `POINT_AREA`
# largest number of points of a mechanism in a panel; more points are counted in the bins of a grid
MAX_POINTS = 5000
GRID_BINS = 100  # number of bins of the grid in each direction
AXIS_MARGIN = 0.06  # margin on each side of an axis, as a share of the range of the data
POINTS: dict[str, Any] = {"alpha": 0.6, "linewidth": 0, "zorder": 3}
BAND: dict[str, Any] = {"alpha": 0.25, "linewidth": 0}
MEDIAN: dict[str, Any] = {"linewidth": 0.9}
RANGE_AT_MAX_DELTA: dict[str, Any] = {"linewidth": 0.6, "linestyle": (0, (3, 1))}


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 6, 8 or 10: a column of panels for each ε, a row for each mechanism.

    The first row of panels shows sanitized against original counts of the first release, for all
    mechanisms. Each other row shows the errors of one mechanism, sanitized - original, with their
    median and range over the repeats. All of these are at the smallest δ; the range is also drawn
    at the largest δ.
    More than `MAX_POINTS` points are replaced by the non-empty bins of a grid. If there are more
    than `MAX_EPSILONS` ε, that many are drawn, from the first to the last.
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
        height = MARGINS + FIRST_ROW + ROW * len(looks)
        layout = ConstrainedLayoutEngine(hspace=ROW_GAP * (1 + len(looks)) / height)
        figure = Figure(figsize=(style.COLUMN, height), layout=layout)
        grid = figure.subplots(
            1 + len(looks),
            epsilons.size,
            sharex=True,
            squeeze=False,
            height_ratios=[FIRST_ROW, *[ROW] * len(looks)],
        )
        _set_scales(grid[0], table)
        for column, epsilon in zip(grid.T, epsilons, strict=True):
            has_epsilon = table["epsilon"] == epsilon
            column[0].set_title(panels.title(epsilon=epsilon))
            _draw_scatter(column[0], rows_at(table[has_epsilon], deltas[0]), looks)
            _draw_errors(column[1:], table.assign(**errors)[has_epsilon], deltas, looks)
        for axes, look in zip(grid[1:, 0], looks.values(), strict=True):
            _write_name(axes, look)
        grid[0, 0].set_ylabel("sanitized")
        figure.supxlabel("original count (records)", fontsize=7)
        figure.supylabel("sanitized − original count (records)", fontsize=7)
        _add_legend_entries(grid[0, 0], deltas)
        panels.legend(figure, grid[0, 0], heading)
    return figure


def _set_scales(row: Sequence[Axes], table: pd.DataFrame) -> None:
    """Set limits and ticks of the panels of sanitized against original counts."""
    counts = table["original"]
    first = row[0]
    for axes in row[1:]:
        axes.sharey(first)
        axes.tick_params(labelleft=False)
    first.set_xlim(_limits(counts))
    first.set_ylim(_limits(table[["original", "sanitized"]]))
    first.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    width = first.get_position().width * style.COLUMN  # inches, before the layout
    # if all counts are 0, ticks are hundredths, whose labels are longer
    digits = max(len(f"{counts.max():.0f}"), 5 * (counts.max() == 0))
    ticks = max(1, min(3, int(width / (DIGIT_WIDTH * digits + LABEL_GAP))))
    first.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))


def _limits(values: pd.DataFrame | pd.Series) -> tuple[float, float]:
    """Return the limits of an axis that includes all values, with margins."""
    numbers = values.to_numpy()
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    margin = AXIS_MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def _draw_scatter(axes: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw the sanitized against the original counts, for all mechanisms."""
    axes.axline((0, 0), slope=1, color=style.GREY, linewidth=0.6, zorder=1)
    for name, cells in rows.groupby("mechanism", sort=False):
        _draw_points(axes, cells, looks[str(name)])


def _draw_errors(
    column: Sequence[Axes], errors: pd.DataFrame, deltas: list[float], looks: dict[str, Look]
) -> None:
    """Draw the errors at one ε, a panel for each mechanism.

    At the smallest δ, a band shows the range over the repeats, a line shows the median, and points
    show the first release. At the largest δ, dashed lines show the range.
    """
    limits = _limits(errors[["low", "high"]].join(rows_at(errors, deltas[0])["sanitized"]))
    for axes, (name, look) in zip(column, looks.items(), strict=True):
        rows, colour = errors[errors["mechanism"] == name], look[1]
        axes.set_ylim(limits)
        axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        axes.axhline(0, color=style.GREY, linewidth=0.6, zorder=1)
        cells, at_max_delta = rows_at(rows, deltas[0]), rows[rows["delta"] == deltas[-1]]
        x, low, median, high = _levels(cells)
        axes.fill_between(x, low, high, color=colour, **BAND)
        axes.plot(x, median, color=colour, **MEDIAN)
        if len(deltas) > 1:
            x, low, _, high = _levels(at_max_delta)
            for edge in (low, high):
                axes.plot(x, edge, color=colour, **RANGE_AT_MAX_DELTA)
        _draw_points(axes, cells, look)


def _levels(cells: pd.DataFrame) -> list[NDArray[np.float64]]:
    """Return the distinct original counts, and low, median and high of the errors at each."""
    levels = cells.drop_duplicates("original").sort_values("original")
    x, *errors = (levels[name].to_numpy() for name in ("original", "low", "median", "high"))
    if x.size == 1:  # a band needs two points
        x, *errors = (np.repeat(values, 2) for values in (x, *errors))
        x = x + np.array([-0.25, 0.25])
    return [x, *errors]


def _write_name(axes: Axes, look: Look) -> None:
    """Write a mechanism's name above the first panel of its row, without widening the panel."""
    label, colour, *_ = look
    name = axes.annotate(
        label, (0, 1), xytext=(0, 2), xycoords="axes fraction", textcoords="offset points"
    )
    name.set(color=colour, fontweight="bold", in_layout=False)


def _draw_points(axes: Axes, cells: pd.DataFrame, look: Look) -> None:
    """Draw a release against the original counts; larger points represent more cells."""
    _, colour, marker, _ = look
    if len(cells) > MAX_POINTS:
        cells = _on_grid(axes, cells)
    area = np.full(len(cells), POINT_AREA)
    if "cells" in cells:
        largest = cells.groupby("original")["cells"].transform("max")
        area *= np.maximum(np.sqrt(cells["cells"] / largest), MIN_SHARE)
    # points are not shifted sideways to separate mechanisms, because noise may be below one record
    axes.scatter(
        cells["original"], cells["sanitized"], s=area, marker=marker, color=colour, **POINTS
    )


def _on_grid(axes: Axes, cells: pd.DataFrame) -> pd.DataFrame:
    """Return the centre of each grid bin that contains cells, and how many cells it contains."""
    columns = {"cells": cells["cells"]}
    for name, (low, high) in (("original", axes.get_xlim()), ("sanitized", axes.get_ylim())):
        width = (high - low) / GRID_BINS
        columns[name] = low + width * (0.5 + np.floor((cells[name] - low) / width))
    groups = pd.DataFrame(columns).groupby(["original", "sanitized"], sort=False)
    return groups["cells"].sum().reset_index()


def _add_legend_entries(axes: Axes, deltas: list[float]) -> None:
    """Draw empty artists, whose labels appear in the legend."""
    grey = "0.4"
    axes.scatter([], [], s=2 * POINT_AREA, color=grey, label="one release", **POINTS)
    axes.plot([], [], color=grey, label="median", **MEDIAN)
    axes.fill_between([], [], [], color=grey, label="5 to 95 % of the repeats", **BAND)
    if len(deltas) > 1:
        label = f"5 to 95 %, {panels.title(delta=deltas[-1])}"
        axes.plot([], [], color=grey, label=label, **RANGE_AT_MAX_DELTA)
