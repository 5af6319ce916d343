"""Figures S1, S2, S4, S6, S7 and F1 to F3: noise on one count, and its privacy."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ggexp.companions.figures import findings
from ggexp.companions.figures.tabulate_noise import GUARANTEE, WORST
from ggexp.figures import panels, style

MIN_DELTA = 1e-6  # lower end of the axis of Figure S1
#: Of Figure S4: rule and order -> look.
RULES = {
    "adp-classical 2": ("adp-classical", style.PURPLE, ":"),
    "adp-lecture 2": ("adp-lecture", style.ORANGE, style.LINES[3]),
    "zcdp 2": ("zcdp", style.SKY, style.LINES[5]),
    "pdp 2": ("pdp", style.VERMILLION, "--"),
    "pdp-exact 2": ("pdp-exact", style.BLACK, "-"),
    "pdp 3": ("pdp, order 3", style.GREEN, "-."),
}
AXES = {"epsilon": ("delta", "ε"), "delta": ("epsilon", "δ")}

#: The label and the ticks of the y axis of each row of panels of Figure S2.
PANELS: dict[str, tuple[str, list[float]]] = {
    "approximate": ("approximate DP\nE|e| / smallest E|e|", [1, 2, 5, 10, 20, 50]),
    "probabilistic": ("probabilistic DP\nsd / smallest symmetric sd", [0.7, 1, 2, 5, 10]),
}


@style.settings()
def loss_curves(table: pd.DataFrame) -> Figure:
    """Return Figure S1: exact δ against ε, a row per claimed ε, a column per claimed δ."""
    epsilons, deltas = (sorted(table[name].unique()) for name in ("epsilon", "delta"))
    looks = style.looks(table["mechanism"].unique())
    table = table.assign(clipped=table["exact_delta"].clip(lower=MIN_DELTA / 10))
    figure = Figure(figsize=(style.WIDTH, 1.7 * len(epsilons) + 0.4))
    grid = figure.subplots(len(epsilons), len(deltas), sharey=True, sharex="row", squeeze=False)
    for row, epsilon in zip(grid, epsilons, strict=True):
        for axes, delta in zip(row, deltas, strict=True):
            panel = table[(table["epsilon"] == epsilon) & (table["delta"] == delta)]
            style.curves(axes, panel, looks, by="mechanism", x="at_epsilon", y="clipped")
            axes.plot(epsilon, delta, "*", color=style.BLACK, markersize=7, label="claimed (ε, δ)")
            axes.set(title=panels.title(epsilon=epsilon, delta=delta), yscale="log")
            axes.set(ylim=(MIN_DELTA, 1), xlim=(0, panel["at_epsilon"].max()))
            axes.set_yticks([1e-6, 1e-4, 1e-2, 1])
            axes.minorticks_off()
            style.ticks(axes.xaxis, [0, epsilon, 2 * epsilon, 3 * epsilon, 4 * epsilon])
        row[0].set_ylabel("exact δ")
    for axes in grid[-1]:
        axes.set_xlabel("ε")
    style.entitle(figure, findings.of_loss_curves(table), grid[0, 0])
    return figure


@style.settings()
def looseness(table: pd.DataFrame) -> Figure:
    """Return Figure S4: scale over the scale of adp-exact, against ε (top) and δ (bottom)."""
    figure = Figure(figsize=(style.WIDTH, 4.8))
    grid = figure.subplots(2, 4, sharey=True, squeeze=False)
    table = table.assign(rule=table["calibration"] + " " + table["order"].map("{:g}".format))
    for row, (panel, (fixed, label)) in zip(grid, AXES.items(), strict=True):
        values: Any = table[table["panel"] == panel].groupby(fixed)
        for axes, (value, curves) in zip(row, values, strict=True):
            axes.axhspan(0.1, 1, color="0.92", linewidth=0)
            style.curves(axes, curves, RULES, by="rule", x=panel, y="ratio")
            title = panels.title(**{fixed: value})
            axes.set(title=title, xscale="log", yscale="log", xlabel=label)
            axes.set(xlim=(curves[panel].min(), curves[panel].max()), ylim=(0.5, 30))
            style.ticks(axes.yaxis, [0.5, 1, 2, 5, 10, 20])
            axes.minorticks_off()
        row[0].set_ylabel("scale / scale of adp-exact")
    for axes in grid[0]:
        style.ticks(axes.xaxis, [0.1, 1, 10])
    for axes in grid[1]:
        axes.set_xticks([1e-8, 1e-5, 1e-2])
    style.entitle(figure, findings.of_looseness(table), grid[0, 0])
    return figure


@style.settings()
def above_best(table: pd.DataFrame) -> Figure:
    """Return Figure S2: ratios to the smallest possible noise against ε, a column for each δ."""
    looks = style.looks(table["mechanism"].unique())
    deltas = sorted(table["delta"].unique())
    labels = [label for label, _ in PANELS.values()]
    figure, grid = panels.blocks(labels, [panels.title(delta=delta) for delta in deltas], 2.3)
    for row, (panel, (_, ticks)) in zip(grid, PANELS.items(), strict=True):
        for axes, delta in zip(row, deltas, strict=True):
            rows = table[(table["panel"] == panel) & (table["delta"] == delta)]
            axes.axhline(1, color=style.GREY, linewidth=0.8)
            for name, (label, colour, marker, line) in looks.items():
                curve = rows[rows["mechanism"] == name]  # empty if it is not in this panel
                look: dict[str, Any] = {"color": colour, "linestyle": line, "marker": marker}
                axes.plot(curve["epsilon"], curve["ratio"], label=label, markevery=6, **look)
            axes.set(xscale="log", yscale="log")
            style.ticks(axes.xaxis, [0.1, 0.5, 1, 2, 5])
        style.ticks(row[0].yaxis, ticks)
        for axes in row:
            axes.minorticks_off()
    for axes in grid[-1]:
        axes.set_xlabel("ε")
    style.entitle(figure, findings.of_above_best(table), grid[0][0])
    return figure


#: The colour of each order, and of noise without an order.
COLOURS = {
    "1": style.BLUE,
    "1.5": style.ORANGE,
    "2": style.VERMILLION,
    "3": style.GREEN,
    "best": style.BLACK,
    "": style.PURPLE,
}
X_LABEL, Y_LABEL = "false positive rate", "smallest false negative rate"


@style.settings()
def trade_off(table: pd.DataFrame) -> Figure:
    """Return Figure S7: trade-off curves, a panel for each number of releases."""
    names = [name for name in table["mechanism"].unique() if name != GUARANTEE]
    looks = style.looks(names)
    by_releases = table.groupby("releases")
    figure, all_axes = style.side_by_side(by_releases.ngroups, height=3.6)
    for axes, (releases, rows) in zip(all_axes, by_releases, strict=True):
        _draw_excluded(axes, rows[rows["mechanism"] == GUARANTEE])
        style.curves(axes, rows, looks, by="mechanism", x="false_positive", y="false_negative")
        title = "one release" if releases == 1 else f"{releases} releases"
        axes.set(title=title, xlabel=X_LABEL)
    all_axes[0].set_ylabel(Y_LABEL)
    style.entitle(figure, findings.of_trade_off(table), all_axes[0])
    return figure


@style.settings()
def draw_comparison(table: pd.DataFrame) -> Figure:
    """Return the trade-off curves of `trade_off_table`, in a panel for each guarantee."""
    guarantees = table[table["calibration"] == GUARANTEE]
    curves = table[table["calibration"] != GUARANTEE]
    by_guarantee = list(curves.groupby("guarantee", sort=False))
    most_curves = max(group.groupby(["order", "calibration"]).ngroups for _, group in by_guarantee)
    figure, all_axes = style.side_by_side(len(by_guarantee), height=2.9 + 0.16 * most_curves)
    for axes, (guarantee, group) in zip(all_axes, by_guarantee, strict=True):
        _draw_excluded(axes, guarantees[guarantees["guarantee"] == guarantee])
        rules = list(group["calibration"].unique())
        for (name, rule), curve in group.groupby(["order", "calibration"], sort=False):
            order = str(name)
            line = style.LINES[rules.index(rule) % len(style.LINES)]
            label = f"{rule}, order {order}" if order else rule
            axes.plot(*_rates(curve), color=COLOURS[order], linestyle=line, label=label)
        axes.set(title=guarantee, xlabel=X_LABEL, anchor="N")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=6)
    all_axes[0].set_ylabel(Y_LABEL)
    return figure


def _draw_excluded(axes: Axes, guarantee: pd.DataFrame) -> None:
    """Shade the rates that a guarantee excludes, and draw the line of random guessing."""
    axes.fill_between(*_rates(guarantee), color="0.9", linewidth=0)
    axes.plot([0, 1], [1, 0], color=style.GREY, linewidth=0.6)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_xticks(np.linspace(0, 1, 6))


def _rates(curve: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the false positive and the false negative rates of a curve."""
    return curve["false_positive"], curve["false_negative"]


