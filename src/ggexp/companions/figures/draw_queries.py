"""Figure S5: the privacy cost of many releases together, and the errors of many answers."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ggexp.figures import style

ACCOUNTANTS = {
    "basic": ("basic", style.BLACK, "-"),
    "advanced": ("advanced", style.ORANGE, "--"),
    "zcdp": ("zCDP", style.GREEN, "-."),
    "exact": ("exact", style.BLUE, "-"),
}
# colours show the noise; solid lines are textbook scales, dashed lines use exact composition
WAYS = {
    "laplace": ("Laplace, $k/\\epsilon$", style.BLUE, "-"),
    "gaussian": ("Gaussian, the lecture's bound", style.VERMILLION, "-"),
    "laplace-exact": ("Laplace, exact composition", style.BLUE, "--"),
    "gaussian-exact": ("Gaussian, exact composition", style.VERMILLION, "--"),
}


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return Figure S5: ε against k by each accountant, and largest errors against k at two δ."""
    del number
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 3.0))
        left, *right = figure.subplots(1, 3)
        draw_composition(left, table[table["panel"] == "composition"])
        errors = table[table["panel"] == "queries"]
        limits = 0.3 * errors["value"].min(), 1.5 * errors["value"].max()
        for axes, delta in zip(right, sorted(errors["delta"].unique()), strict=True):
            draw_errors(axes, errors[errors["delta"] == delta])
            axes.set(title=rf"$\epsilon=1$, $\delta={style.power(delta)}$", ylim=limits)
        right[0].set_ylabel("expected largest error (records)")
        handles = right[0].get_legend_handles_labels()[0]
        handles.append(
            Line2D([], [], color=style.BLACK, marker="o", linestyle="none", label="simulated")
        )
        figure.legend(handles=handles, loc="outside upper right", ncols=3)
        return figure


def draw_composition(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the ε of k releases together against k, by each accountant."""
    for way, (label, colour, line) in ACCOUNTANTS.items():
        curve = table[table["way"] == way]
        axes.plot(curve["k"], curve["value"], color=colour, linestyle=line, label=label)
    axes.set(title=r"$k$ releases, each 0.1-DP, $\delta=10^{-6}$", ylabel=r"joint $\epsilon$")
    _set_scales(axes)
    axes.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    axes.legend(loc="upper left")


def draw_errors(axes: Axes, table: pd.DataFrame) -> None:
    """Draw curves of the expected largest errors, simulated points, and the curves' crossings."""
    for way, (label, colour, line) in WAYS.items():
        rows = table[table["way"] == way].groupby("kind")
        curve, points = rows.get_group("curve"), rows.get_group("simulated")
        axes.plot(curve["k"], curve["value"], color=colour, linestyle=line, label=label)
        axes.plot(points["k"], points["value"], color=colour, marker="o", linestyle="none")
    low = 0.35 * table["value"].min()  # below all curves
    for row in table[table["kind"] == "crossing"].to_dict("records"):
        k, way = row["k"], row["way"]
        axes.vlines(k, 0.1 * low, row["value"], color=style.GREY, linestyle=WAYS[way][2], zorder=0)
        is_left = way.endswith("exact")
        axes.annotate(
            f"$k={k}$",
            (k, low),
            xytext=(-2 if is_left else 2, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
        )
    _set_scales(axes)
    axes.set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])


def _set_scales(axes: Axes) -> None:
    axes.set(xscale="log", yscale="log", xlabel="releases or queries $k$", xlim=(0.9, 1100))
    axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axes.minorticks_off()
