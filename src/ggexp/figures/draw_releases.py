"""Figures 6, 8 and 10: sanitized against original counts."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ggexp.figures import style
from ggexp.figures.panels import label_grid, legend, panels


def draw_releases(table: pd.DataFrame) -> Figure:
    """Return Figure 6, 8 or 10: sanitized against original counts, a panel for each (ε, δ).

    table: the columns of `ggexp.figures.tabulate_releases.bin_releases`. Points are the first
    release, the bands behind them the range over the repeats.
    """
    looks = style.looks(table["mechanism"].unique())
    epsilons = table["epsilon"].unique()
    deltas = table["delta"].dropna().unique()
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 1.75 * len(epsilons) + 0.5))
        axes = figure.subplots(
            len(epsilons), max(1, len(deltas)), sharex=True, sharey=True, squeeze=False
        )
        draw = _draw_densities if "cells" in table else _draw_points
        for i, j, panel in panels(table):
            axes[i, j].axline((0, 0), slope=1, color=style.GREY, linewidth=0.7, zorder=1)
            draw(axes[i, j], panel, looks)
        label_grid(axes, epsilons, deltas)
        axes[0, 0].yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes[0, 0].xaxis.set_major_locator(MaxNLocator(4, integer=True))
        figure.supxlabel("original count (records)", fontsize=8)
        figure.supylabel("sanitized count (records)", fontsize=8)
        legend(figure, axes[0, 0])
    return figure


def _draw_points(
    axes: Axes, panel: pd.DataFrame, looks: dict[str, tuple[str, str, str, str]]
) -> None:
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


def _draw_densities(
    axes: Axes, panel: pd.DataFrame, looks: dict[str, tuple[str, str, str, str]]
) -> None:
    """Draw each mechanism's cells as bars beside their original count, and its range as a line."""
    groups = list(panel.groupby("mechanism", sort=False))
    width = 0.9 / len(groups)
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
