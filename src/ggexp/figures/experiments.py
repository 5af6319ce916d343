"""Figures 6 to 12: what sanitizing does to the counts of the experiments."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ggexp.figures import style

ERRORS = {"l1": "l₁ distance (records)", "kl": "KL divergence (nats)"}


def draw_releases(table: pd.DataFrame) -> Figure:
    """Return Figures 6 and 8: sanitized against original counts, a panel for each (ε, δ).

    table: the columns of `ggexp.experiment.releases.tabulate_releases`. Points are the first
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
        for i, j, panel in _panels(table):
            axes[i, j].axline((0, 0), slope=1, color=style.GREY, linewidth=0.7, zorder=1)
            draw(axes[i, j], panel, looks)
        _label_grid(axes, epsilons, deltas)
        axes[0, 0].yaxis.set_major_locator(MaxNLocator(4, integer=True))
        axes[0, 0].xaxis.set_major_locator(MaxNLocator(4, integer=True))
        figure.supxlabel("original count (records)", fontsize=8)
        figure.supylabel("sanitized count (records)", fontsize=8)
        _legend(figure, axes[0, 0])
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


def draw_errors(table: pd.DataFrame) -> Figure:
    """Return Figures 7, 9 and 11: l1 distance and KL divergence against ε, a panel for each δ.

    table: rows of the summary with the metrics l1 and kl. Points are means over the repeats, bars
    one standard deviation.
    """
    table = table[table["metric"].isin(ERRORS)]
    looks = style.looks(table["mechanism"].unique())
    deltas = table["delta"].dropna().unique()
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 4.2))
        axes = figure.subplots(
            len(ERRORS), max(1, len(deltas)), sharex=True, sharey="row", squeeze=False
        )
        for row, (metric, label) in zip(axes, ERRORS.items(), strict=True):
            _draw_against_epsilon(row, table[table["metric"] == metric], looks)
            row[0].set_ylabel(label)
            row[0].set_ylim(bottom=0)
        _label_columns(axes[0], deltas)
        figure.supxlabel("privacy budget ε", fontsize=8)
        _legend(figure, axes[0, 0])
    return figure


def draw_accuracy(table: pd.DataFrame) -> Figure:
    """Return Figure 12: accuracy on the test records against ε, a panel for each δ.

    table: mechanism, epsilon, delta, mean, sd of the accuracy (in [0, 1]), and a row with the
        mechanism "original" for what training on the original counts gives, drawn as a line. Points
        are means over the repeats, bars one standard deviation.
    """
    is_original = table["mechanism"] == "original"
    means = table[~is_original].copy()
    means[["mean", "sd"]] *= 100
    original = 100 * table.loc[is_original, "mean"].item()
    looks = style.looks(means["mechanism"].unique())
    deltas = means["delta"].dropna().unique()
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 2.5))
        row = figure.subplots(1, max(1, len(deltas)), sharex=True, sharey=True, squeeze=False)[0]
        for axes in row:
            axes.axhline(original, color=style.BLACK, linewidth=0.8, label="original counts")
        _draw_against_epsilon(row, means, looks)
        row[0].set_ylabel("accuracy on test records (%)")
        _label_columns(row, deltas)
        figure.supxlabel("privacy budget ε", fontsize=8)
        _legend(figure, row[0])
    return figure


def _draw_against_epsilon(
    row: np.ndarray, table: pd.DataFrame, looks: dict[str, tuple[str, str, str, str]]
) -> None:
    """Draw mean ± sd of one metric against ε in a row of panels, one for each δ."""
    epsilons = table["epsilon"].unique()
    for axes, delta in zip(row, _deltas(table), strict=True):
        panel = table[table["delta"].isna() | (table["delta"] == delta)]
        groups = list(panel.groupby("mechanism", sort=False))
        for i, (name, means) in enumerate(groups):
            label, colour, marker, line = looks[str(name)]
            # side by side, so that bars do not hide each other
            shift = (i - (len(groups) - 1) / 2) * 0.035
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
        axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
        axes.minorticks_off()


def _deltas(table: pd.DataFrame) -> list[float]:
    """Return the δ of the panels: NaN alone where no mechanism has one."""
    return list(table["delta"].dropna().unique()) or [np.nan]


def _panels(table: pd.DataFrame) -> Iterator[tuple[int, int, pd.DataFrame]]:
    """Yield row, column and rows of each (ε, δ); mechanisms without a δ are in every column."""
    for i, epsilon in enumerate(table["epsilon"].unique()):
        for j, delta in enumerate(_deltas(table)):
            at_delta = table["delta"].isna() | (table["delta"] == delta)
            yield i, j, table[(table["epsilon"] == epsilon) & at_delta]


def _label_columns(row: np.ndarray, deltas: np.ndarray) -> None:
    for axes, delta in zip(row, deltas, strict=False):
        axes.set_title(f"δ = {delta:g}")


def _label_grid(grid: np.ndarray, epsilons: np.ndarray, deltas: np.ndarray) -> None:
    """Name the columns by their δ above, and the rows by their ε at the right."""
    _label_columns(grid[0], deltas)
    for axes, epsilon in zip(grid[:, -1], epsilons, strict=True):
        axes.annotate(
            f"ε = {epsilon:g}",
            (1.03, 0.5),
            xycoords="axes fraction",
            rotation=270,
            va="center",
        )


def _legend(figure: Figure, axes: Axes) -> None:
    """Put one legend above all panels, with what is in the first."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), markerscale=1.3)
