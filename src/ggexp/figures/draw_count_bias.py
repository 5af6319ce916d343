"""A figure of the count bias: the mean change of counts when records are made."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.by_method import METHODS, panels_of


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of the bias against the original count, a panel for each ε, mechanism and δ.

    Points are means over the repeats and over the cells with the same count, error bars are ± one
    standard error; the line is the exact mean for noisy counts that are clamped and rounded.
    """
    epsilons, groups = table["epsilon"].unique(), panels_of(table)
    with style.settings():
        figure = Figure()
        labels = [f"count bias (records), {panels.title(epsilon=epsilon)}" for epsilon in epsilons]
        blocks = panels.blocks(figure, labels, list(groups))
        figure.set_size_inches(style.WIDTH, 0.8 + 1.9 * len(epsilons) * panels.rows(len(groups)))
        for block, epsilon in zip(blocks, epsilons, strict=True):
            for axes, rows in zip(block, groups.values(), strict=True):
                _draw_bias(axes, rows[rows["epsilon"] == epsilon])
        # logarithmic because most counts are small, but linear up to 1 because some may be 0
        smallest, largest = table["original"].min(), table["original"].max()
        blocks[0][0].set_xscale("symlog", linthresh=1)
        if smallest > 0:
            blocks[0][0].set_xlim(0.8 * smallest, 1.2 * largest)
        candidates = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
        ticks = [tick for tick in candidates if smallest <= tick <= largest]
        blocks[0][0].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        blocks[0][0].minorticks_off()
        figure.supxlabel("original count (records)", fontsize=8)
        repeats = int(table["repeats"].max())
        heading = f"{dataset}: mean ± standard error of {repeats:,} repeats"
        panels.legend(figure, blocks[0][0], heading)
        panels.thin_labels(figure, blocks[-1][-1])
    return figure


def _draw_bias(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw one panel: each method's means, and the exact means if they are known."""
    axes.axhline(0, color=style.GREY, linewidth=0.6)
    for i, (name, (label, colour, marker, _)) in enumerate(METHODS.items()):
        means = rows[rows["method"] == name]
        if means.empty:
            continue
        is_multinomial = name == "multinomial"  # drawn below the others, because it varies most
        axes.errorbar(
            means["original"],
            means["mean"],
            yerr=means["se"].fillna(0),
            color=colour,
            marker=marker,
            linestyle="none",
            markersize=2.2,
            elinewidth=0.5,
            alpha=0.6 if is_multinomial else 1,
            label=label,
            zorder=2 if is_multinomial else 3 + i,
        )
        if means["exact"].notna().any():
            text = f"{label}, exact"
            axes.plot(means["original"], means["exact"], color=colour, lw=0.8, label=text)
