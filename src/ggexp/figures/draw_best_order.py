"""Figures S3 and S9: the best order for one release and for several, and other noise."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure

from ggexp.figures import findings, panels, style
from ggexp.figures.tabulate_best_order import BASIC, BEST


class Map(NamedTuple):
    """How a column is drawn over ε and δ: its title, the levels of its contours, its colours."""

    column: str
    title: str
    levels: list[float]
    colours: str
    norm: Normalize


LEVELS = [
    ([1.01, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 40], "Blues", LogNorm(0.8, 60)),
    ([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99], "Oranges_r", Normalize(0.2, 1.05)),
    ([0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99], "Oranges_r", Normalize(0.2, 1.05)),
    ([0.9, 0.95, 1, 1.01, 1.05, 1.1, 1.15], "PuOr_r", Normalize(0.8, 1.2)),
]
MAPS = [
    Map("order", "best order $p$ (1 Laplace, 2 Gaussian)", *LEVELS[0]),
    Map("of_laplace", "its sd / sd of Laplace noise", *LEVELS[1]),
    Map("of_gaussian", "its sd / sd of Gaussian noise", *LEVELS[2]),
    Map("of_truncated", "its sd / sd of truncated Laplace noise", *LEVELS[3]),
]
LINES = [*zip(style.CURVES[:3], "os^", strict=True)]
#: The ticks of the numbers of tables in Figure S9.
TABLES = (1, 2, 5, 10, 30, 91)


@style.settings()
def draw(table: pd.DataFrame) -> Figure:
    """Return Figure S3: maps for one release, and below them the best orders for several."""
    figure = Figure(figsize=(style.WIDTH, 8))
    grid = figure.add_gridspec(3, 6, height_ratios=[1, 1, 0.8])
    single = table[table["releases"] == 1]
    maps = []
    for i, shown in enumerate(MAPS):
        row, column = divmod(i, 2)
        axes = figure.add_subplot(grid[row, 3 * column : 3 * column + 3])
        maps.append(draw_map(axes, single, shown))
        if not column:
            axes.set_ylabel("δ")
    composed = table[table["releases"] > 1]
    first: Axes | None = None
    for i, releases in enumerate(table["releases"].unique()):
        axes = figure.add_subplot(grid[2, 2 * i : 2 * i + 2], sharey=first)
        panel = table[(table["releases"] == releases) & table["delta"].isin(composed["delta"])]
        draw_orders(axes, panel[panel["epsilon"].isin(composed["epsilon"])])
        axes.set_title("1 release" if releases == 1 else f"{releases} releases")
        if first is None:
            first = axes
            axes.set_ylabel("best order $p$")
            axes.legend()
    style.entitle(figure, findings.title("", of_orders(table)))
    figure.draw_without_rendering()  # determines the positions of the contours
    for contours in maps:
        for text in contours.axes.clabel(contours, fmt="%g", fontsize=6.5):
            text.set_clip_on(False)  # near an edge, it would be cut off
    return figure


def of_orders(table: pd.DataFrame) -> list[str]:
    """Return the findings of Figure S3, on truncated Laplace noise and on the orders of many."""
    ratios = table.loc[table["releases"] == 1, "of_truncated"]
    smaller = int((ratios < 1 - findings.ROUNDING).sum())
    last = table[table["releases"] == table["releases"].max()]
    return [
        f"The best order needs less noise than truncated Laplace at {smaller:,} of {len(ratios):,} "
        "points",
        f"for {last['releases'].max()} releases it is {findings.ends_of(last['order'])}",
    ]


def of_tables(table: pd.DataFrame) -> list[str]:
    """Return the findings of Figure S9, on the best order for the most tables."""
    most = table[table["tables"] == table["tables"].max()].set_index(["noise", "delta"])
    ratios, orders = most.loc[BEST, "sd"] / most.loc[BASIC, "sd"], most.loc[BEST, "order"]
    return [
        f"For {most['tables'].max()} tables, noise of the best order, {findings.ends_of(orders)}, "
        f"has {findings.ends_of(100 * ratios)} % of the standard deviation of {BASIC}"
    ]


def draw_map(axes: Axes, table: pd.DataFrame, shown: Map) -> QuadContourSet:
    """Draw a column over ε and δ in colours, and return its contours."""
    values = table.pivot_table(index="delta", columns="epsilon", values=shown.column)
    x, y = np.meshgrid(values.columns, values.index)
    axes.set(xscale="log", title=shown.title, xlabel="ε")
    # a logarithmic axis would show mostly small δ
    position = (lambda delta: np.sign(delta) * np.abs(delta) ** 0.2, lambda y: y**5)
    axes.set_yscale("function", functions=position)
    axes.pcolormesh(
        x, y, values, shading="gouraud", cmap=shown.colours, norm=shown.norm, rasterized=True
    )
    lines = axes.contour(x, y, values, levels=shown.levels, colors=style.BLACK, linewidths=0.6)
    style.ticks(axes.xaxis, [0.02, 0.1, 0.5, 1, 2, 5])
    axes.set_yticks([1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.4])
    axes.set_yticklabels(["10⁻⁶", "10⁻⁴", "0.001", "0.01", "0.05", "0.1", "0.2", "0.4"])
    axes.minorticks_off()
    return lines


def draw_orders(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the best order against ε, a line for each δ."""
    for (_, curve), ((colour, line), marker) in zip(table.groupby("delta"), LINES, strict=True):
        look: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": line}
        label = panels.title(delta=curve["delta"].iloc[0])
        axes.plot(curve["epsilon"], curve["order"], label=label, **look)
    for order in (1, 2):
        axes.axhline(order, color=style.GREY, linewidth=0.6, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="joint ε")
    style.ticks(axes.xaxis, [0.1, 0.5, 1, 2, 5])
    style.ticks(axes.yaxis, [1, 1.5, 2, 3, 4])
    axes.minorticks_off()


@style.settings()
def noise_of_tables(table: pd.DataFrame) -> Figure:
    """Return Figure S9: the standard deviation relative to Laplace noise, and the best order."""
    titles = [panels.title(delta=delta) for delta in table["delta"].unique()]
    labels = [f"sd / sd of {BASIC}", "best order $p$"]
    figure, (ratios, orders) = panels.blocks(labels, titles, 1.7)
    for upper, lower, (_, rows) in zip(ratios, orders, table.groupby("delta"), strict=True):
        sds = rows.pivot_table(index="tables", columns="noise", values="sd", sort=False)
        for name, (colour, line) in zip(sds.drop(columns=BEST), style.CURVES, strict=False):
            ratio = sds[name] / sds[BASIC]
            upper.plot(ratio.index, ratio, color=colour, linestyle=line, label=name)
        best = rows[rows["noise"] == BEST]
        lower.plot(best["tables"], best["order"], color=style.BLACK, marker="o")
        lower.grid(axis="y", color=style.GREY, linewidth=0.4)
    ratios[0].set(xscale="log", yscale="log")
    style.ticks(ratios[0].yaxis, [0.3, 0.5, 1, 2, 3, 5])
    style.ticks(orders[0].xaxis, TABLES)
    orders[0].set_yticks([1, 1.5, 2])
    for axes in (*ratios, *orders):
        axes.minorticks_off()
    figure.supxlabel("number of tables m that satisfy (1, δ) together", fontsize=8)
    style.entitle(figure, findings.title("", of_tables(table)), ratios[0])
    return figure
