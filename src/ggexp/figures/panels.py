"""What the figures of the experiments share: a panel for each δ, or each (ε, δ), and a legend."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure


def draw_against_epsilon(
    row: np.ndarray, table: pd.DataFrame, looks: dict[str, tuple[str, str, str, str]]
) -> None:
    """Draw mean ± sd of one metric against ε in a row of panels, one for each δ."""
    epsilons = table["epsilon"].unique()
    for axes, delta in zip(row, deltas_of(table), strict=True):
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


def deltas_of(table: pd.DataFrame) -> list[float]:
    """Return the δ of the panels: NaN alone where no mechanism has one."""
    return list(table["delta"].dropna().unique()) or [np.nan]


def panels(table: pd.DataFrame) -> Iterator[tuple[int, int, pd.DataFrame]]:
    """Yield row, column and rows of each (ε, δ); mechanisms without a δ are in every column."""
    for i, epsilon in enumerate(table["epsilon"].unique()):
        for j, delta in enumerate(deltas_of(table)):
            at_delta = table["delta"].isna() | (table["delta"] == delta)
            yield i, j, table[(table["epsilon"] == epsilon) & at_delta]


def label_columns(row: np.ndarray, deltas: np.ndarray) -> None:
    """Name the columns by their δ."""
    for axes, delta in zip(row, deltas, strict=False):
        axes.set_title(f"δ = {delta:g}")


def label_grid(grid: np.ndarray, epsilons: np.ndarray, deltas: np.ndarray) -> None:
    """Name the columns by their δ above, and the rows by their ε at the right."""
    label_columns(grid[0], deltas)
    for axes, epsilon in zip(grid[:, -1], epsilons, strict=True):
        axes.annotate(
            f"ε = {epsilon:g}",
            (1.03, 0.5),
            xycoords="axes fraction",
            rotation=270,
            va="center",
        )


def legend(figure: Figure, axes: Axes) -> None:
    """Put one legend above all panels, with what is in the first."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), markerscale=1.3)
