"""Figures S1, S2 and S4: exact δ, noise relative to the smallest possible, looseness of bounds."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

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
    mechanisms = style.looks(table["mechanism"].unique())
    looks = {name: (*look[:2], look[3]) for name, look in mechanisms.items()}
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
    style.legend(figure, grid[0, 0])
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
    style.legend(figure, grid[0, 0], heading="grey: too little noise for the guarantee")
    return figure


@style.settings()
def above_best(table: pd.DataFrame) -> Figure:
    """Return Figure S2: ratios to the smallest possible noise against ε, a column for each δ."""
    looks = style.looks(table["mechanism"].unique())
    deltas = sorted(table["delta"].unique())
    figure = Figure(figsize=(style.WIDTH, 5.4))
    grid = figure.subplots(2, len(deltas), sharex=True, sharey="row", squeeze=False)
    for row, (panel, (y_label, ticks)) in zip(grid, PANELS.items(), strict=True):
        for axes, delta in zip(row, deltas, strict=True):
            rows = table[(table["panel"] == panel) & (table["delta"] == delta)]
            axes.axhline(1, color=style.GREY, linewidth=0.8)
            for name, (label, colour, marker, line) in looks.items():
                curve = rows[rows["mechanism"] == name]  # empty if it is not in this panel
                look = {"color": colour, "linestyle": line, "marker": marker, "markevery": 6}
                axes.plot(curve["epsilon"], curve["ratio"], label=label, **look)
            axes.set(xscale="log", yscale="log")
            style.ticks(axes.xaxis, [0.1, 0.5, 1, 2, 5])
        row[0].set_ylabel(y_label)
        style.ticks(row[0].yaxis, ticks)
    for axes in grid.ravel():
        axes.minorticks_off()
    for axes, delta in zip(grid[0], deltas, strict=True):
        axes.set_title(panels.title(delta=delta))
    for axes in grid[-1]:
        axes.set_xlabel("ε")
    style.legend(figure, grid[0, 0])
    return figure
