"""The shared parts of the experiments' figures: rows of panels, axes, labels."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from ggexp.figures import style
from ggexp.figures.style import Look
from ggexp.figures.tabulate_summaries import deltas_of, rows_at
from ggexp.words import in_words

EPSILON = "privacy parameter ε"
MAX_COLUMNS = 4  # panels in a row; more panels continue in the next row
# horizontal offset between adjacent mechanisms, as a fraction of ε, so that their error bars do
# not overlap
OFFSET = 0.035
TICKS = 4  # largest number of steps between the round ticks of an axis
MARGINS = 0.8  # inches: all margins of a figure together
WIDE = 2.0  # points: width of a line that stands out
MIN_TICKS = 3  # smallest number of labelled ticks of an axis
LABEL_SIZE = 6.5  # points: size of the labels at the ends of lines
MAX_LABEL = 24  # characters of the longest label that fits
MAX_SHIFT = 1.6  # largest shift of a label from the end of its line, in lines of text


def title(text: str = "", /, *, epsilon: float = np.nan, delta: float = np.nan) -> str:
    """Return the title of a panel: a text, its ε and its δ, without values that are NaN."""
    values = {"ε": epsilon, "δ": delta}
    parts = (f"{name} = {in_words(x)}" for name, x in values.items() if not np.isnan(x))
    return ", ".join(filter(None, [text, *parts]))


def by_delta(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each panel of a figure with a panel for each δ, by title."""
    return {title(delta=delta): rows_at(table, delta) for delta in deltas_of(table)}


@style.settings()
def draw_blocks(
    metrics: Mapping[str, pd.DataFrame],
    heading: str,
    *,
    panels_of: Callable[[pd.DataFrame], dict[str, pd.DataFrame]] = by_delta,
    by: str = "mechanism",
    looks: dict[str, Look] | None = None,
    strongest: str = "",
    finish: Callable[[list[Axes], pd.DataFrame], object] = lambda block, rows: None,
) -> Figure:
    """Return a figure of means against ε, with a block of panels for each metric.

    metrics: label of the y axis -> rows of a summary. panels_of: returns the rows of each panel of
    a metric; a block may have fewer panels than others. by: the column with a line for each value.
    looks: value -> look, by default of mechanisms. strongest: the value with the widest line.
    finish: a function of a block's panels and rows, which is called when its lines are drawn.
    """
    parts = [panels_of(rows) for rows in metrics.values()]
    titles = max(map(list, parts), key=len)
    looks = looks or style.looks(pd.concat(metrics.values())[by].unique())
    figure, grid = blocks(list(metrics), titles)
    for i, (block, panels) in enumerate(zip(grid, parts, strict=True)):
        if len(panels) < len(block):
            _keep_one_panel(block, above=grid[i - 1])
        for axes, lines in zip(block, panels.values(), strict=True):
            _draw_lines(axes, lines, by, looks, strongest)
        finish(block, list(metrics.values())[i])
    figure.supxlabel(EPSILON, fontsize=8)
    figure.draw_without_rendering()  # determines the positions of the lines
    for block in grid:
        _label_ends(block[-1])
    style.entitle(figure, heading, grid[0][0])
    thin_labels(figure, grid[-1][-1])
    return figure


def _keep_one_panel(block: list[Axes], above: list[Axes]) -> None:
    """Keep only the first panel of a block whose mechanisms have no δ; others would be equal."""
    block[0].set_title("without δ")
    for axes, upper in zip(block[1:], above[1:], strict=True):
        axes.remove()
        upper.tick_params(labelbottom=True)
    del block[1:]


