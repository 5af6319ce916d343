"""Figures 6, 8 and 10, of sanitized counts and their errors; and figures of a private mode."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from ggexp.figures import findings, panels, style
from ggexp.figures.style import Look
from ggexp.figures.tabulate_summaries import deltas_of, rows_at
from ggexp.words import in_words

PAPER = ("mildew", "czech", "adult")  # the data sets of Figures 6, 8 and 10
MAX_EPSILONS = 4  # largest number of ε that are drawn
# inches: the height of all rows of mechanisms together, the smallest height of such a row, the
# heights of the row of errors and of the strip of the numbers of cells, and of all margins together
ROWS, MIN_ROW, ERRORS, STRIP, MARGINS = 4.2, 0.5, 1.4, 0.4, 0.9
MANY_ROWS = 6  # rows are too low for more than three ticks if there are more of them
AXIS_MARGIN = 0.04  # margin on each side of an axis, as a share of its range
POINT_AREA = 5.0  # area of a cell's marker, in points²
# opacity of the range of all repeats, at the smallest and at the largest δ
SHADES = (0.2, 0.35)
GREY = "0.4"  # of the legend's entries, which are about all mechanisms
EXPONENTIAL: dict[str, Look] = {
    "exponential": ("exponential mechanism", style.BLACK, "X", "-"),
    "exponential-one-sided": ("exponential, one-sided", style.ORANGE, "P", "--"),
}


@style.settings()
def releases(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 6, 8 or 10, or only the errors of another data set: a column for each ε.

    A row of panels has the errors, sanitized minus original count: a mechanism's two lines are the
    5th and 95th percentiles over the repeats, at the smallest δ, and each ε has its own y axis.
    `PAPER` has a row of panels for each mechanism above it, all with the same axes, and the line of
    equal counts. Points are the cells of the first release, and lines are medians over the repeats,
    at the smallest δ. Shades are ranges over the repeats, at the smallest and at the largest δ. A
    table of original counts has quartiles in place of the release. It has a strip with the number
    of cells.
    If there are more than `MAX_EPSILONS` ε, that many are drawn, from the first to the last.
    """
    looks = style.looks(table["mechanism"].unique())
    epsilons, deltas = table["epsilon"].unique(), sorted({*deltas_of(table)})
    deltas = [deltas[0], *deltas[1:][-1:]]
    if epsilons.size > MAX_EPSILONS:
        epsilons = epsilons[np.linspace(0, epsilons.size - 1, MAX_EPSILONS).round().astype(int)]
    is_drawn = table["delta"].isna() | table["delta"].isin(deltas)
    table = table[is_drawn & table["epsilon"].isin(epsilons)]
    has_strip, panels_of = "cells" in table, looks if dataset in PAPER else {}
    row = max(MIN_ROW, (ROWS - STRIP * has_strip) / len(looks))
    heights = [STRIP] * has_strip + [row] * len(panels_of) + [ERRORS]
    figure = Figure(figsize=(style.WIDTH, MARGINS + sum(heights)))
    shape = len(heights), epsilons.size
    grid = figure.subplots(*shape, sharex=True, squeeze=False, height_ratios=heights)
    rows, errors = grid[has_strip:-1], grid[-1]
    for axes, epsilon in zip(grid[0], epsilons, strict=True):
        axes.set_title(panels.title(epsilon=epsilon))
    for row, (name, look) in zip(rows, panels_of.items(), strict=True):
        for axes, epsilon in zip(row, epsilons, strict=True):
            at_epsilon = table[(table["mechanism"] == name) & (table["epsilon"] == epsilon)]
            _draw_panel(axes, [rows_at(at_epsilon, delta) for delta in deltas], look)
        row[0].text(
            *(0.03, 0.97, look[0]),
            **{"transform": row[0].transAxes, "va": "top", "in_layout": False},
            **{"color": look[1], "fontweight": "bold"},
        )
    for axes, epsilon in zip(errors, epsilons, strict=True):
        _draw_errors(axes, rows_at(table[table["epsilon"] == epsilon], deltas[0]), looks)
    errors[0].set_ylabel("error (records)")
    if has_strip:
        _draw_strip(grid[0], table.drop_duplicates("original"))
    _set_ticks(errors[0].xaxis, table["original"].min(), table["original"].max())
    if panels_of:
        _share_y(rows, table)
        _add_legend_entries(rows[0, 0], deltas, has_points=not has_strip)
        figure.supylabel("sanitized count (records)", fontsize=8)
    figure.supxlabel("original count (records)", fontsize=8)
    heading = findings.title(dataset, findings.of_releases(rows_at(table, deltas[0]), deltas[0]))
    style.entitle(figure, heading, rows[0, 0] if panels_of else errors[0])
    return figure


def _draw_errors(axes: Axes, table: pd.DataFrame, looks: dict[str, Look]) -> None:
    """Draw the range of the errors of each mechanism against the original count, at one ε and δ."""
    axes.axhline(0, color=style.GREY, linewidth=0.6, zorder=1)
    for name, (label, colour, _, line) in looks.items():
        original, *ends = _levels(table[table["mechanism"] == name], "low", "high")
        for end, text in zip(ends, (label, None), strict=True):
            axes.plot(original, end - original, color=colour, linestyle=line, label=text)
    _set_ticks(axes.yaxis, *axes.dataLim.intervaly)


