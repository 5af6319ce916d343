"""Figures F1 to F3: Laplace and Gaussian noise as in the paper's first version."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ggexp.figures import style

Look = tuple[str, style.Line]
LAPLACE, *GAUSSIANS = style.CURVES[:5]  # of Gaussian noise one for each δ, in ascending order
TRUNCATED = {
    "laplace": ("truncated Laplace", *LAPLACE),
    "gaussian": ("truncated Gaussian", *GAUSSIANS[0]),
}
# distance between the bars of adjacent curves beyond a bound, as a fraction of the bound
BAR_OFFSET = 0.035
BAR_WIDTH = 2.2  # points


@style.settings()
def truncated_densities(table: pd.DataFrame) -> Figure:
    """Return Figure F1: densities of truncated noise, a panel for each example."""
    figure = Figure(figsize=(style.WIDTH, 4.2))
    panels = figure.subplots(2, 2).ravel()
    for axes, (panel, rows) in zip(panels, table.groupby("panel"), strict=True):
        first = rows.iloc[0]
        values = "one value" if first["values"] == 1 else f"{first['values']} values"
        axes.set_title(
            f"({panel}) {values}, ε = {first['epsilon']:g}, "
            f"{first['value']:g} within [0, {first['width']:g}]"
        )
        style.curves(axes, rows, TRUNCATED, by="mechanism", x="x", y="density")
        axes.set(xlabel="noise $x$", ylim=(0, None), xlim=(rows["x"].min(), rows["x"].max()))
    for axes in panels[::2]:
        axes.set_ylabel("density")
    style.legend(figure, panels[0])
    return figure


@style.settings()
def densities(table: pd.DataFrame) -> Figure:
    """Return Figure F2: densities of unbounded noise, a panel for each ε."""
    by_epsilon = table.groupby("epsilon")
    figure, panels = style.side_by_side(by_epsilon.ngroups, height=2.6, sharey=False)
    for axes, (epsilon, rows) in zip(panels, by_epsilon, strict=True):
        for label, curve, (colour, line) in _curves(rows):
            axes.plot(curve["x"], curve["density"], color=colour, linestyle=line, label=label)
        axes.set(title=f"ε = {epsilon:g}", xlabel="noise $x$", ylim=(0, None))
        axes.set_xlim(rows["x"].min(), rows["x"].max())
    panels[0].set_ylabel("density")
    style.legend(figure, panels[0])
    return figure


@style.settings()
def histograms(table: pd.DataFrame) -> Figure:
    """Return Figure F3: shares of bounded releases, a row of panels for each bound."""
    bounds, epsilons = table["bound"].unique(), table["epsilon"].unique()
    figure = Figure(figsize=(style.WIDTH, 2.1 * len(bounds) + 0.5))
    panels = figure.subplots(len(bounds), len(epsilons), squeeze=False)
    for row, bound in zip(panels, bounds, strict=True):
        for axes, epsilon in zip(row, epsilons, strict=True):
            selected = table[(table["bound"] == bound) & (table["epsilon"] == epsilon)]
            _draw_histogram(axes, selected, bound)
            axes.set(title=f"ε = {epsilon:g}, within ±{bound:g}", ylim=(0, None))
        row[0].set_ylabel("share of releases")
    for axes in panels[-1]:
        axes.set_xlabel("noise after bounding")
    bars = Line2D([], [], color=style.GREY, marker="|", linestyle="none", label="on a bound")
    bars.set(markersize=8, markeredgewidth=BAR_WIDTH)
    style.legend(figure, panels[0][0], bars)
    return figure


def _draw_histogram(axes: Axes, table: pd.DataFrame, bound: float) -> None:
    """Draw the bins as steps, and the shares on the bounds as bars side by side beyond them."""
    for i, (label, curve, (colour, line)) in enumerate(_curves(table)):
        inside = curve[curve["left"] < curve["right"]]
        edges = [*inside["left"], inside["right"].iloc[-1]]
        axes.stairs(
            inside["share"], edges, baseline=None, color=colour, linestyle=line, label=label
        )
        on_bounds = curve[curve["left"] == curve["right"]]
        position = bound * (1 + BAR_OFFSET * (i + 1))
        x = [position if edge > 0 else -position for edge in on_bounds["left"]]
        axes.vlines(x, 0, on_bounds["share"], color=colour, linewidth=BAR_WIDTH)
    axes.set_xlim(-bound * (1 + BAR_OFFSET * 6), bound * (1 + BAR_OFFSET * 6))


def _curves(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame, Look]]:
    """Return label, rows and look of Laplace noise, and of Gaussian noise at each δ."""
    curves = [("Laplace", table[table["mechanism"] == "laplace"], LAPLACE)]
    gaussian = table[table["mechanism"] == "gaussian"]
    for (delta, curve), look in zip(gaussian.groupby("delta"), GAUSSIANS, strict=True):
        curves.append((f"Gaussian, δ = {delta:g}", curve, look))
    return curves