def _draw_lines(
    axes: Axes, table: pd.DataFrame, by: str, looks: dict[str, Look], strongest: str
) -> None:
    """Draw a line of means against ε for each group, ± sd, or ± standard error without an sd."""
    groups, epsilons = list(table.groupby(by, sort=False)), np.unique(table["epsilon"])
    offset = OFFSET
    # points must be closer to their own ε than to the next
    if len(groups) > 1 and len(epsilons) > 1:
        smallest_gap = np.log(epsilons[1:] / epsilons[:-1]).min()
        offset = min(OFFSET, 0.6 * smallest_gap / (len(groups) - 1))
    for i, (name, group) in enumerate(groups):
        label, colour, marker, line = looks[str(name)]
        means = group.sort_values("epsilon")
        x = means["epsilon"] * (1 + (i - (len(groups) - 1) / 2) * offset)
        look: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": line}
        if name == strongest:
            look |= {"linewidth": WIDE, "zorder": 3}
        spread = means["sd"].fillna(means["se"]).fillna(0)
        axes.errorbar(x, means["mean"], spread, elinewidth=0.7, capsize=1.5, label=label, **look)
    axes.set_xscale("log")
    if len(epsilons) == 1:  # otherwise the points would spread from edge to edge
        factor = 1 + 1.2 * OFFSET * len(groups)
        axes.set_xlim(epsilons[0] / factor, epsilons[0] * factor)
    axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
    axes.minorticks_off()
    ticks = MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], min_n_ticks=MIN_TICKS)
    axes.yaxis.set_major_locator(ticks)
    axes.yaxis.set_major_formatter(lambda y, _: in_words(float(y)))


def _label_ends(axes: Axes) -> None:
    """Write the labels of lines beside their right ends, if small shifts make room for all."""
    bars = [bars for bars in axes.containers if isinstance(bars, ErrorbarContainer) and bars[0]]
    lines, labels = [drawn[0] for drawn in bars], [str(drawn.get_label()) for drawn in bars]
    ends = [axes.transData.transform(line.get_xydata()[-1])[1] for line in lines]
    order = np.argsort(ends)
    room = 1.15 * LABEL_SIZE * axes.figure.dpi / 72
    steps = room * np.arange(len(lines))
    # isotonic regression by its formula, because scipy.optimize takes 0.3 s to load
    places, count = np.sort(ends) - steps, len(lines)
    shifted = steps + [
        max(min(places[a:b].mean() for b in range(i + 1, count + 1)) for a in range(i + 1))
        for i in range(count)
    ]
    largest_shift = np.abs(shifted - np.sort(ends)).max()
    # on the right may be another axis
    if axes.child_axes or max(map(len, labels)) > MAX_LABEL or largest_shift > MAX_SHIFT * room:
        return
    for i, position in zip(order, shifted, strict=True):
        height = axes.transAxes.inverted().transform((0, position))[1]
        axes.annotate(
            *(labels[i], (1, height), (4, 0), "axes fraction", "offset points"),
            **{"va": "center", "fontsize": LABEL_SIZE, "color": lines[i].get_color()},
        )


def blocks(
    labels: Sequence[str], titles: Sequence[str], height: float = 1.6, margins: float = MARGINS
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure, a block of panels for each y label, and in it a panel for each title.

    Blocks are stacked vertically, with at most `MAX_COLUMNS` panels in a row. All panels share
    the x axis, and the panels of a block share the y axis. The leftmost panels have y tick labels.
    If a block has several rows, the lowest panel of each of its columns has x tick labels;
    otherwise only the panels of the last block have them.
    height: of a row of panels, in inches, as the margins of all together.
    """
    row_count = -(-len(titles) // MAX_COLUMNS)
    columns = -(-len(titles) // row_count)
    figure = Figure(figsize=(style.WIDTH, margins + height * len(labels) * row_count))
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
    return figure, filled


def scale_by_logarithm(axes: Axes) -> None:
    """Make the y axis logarithmic, with ticks at round numbers: at least `MIN_TICKS` of them."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    for multiples in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8)):
        locator = LogLocator(subs=multiples)
        ticks = [tick for tick in locator.tick_values(low, high) if low <= tick <= high]
        if len(ticks) >= MIN_TICKS:
            break
    axes.set_yticks(ticks)
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
