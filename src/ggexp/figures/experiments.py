"""Figures 6 to 12: what sanitizing does to the counts of the experiments."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
        top = table[["original", "sanitized", "high"]].max().max()
        for i, j, panel in _panels(table):
            _draw_panel(axes[i, j], panel, looks, top)
        _label_grid(axes, epsilons, deltas)
        figure.supxlabel("original count (records)", fontsize=8)
        figure.supylabel("sanitized count (records)", fontsize=8)
        _legend(figure, axes[0, 0])
    return figure


def _draw_panel(
    axes: Axes, panel: pd.DataFrame, looks: dict[str, tuple[str, str, str, str]], top: float
) -> None:
    """Draw a panel's identity line, bands and points."""
    axes.plot([0, top], [0, top], color=style.GREY, linewidth=0.6, zorder=1)
    for name, cells in panel.groupby("mechanism", sort=False):
        label, colour, marker, _ = looks[str(name)]
        band = cells.drop_duplicates("original").sort_values("original")
        axes.fill_between(
            band["original"], band["low"], band["high"], color=colour, alpha=0.15, linewidth=0
        )
        axes.scatter(
            cells["original"],
            cells["sanitized"],
            s=7,
            marker=marker,
            facecolor="none",
            edgecolor=colour,
            linewidth=0.6,
            label=label,
            zorder=3,
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
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