_HUES = (style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE, style.PURPLE)
PRIORS = [*zip(_HUES, style.LINES[1:], strict=True)]
MARKERS = ("v", "s", "^", "D")  # one for each δ of the paper
GUESSES = {
    "presence": "is somebody in the table?",
    "answer": "what did somebody in the table answer?",
}


@style.settings()
def guessing_advantage(table: pd.DataFrame) -> Figure:
    """Return Figure S6: the guessing advantage against ε, about presence and about an answer."""
    figure, all_axes = style.side_by_side(2, height=3.1)
    for axes, (panel, title) in zip(all_axes, GUESSES.items(), strict=True):
        rows = table[table["panel"] == panel]
        _draw_curves(axes, rows[rows["delta"].isna()])
        corner: dict[str, Any] = {"loc": "lower right"}
        if panel == "presence":
            _draw_points(axes, rows[rows["delta"].notna()])
            corner = {"loc": "upper left", "ncols": 2}
        axes.set(title=title, xlabel="ε", xlim=(0, table["epsilon"].max()))
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        legend = axes.legend(**corner, fontsize=7, frameon=True, framealpha=1)
        # an opaque frame without an edge, which hides the lines at the paper's ε
        legend.get_frame().set_linewidth(0)
    all_axes[0].set(ylabel="guessing advantage", ylim=(0, 1))
    style.entitle(figure, findings.of_guessing_advantage(table))
    return figure


