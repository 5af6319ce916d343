"""Figure S3: the best order over ε and δ, its gain, and the noise of truncated Laplace."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ggexp.figures import panels, style


class Map(NamedTuple):
    """A column over ε and δ: its title, the levels of its contours, its colours."""

    column: str
    title: str
    levels: list[float]
    colours: str
    norm: Normalize


MAPS = [
    Map(
        "order",
        "best order $p$ (1 Laplace, 2 Gaussian)",
        [1.01, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 40],
        "Blues",
        LogNorm(0.8, 60),
    ),
    Map(
        "of_laplace",
        "its noise : Laplace noise",
        [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99],
        "Oranges_r",
        Normalize(0.2, 1.05),
    ),
    Map(
        "of_gaussian",
        "its noise : Gaussian noise",
        [0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99],
        "Oranges_r",
        Normalize(0.2, 1.05),
    ),
    Map(
        "of_truncated",
        "its noise : truncated Laplace noise",
        [0.9, 0.95, 1, 1.01, 1.05, 1.1, 1.15],
        "PuOr_r",
        Normalize(0.8, 1.2),
    ),
]
ROOM = 6  # points that a contour's label has around its middle; labels are three times as far apart
NOWHERE = np.full((1, 2), np.inf)  # a place that is far from all others
PIECES = 8  # of a contour between two corners, at the ends of which its label may stand
LINES = [
    (style.BLUE, "o", "-"),
    (style.VERMILLION, "s", "--"),
    (style.GREEN, "^", "-."),
]


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return Figure S3, drawn from its table: four maps of one release, lines of many.

    table: what `ggexp.figures.tabulate_best_order.tabulate` returns.
    """
    del number
    with style.settings():
        return draw_best_order(table)


def draw_best_order(table: pd.DataFrame) -> Figure:
    """Return Figure S3: maps over ε and δ of one release, and below the orders of several."""
    drawn = Figure(figsize=(style.WIDTH, 8))
    grid = drawn.add_gridspec(3, 6, height_ratios=[1, 1, 0.8])
    one = table[table["releases"] == 1]
    maps = []
    for i, what in enumerate(MAPS):
        row, side = divmod(i, 2)
        axes = drawn.add_subplot(grid[row, 3 * side : 3 * side + 3])
        maps.append(draw_map(axes, one, what))
        if not side:
            axes.set_ylabel(r"$\delta$")
    many = table[table["releases"] > 1]
    first: Axes | None = None
    for i, releases in enumerate(table["releases"].unique()):
        axes = drawn.add_subplot(grid[2, 2 * i : 2 * i + 2], sharey=first)
        panel = table[(table["releases"] == releases) & table["delta"].isin(many["delta"])]
        draw_orders(axes, panel[panel["epsilon"].isin(many["epsilon"])])
        axes.set_title("1 release" if releases == 1 else f"{releases} releases")
        if first is None:
            first = axes
            axes.set_ylabel("best order $p$")
            axes.legend()
    drawn.draw_without_rendering()  # now it is known where the contours lie
    for contours in maps:
        label(contours)
    return drawn


def draw_map(axes: Axes, table: pd.DataFrame, what: Map) -> QuadContourSet:
    """Draw a column over ε and δ in colours, and return the contours in it."""
    values = table.pivot_table(index="delta", columns="epsilon", values=what.column)
    x, y = np.meshgrid(values.columns, values.index)
    axes.set(xscale="log", title=what.title, xlabel=r"$\epsilon$")
    axes.set_yscale("function", functions=(_spread, lambda y: y**5))
    axes.pcolormesh(
        x, y, values, shading="gouraud", cmap=what.colours, norm=what.norm, rasterized=True
    )
    lines = axes.contour(x, y, values, levels=what.levels, colors=style.BLACK, linewidths=0.6)
    axes.set_xticks([0.02, 0.1, 0.5, 1, 2, 5], ["0.02", "0.1", "0.5", "1", "2", "5"])
    axes.set_yticks([1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.2, 0.4])
    axes.set_yticklabels(["$10^{-6}$", "$10^{-4}$", "0.001", "0.01", "0.05", "0.1", "0.2", "0.4"])
    axes.minorticks_off()
    return lines


def label(contours: QuadContourSet) -> None:
    """Write its level on each line, where that is farthest from all else in the panel.

    A line that has no room for it goes without.
    """
    box = contours.axes.bbox
    segments = [segment for of_level in contours.allsegs for segment in of_level]
    lines = [_points(contours.axes.transData.transform(ends)) for ends in segments if len(ends)]
    places: list[NDArray[np.float64]] = []
    for i, line in enumerate(lines):
        room = [
            _distances(line, np.concatenate([NOWHERE, *lines[:i], *lines[i + 1 :]])),
            _distances(line, np.array([*NOWHERE, *places])) / 3,
            np.min([line - box.min, box.max - line], axis=(0, 2)),
        ]
        least = np.min(room, axis=0)
        if least.max() > ROOM * contours.axes.figure.dpi / 72:
            places.append(line[least.argmax()])
    to_data = contours.axes.transData.inverted()
    contours.axes.clabel(contours, fmt="%g", fontsize=6.5, manual=to_data.transform(places))


def _distances(points: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each point from the nearest other one."""
    apart = points[:, None] - others
    return np.hypot(apart[..., 0], apart[..., 1]).min(axis=1)


def _points(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points along a line: its corners, and some between each two of them."""
    steps = np.linspace(0, 1, PIECES, endpoint=False)[:, None, None]
    between = (corners[:-1] + steps * np.diff(corners, axis=0)).reshape(-1, 2)
    return np.concatenate([between, corners[-1:]])


def _spread(delta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where δ is drawn: a logarithm would leave most of the map to a δ of no interest."""
    return np.sign(delta) * np.abs(delta) ** 0.2


def draw_orders(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the best order against ε, a line for each δ."""
    for (_, curve), (colour, marker, line) in zip(table.groupby("delta"), LINES, strict=True):
        label = panels.title(delta=curve["delta"].iloc[0])
        axes.plot(
            curve["epsilon"],
            curve["order"],
            color=colour,
            marker=marker,
            linestyle=line,
            label=label,
        )
    for order in (1, 2):
        axes.axhline(order, color=style.GREY, linewidth=0.6, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel=r"$\epsilon$ of all together")
    axes.set_xticks([0.1, 0.5, 1, 2, 5], ["0.1", "0.5", "1", "2", "5"])
    axes.set_yticks([1, 1.5, 2, 3, 4], ["1", "1.5", "2", "3", "4"])
    axes.minorticks_off()
