"""The shared parts of the experiments' figures: rows of panels, axes, a legend."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from ggexp.datasets.text import in_words
from ggexp.figures import style
from ggexp.figures.by_delta import deltas_of, rows_at
from ggexp.figures.style import Look

MAX_COLUMNS = 4  # panels in a row; more panels continue in the next row
# horizontal offset between adjacent mechanisms, as a fraction of ε, so that their error bars do
# not overlap
OFFSET = 0.035
LEGEND_HEIGHT = 0.2  # inches; the part of a figure's height that is planned for the legend


def title(*, epsilon: float = np.nan, delta: float = np.nan) -> str:
    """Return the title of a panel: its ε, its δ, or both, without values that are NaN."""
    values = {"ε": epsilon, "δ": delta}
    return ", ".join(f"{name} = {in_words(x)}" for name, x in values.items() if not np.isnan(x))


def repeats(table: pd.DataFrame) -> str:
    """Return the meaning of points and error bars: mean ± sd of the table's repeats."""
    number = int(table["repeats"].max())
    return f"mean ± sd of {number:,} repeats" if number > 1 else "one repeat"


def split_baselines(table: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """Return the accuracies of the grid points, of the original counts and of the majority class.

    All accuracies are in percent.

    table: the columns of `ggexp.figures.tabulate_summaries.accuracy`.
    """
    percent = table.assign(mean=100 * table["mean"], sd=100 * table["sd"])
    is_baseline = percent["mechanism"].isin(["original", "majority"])
    means = percent[is_baseline].set_index("mechanism")["mean"]
    return percent[~is_baseline], float(means["original"]), float(means["majority"])


def draw_majority(panels: Sequence[Axes], accuracy: float) -> str:
    """Draw the majority class's accuracy if it is on the y axis, and return its position in words.

    accuracy: in percent. The panels share their y axis; everything else must be drawn already.
    """
    low, high = panels[0].get_ylim()
    span = f"the axis spans {high - low:.2g} percentage points"
    text = f"{span}, the majority class is at {accuracy:.2f} %"
    if not low <= accuracy <= high:
        return f"{text}, {'below' if accuracy < low else 'above'} it"
    for axes in panels:
        axes.axhline(
            accuracy, color=style.GREY, linewidth=0.8, linestyle="--", label="majority class"
        )
    return text


def rows(count: int) -> int:
    """Return the number of rows for this number of panels."""
    return -(-count // MAX_COLUMNS)


def blocks(figure: Figure, labels: Sequence[str], titles: Sequence[str]) -> list[list[Axes]]:
    """Return a block of panels for each y label, and in each block a panel for each title.

    Blocks are stacked vertically; `rows` determines the number of rows in each. All panels share
    the x axis, and the panels of a block share the y axis. The leftmost panels have y tick labels.
    If a block has several rows, the lowest panel of each of its columns has x tick labels;
    otherwise only the panels of the last block have them.
    """
    row_count = rows(len(titles))
    columns = -(-len(titles) // row_count)
    grid = figure.subplots(len(labels) * row_count, columns, sharex=True, squeeze=False)
    filled: list[list[Axes]] = []
    for block, label in zip(np.split(grid, len(labels)), labels, strict=True):
        panels = list(block.ravel())[: len(titles)]
        for axes in block.ravel()[len(titles) :]:
            axes.remove()
        for i, (axes, text) in enumerate(zip(panels, titles, strict=True)):
            if i:
                axes.sharey(panels[0])
            if i % columns == 0:
                axes.set_ylabel(label)
            else:
                axes.tick_params(labelleft=False)
            # if blocks have one row, only the first block has titles
            if row_count > 1 or not filled:
                axes.set_title(text)
            if row_count > 1 and i + columns >= len(titles):
                axes.tick_params(labelbottom=True)
        filled.append(panels)
    return filled


def draw_against_epsilon(
    panels: Sequence[Axes],
    table: pd.DataFrame,
    looks: dict[str, Look],
    deltas: Sequence[float] | None = None,
) -> None:
    """Draw mean ± sd of one metric against ε in panels, one for each δ.

    deltas: the δ of the panels. By default they are the δ of the table, which may lack some of the
        δ of the figure.
    """
    epsilons = np.unique(table["epsilon"])
    for axes, delta in zip(panels, deltas or deltas_of(table), strict=True):
        groups = list(rows_at(table, delta).groupby("mechanism", sort=False))
        offset = OFFSET
        # points must be closer to their own ε than to the next
        if len(groups) > 1 and len(epsilons) > 1:
            smallest_gap = np.log(epsilons[1:] / epsilons[:-1]).min()
            offset = min(OFFSET, 0.6 * smallest_gap / (len(groups) - 1))
        for i, (name, group) in enumerate(groups):
            label, colour, marker, line = looks[str(name)]
            means = group.sort_values("epsilon")
            shift = (i - (len(groups) - 1) / 2) * offset
            axes.errorbar(
                means["epsilon"] * (1 + shift),
                means["mean"],
                yerr=means["sd"].fillna(0),
                color=colour,
                marker=marker,
                linestyle=line,
                elinewidth=0.7,
                capsize=1.5,
                label=label,
            )
        axes.set_xscale("log")
        if len(epsilons) == 1:  # otherwise the points would spread from edge to edge
            factor = 1 + 1.2 * OFFSET * len(groups)
            axes.set_xlim(epsilons[0] / factor, epsilons[0] * factor)
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.minorticks_off()


def scale_by_logarithm(axes: Axes) -> None:
    """Make the y axis logarithmic, with ticks at 1, 2 and 5 times powers of ten.

    If it spans three decades or more, it has ticks only at powers of ten.
    """
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
    axes.yaxis.set_major_formatter(lambda x, _: in_words(round(x) if x >= 1 else float(x)))
    axes.yaxis.set_minor_locator(NullLocator())


def thin_labels(figure: Figure, axes: Axes) -> None:
    """Remove tick labels of a shared x axis that would overlap others, but keep the ticks.

    axes: a panel with the tick labels. The first and the last label remain if there is room.
    """
    figure.draw_without_rendering()  # determines the widths of the panels and labels
    labels = axes.get_xticklabels()
    extents = [(box.x0, box.x1) for box in (label.get_window_extent() for label in labels)]
    gap = 3 * figure.dpi / 72
    last = len(extents) - 1
    kept = [0]
    for i in range(1, last):
        if extents[kept[-1]][1] + gap < extents[i][0] and extents[i][1] + gap < extents[last][0]:
            kept.append(i)
    if extents[kept[-1]][1] + gap < extents[last][0]:
        kept.append(last)
    texts = [label.get_text() if i in kept else "" for i, label in enumerate(labels)]
    axes.set_xticks(axes.get_xticks(), texts)


def legend(figure: Figure, axes: Axes, heading: str) -> None:
    """Put one legend above all panels, with a heading and the labels of one panel.

    It has the smallest number of rows that fits the figure's width. The figure's height increases
    by all rows but the first.
    """
    handles, labels = axes.get_legend_handles_labels()
    for row_count in range(1, len(labels) + 1):
        drawn = figure.legend(
            handles,
            labels,
            loc="outside upper center",
            ncols=-(-len(labels) // row_count),
            markerscale=1.3,
            title=heading,
        )
        drawn.get_title().set_multialignment("center")
        box = drawn.get_window_extent()
        if box.width < figure.bbox.width or row_count == len(labels):
            break
        drawn.remove()
    figure.set_figheight(figure.get_figheight() - LEGEND_HEIGHT + box.height / figure.dpi)