def _draw_curves(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a curve for each prior, with dots at the paper's ε."""
    looks = iter(PRIORS)
    for prior, curve in rows.groupby("prior", sort=False):
        colour, line = (style.BLACK, "-") if prior == WORST else next(looks)
        axes.plot(curve["epsilon"], curve["advantage"], color=colour, linestyle=line, label=prior)
        paper = curve[curve["paper"]]
        axes.plot(paper["epsilon"], paper["advantage"], "o", color=colour, markersize=3)
    for epsilon in rows["epsilon"][rows["paper"]].unique():
        axes.axvline(epsilon, color=style.GREY, linewidth=0.5, zorder=0)


def _draw_points(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the points of the paper's grid of (ε, δ), with a marker for each δ."""
    look: dict[str, Any] = {"color": style.GREY, "mec": style.BLACK, "mew": 0.4}
    for (delta, points), marker in zip(rows.groupby("delta"), MARKERS, strict=True):
        label = f"mean, δ = {delta:g}"
        axes.plot(points["epsilon"], points["advantage"], marker, label=label, **look)


TRUNCATED = {
    "laplace": ("truncated Laplace", *style.CURVES[0]),
    "gaussian": ("truncated Gaussian", *style.CURVES[1]),
}
# distance between the bars of adjacent curves beyond a bound, as a fraction of the bound
BAR_OFFSET = 0.035
BAR_WIDTH = 2.2  # points


@style.settings()
def truncated_densities(table: pd.DataFrame) -> Figure:
    """Return Figure F1: densities of truncated noise, a panel for each example."""
    figure = Figure(figsize=(style.WIDTH, 4.2))
    all_axes = figure.subplots(2, 2).ravel()
    for axes, (panel, rows) in zip(all_axes, table.groupby("panel"), strict=True):
        first = rows.iloc[0]
        values = "one value" if first["values"] == 1 else f"{first['values']} values"
        axes.set_title(
            f"({panel}) {values}, ε = {first['epsilon']:g}, "
            f"{first['value']:g} within [0, {first['width']:g}]"
        )
        style.curves(axes, rows, TRUNCATED, by="mechanism", x="x", y="density")
        axes.set(xlabel="noise $x$", ylim=(0, None), xlim=(rows["x"].min(), rows["x"].max()))
    for axes in all_axes[::2]:
        axes.set_ylabel("density")
    style.entitle(figure, findings.of_truncated_densities(table), all_axes[0])
    return figure


@style.settings()
def densities(table: pd.DataFrame) -> Figure:
    """Return Figure F2: densities of unbounded noise, a panel for each ε."""
    by_epsilon = table.groupby("epsilon")
    figure, all_axes = style.side_by_side(by_epsilon.ngroups, height=2.6, sharey=False)
    for axes, (epsilon, rows) in zip(all_axes, by_epsilon, strict=True):
        style.curves(axes, rows.fillna({"delta": 0}), _looks(rows), by="delta", x="x", y="density")
        axes.set(title=f"ε = {epsilon:g}", xlabel="noise $x$", ylim=(0, None))
        axes.set_xlim(rows["x"].min(), rows["x"].max())
    all_axes[0].set_ylabel("density")
    style.entitle(figure, findings.of_densities(table), all_axes[0])
    return figure


@style.settings()
def histograms(table: pd.DataFrame) -> Figure:
    """Return Figure F3: shares of bounded releases, a row of panels for each bound."""
    bounds, epsilons = table["bound"].unique(), table["epsilon"].unique()
    figure = Figure(figsize=(style.WIDTH, 2.1 * len(bounds) + 0.5))
    all_axes = figure.subplots(len(bounds), len(epsilons), squeeze=False)
    for row, bound in zip(all_axes, bounds, strict=True):
        for axes, epsilon in zip(row, epsilons, strict=True):
            selected = table[(table["bound"] == bound) & (table["epsilon"] == epsilon)]
            _draw_histogram(axes, selected, bound)
            axes.set(title=f"ε = {epsilon:g}, within ±{bound:g}", ylim=(0, None))
        row[0].set_ylabel("share of releases")
    for axes in all_axes[-1]:
        axes.set_xlabel("noise after bounding")
    bars = Line2D([], [], color=style.GREY, marker="|", linestyle="none", label="on a bound")
    bars.set(markersize=8, markeredgewidth=BAR_WIDTH)
    style.entitle(figure, findings.of_histograms(table), all_axes[0][0], bars)
    return figure


def _draw_histogram(axes: Axes, table: pd.DataFrame, bound: float) -> None:
    """Draw the bins as steps, and the shares on the bounds as bars side by side beyond them."""
    for i, (delta, (label, colour, line)) in enumerate(_looks(table).items()):
        curve = table[table["delta"].fillna(0) == delta]
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


def _looks(table: pd.DataFrame) -> dict[float, style.Curve]:
    """Return a look for Laplace noise (δ = 0), and for Gaussian noise at each δ."""
    deltas = sorted(table["delta"].fillna(0).unique())
    labels = [f"Gaussian, δ = {delta:g}" if delta else "Laplace" for delta in deltas]
    looks = zip(deltas, labels, style.CURVES, strict=False)
    return {delta: (label, *look) for delta, label, look in looks}
