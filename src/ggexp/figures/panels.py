"""The common part of the experiments' figures: panels in rows, axes, a legend."""

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

MAX_COLUMNS = 4  # panels side by side, before they go on in another row
STEP = 0.035  # from one mechanism to the next, as a share of ε: side by side, bars are all seen
LEGEND = 0.2  # inches that a legend has in the heights of figures; it adds what it has more


def title(*, epsilon: float = np.nan, delta: float = np.nan) -> str:
    """Return what a panel is about: its ε, its δ, or both, but nothing of one that is NaN."""
    values = {"ε": epsilon, "δ": delta}
    return ", ".join(f"{name} = {in_words(x)}" for name, x in values.items() if not np.isnan(x))


def repeats(table: pd.DataFrame) -> str:
    """Return what points and bars are, in words: mean ± sd of the table's repeats."""
    number = int(table["repeats"].max())
    return f"mean ± sd of {number:,} repeats" if number > 1 else "one repeat"


def baselines(table: pd.DataFrame) -> tuple[pd.DataFrame, float, float]:
    """Return accuracies in percent: of grid points, of the original counts, of the majority class.

    table: the columns of `ggexp.figures.tabulate_accuracy.tabulate`.
    """
    percent = table.assign(mean=100 * table["mean"], sd=100 * table["sd"])
    is_baseline = percent["mechanism"].isin(["original", "majority"])
    means = percent[is_baseline].set_index("mechanism")["mean"]
    return percent[~is_baseline], float(means["original"]), float(means["majority"])


def draw_majority(panels: Sequence[Axes], accuracy: float) -> str:
    """Draw the majority class's accuracy, if the axis of these panels has it, and return its place.

    accuracy: in percent. The panels share their axis, and all else is drawn.
    """
    low, high = panels[0].get_ylim()
    spanned = f"the axis spans {high - low:.2g} percentage points"
    text = f"{spanned}, the majority class is at {accuracy:.2f} %"
    if not low <= accuracy <= high:
        return f"{text}, {'below' if accuracy < low else 'above'} it"
    for axes in panels:
        axes.axhline(
            accuracy, color=style.GREY, linewidth=0.8, linestyle="--", label="majority class"
        )
    return text


def rows(panels: int) -> int:
    """Return how many rows so many panels are drawn in."""
    return -(-panels // MAX_COLUMNS)


def blocks(figure: Figure, labels: Sequence[str], titles: Sequence[str]) -> list[list[Axes]]:
    """Return a block of panels for each label of a y axis, in it a panel for each title.

    A block has its panels in `rows` of them, and stands below the one before. All share the x axis,
    those of a block the y axis. Numbers are at the left of each row, and below what has no panel of
    its block below it if there are several rows, else below the last block alone.
    """
    lines = rows(len(titles))
    columns = -(-len(titles) // lines)
    grid = figure.subplots(len(labels) * lines, columns, sharex=True, squeeze=False)
    made: list[list[Axes]] = []
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
            if lines > 1 or not made:  # else it stands above the same column
                axes.set_title(text)
            if lines > 1 and i + columns >= len(titles):
                axes.tick_params(labelbottom=True)
        made.append(panels)
    return made


def draw_against_epsilon(
    panels: Sequence[Axes],
    table: pd.DataFrame,
    looks: dict[str, Look],
    deltas: Sequence[float] | None = None,
) -> None:
    """Draw mean ± sd of one metric against ε in panels, one for each δ.

    deltas: those of the panels, by default the table's: it may have fewer than the figure.
    """
    epsilons = np.unique(table["epsilon"])
    for axes, delta in zip(panels, deltas or deltas_of(table), strict=True):
        groups = list(rows_at(table, delta).groupby("mechanism", sort=False))
        step = STEP
        if len(groups) > 1 and len(epsilons) > 1:  # nearer to their own ε than to the next
            nearest = np.log(epsilons[1:] / epsilons[:-1]).min()
            step = min(STEP, 0.6 * nearest / (len(groups) - 1))
        for i, (name, group) in enumerate(groups):
            label, colour, marker, line = looks[str(name)]
            means = group.sort_values("epsilon")
            # side by side, so that bars do not hide each other
            shift = (i - (len(groups) - 1) / 2) * step
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
        if len(epsilons) == 1:  # in the middle, and not from edge to edge as if at several
            reach = 1 + 1.2 * STEP * len(groups)
            axes.set_xlim(epsilons[0] / reach, epsilons[0] * reach)
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.minorticks_off()


def scale_by_logarithm(axes: Axes) -> None:
    """Make the y axis logarithmic, with numbers at 1, 2 and 5, or of many decades at 1 alone."""
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 1000 * low else (1,)))
    axes.yaxis.set_major_formatter(lambda x, _: in_words(round(x) if x >= 1 else float(x)))
    axes.yaxis.set_minor_locator(NullLocator())


def thin_labels(figure: Figure, axes: Axes) -> None:
    """Leave out labels of the ticks of a shared x axis that would run into others; ticks stay.

    axes: a panel that has the labels. The first and the last of them stay, if there is room.
    """
    figure.draw_without_rendering()  # now it is known how wide a panel is
    labels = axes.get_xticklabels()
    ends = [(box.x0, box.x1) for box in (label.get_window_extent() for label in labels)]
    gap = 3 * figure.dpi / 72
    last = len(ends) - 1
    kept = [0]
    for i in range(1, last):
        if ends[kept[-1]][1] + gap < ends[i][0] and ends[i][1] + gap < ends[last][0]:
            kept.append(i)
    if ends[kept[-1]][1] + gap < ends[last][0]:
        kept.append(last)
    texts = [label.get_text() if i in kept else "" for i, label in enumerate(labels)]
    axes.set_xticks(axes.get_xticks(), texts)


def legend(figure: Figure, axes: Axes, heading: str) -> None:
    """Put one legend above all panels, with what is in one of them, and a heading over it.

    It has as few rows as the figure's width allows, and the figure grows by all but the first.
    """
    handles, labels = axes.get_legend_handles_labels()
    for lines in range(1, len(labels) + 1):
        made = figure.legend(
            handles,
            labels,
            loc="outside upper center",
            ncols=-(-len(labels) // lines),
            markerscale=1.3,
            title=heading,
        )
        made.get_title().set_multialignment("center")
        box = made.get_window_extent()
        if box.width < figure.bbox.width or lines == len(labels):
            break
        made.remove()
    figure.set_figheight(figure.get_figheight() - LEGEND + box.height / figure.dpi)