def _draw_panel(axes: Axes, by_delta: Sequence[pd.DataFrame], look: Look) -> None:
    """Draw the release and the ranges of one mechanism at one ε, for each δ that is drawn."""
    _, colour, marker, _ = look
    axes.axline((0, 0), slope=1, color=style.GREY, linewidth=0.6, zorder=1)
    for rows, shade in zip(by_delta, SHADES, strict=False):
        x, low, high = _levels(rows, "low", "high")
        if rows["delta"].notna().any() or shade == SHADES[0]:
            axes.fill_between(x, low, high, color=colour, alpha=shade, linewidth=0)
    rows = by_delta[0]
    axes.plot(*_levels(rows, "median"), color=colour, linewidth=0.9)
    if "sanitized" in rows:
        # points are not shifted to separate them, because noise may be below one record
        marks: dict[str, Any] = {"s": POINT_AREA, "marker": marker, "color": colour}
        axes.scatter(rows["original"], rows["sanitized"], **marks, linewidth=0, zorder=3)
    else:
        for quartile in ("quartile_1", "quartile_3"):
            axes.plot(*_levels(rows, quartile), color=colour, linewidth=0.7, linestyle=":")


def _levels(rows: pd.DataFrame, *columns: str) -> list[NDArray[np.float64]]:
    """Return the distinct original counts, and the values of columns at each."""
    levels = rows.drop_duplicates("original").sort_values("original")
    values = levels[["original", *columns]].to_numpy(float).T
    if len(levels) == 1:  # a band needs two points
        values = np.repeat(values, 2, axis=1)
        values[0] += [-0.25, 0.25]
    return list(values)


def _share_y(rows: NDArray[Any], table: pd.DataFrame) -> None:
    """Give the y axes of all panels the same limits and ticks, up to the largest value."""
    first = rows[0, 0]
    for axes in rows.flat[1:]:
        axes.sharey(first)
    for axes in rows[:, 1:].flat:
        axes.tick_params(labelleft=False)
    largest = table[["high", *{"sanitized"} & {*table}]].to_numpy().max()
    _set_ticks(first.yaxis, 0, largest, steps=2 if len(rows) > MANY_ROWS else panels.TICKS)


def _set_ticks(axis: Axis, low: float, high: float, steps: int = panels.TICKS) -> None:
    """Let an axis extend from low to high, with a margin, and put ticks at round numbers."""
    margin = AXIS_MARGIN * (high - low) or 0.5
    axis.set_view_interval(low - margin, high + margin, ignore=True)
    axis.set_major_locator(MaxNLocator(steps, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(lambda value, _: in_words(float(value)).replace("-", "−"))


def _draw_strip(strip: Sequence[Axes], levels: pd.DataFrame) -> None:
    """Draw the number of cells with each original count, on a logarithmic axis."""
    largest = levels["cells"].max()
    for axes in strip:
        axes.vlines(levels["original"], 0.5, levels["cells"], color=style.GREY, linewidth=3)
        axes.set(yscale="log", ylim=(0.5, 2 * largest))
        decades = [10**power for power in range(len(str(int(largest))))]
        axes.set_yticks([1, decades[-1]], ["1", in_words(decades[-1])])
        axes.minorticks_off()
        axes.tick_params(labelleft=axes is strip[0])
    strip[0].set_ylabel("cells")


def _add_legend_entries(axes: Axes, deltas: Sequence[float], *, has_points: bool) -> None:
    """Draw empty artists, whose labels appear in the legend."""
    if has_points:
        axes.scatter([], [], s=2 * POINT_AREA, color=GREY, linewidth=0, label="one release")
    axes.plot([], [], color=GREY, linewidth=0.9, label="median")
    if not has_points:
        axes.plot([], [], color=GREY, linewidth=0.7, linestyle=":", label="quartiles")
    for delta, shade in zip(deltas, SHADES, strict=False):
        label = panels.title("5 to 95 % of the repeats", delta=delta)
        axes.fill_between([], [], [], color=GREY, alpha=shade, linewidth=0, label=label)


@style.settings()
def mode(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of the probabilities of the right and of a wrong mode, against ε.

    Lines are exact; points in the upper row are shares of the draws. Each column has one δ.
    """
    noise_mechanisms = [name for name in table["mechanism"].unique() if name not in EXPONENTIAL]
    looks = style.looks(noise_mechanisms)
    looks = {name: (f"largest, {look[0]}", *look[1:]) for name, look in looks.items()}
    looks |= EXPONENTIAL
    rows = panels.by_delta(table)
    labels = ["correct mode (%)", "probability of a wrong mode"]
    figure, (above, below) = panels.blocks(labels, [*rows], 2.1)
    for upper, lower, rows_of_panel in zip(above, below, rows.values(), strict=True):
        _draw_modes(upper, lower, rows_of_panel, looks)
    panels.scale_by_logarithm(below[0])
    figure.supxlabel(panels.EPSILON, fontsize=8)
    wrong = {labels[1]: table.assign(mean=table["wrong"], se=0.0)}
    heading = findings.title(dataset, findings.of_means(wrong, looks=looks))
    style.entitle(figure, heading, above[0])
    panels.thin_labels(figure, below[-1])
    return figure


def _draw_modes(above: Axes, below: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
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
