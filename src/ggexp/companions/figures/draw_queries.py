"""Figures S5 and S8: the errors of many queries, and the privacy cost of many releases."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ggexp.companions.figures import findings
from ggexp.figures import panels, style

ACCOUNTANTS = {
    "basic": ("basic", style.BLACK, "-"),
    "advanced": ("advanced", style.ORANGE, "--"),
    "zcdp": ("zCDP", style.GREEN, "-."),
    "exact": ("exact", style.BLUE, "-"),
}
# of S5: colours show the noise; solid lines are textbook scales, dashed lines exact composition
WAYS = {
    "laplace": ("Laplace, $k$/ε", style.BLUE, "-"),
    "gaussian": ("Gaussian, the lecture's bound", style.VERMILLION, "-"),
    "laplace-exact": ("Laplace, exact composition", style.BLUE, "--"),
    "gaussian-exact": ("Gaussian, exact composition", style.VERMILLION, "--"),
}
# of S8: colours show the noise; dashed lines are bounds, solid lines are exact
COMPARED = {
    "histogram-bound": ("histogram, bound", style.BLACK, "--"),
    "histogram": ("histogram, exact", style.BLACK, "-"),
    "advanced": ("Laplace, advanced composition", style.BLUE, "--"),
    "laplace-exact": ("Laplace, exact composition", style.BLUE, "-"),
    "gaussian-exact": ("Gaussian, exact composition", style.VERMILLION, "-"),
}
TICKS = [1, 10, 100, 1000, 10_000]
LABEL, QUERIES = "releases or queries $k$", r"queries $|\mathcal{Q}|$"  # of S5 and of S8


@style.settings()
def many_queries(table: pd.DataFrame) -> Figure:
    """Return Figure S5: ε against k by each accountant, and largest errors against k at two δ."""
    figure, (left, *right) = style.side_by_side(3, height=3.0, sharey=False)
    composed, errors = (table[table["panel"] == name] for name in ("composition", "queries"))
    style.curves(left, composed, ACCOUNTANTS, by="way", x="k", y="value")
    left.set(title="$k$ releases, each 0.1-DP, δ = 10⁻⁶", ylabel="joint ε")
    _set_log_scales(left, LABEL, (0.9, 1100), TICKS[:4], [0.1, 1, 10, 100])
    left.legend(loc="upper left")
    limits = 0.3 * errors["value"].min(), 1.5 * errors["value"].max()
    for axes, delta in zip(right, sorted(errors["delta"].unique()), strict=True):
        _draw_errors(axes, errors[errors["delta"] == delta])
        axes.set(title=panels.title(epsilon=1, delta=delta), ylim=limits)
    right[0].set_ylabel("expected largest error (records)")
    handles = right[0].get_legend_handles_labels()[0]
    handles.append(
        Line2D([], [], color=style.BLACK, marker="o", linestyle="none", label="simulated")
    )
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    style.entitle(figure, findings.of_many_queries(table))
    return figure


def _draw_errors(axes: Axes, table: pd.DataFrame) -> None:
    """Draw curves of the expected largest errors, simulated points, and the curves' crossings."""
    kinds = table.groupby("kind")
    curves, points = kinds.get_group("curve"), kinds.get_group("simulated")
    for way, look in WAYS.items():
        style.curves(axes, curves, {way: look}, by="way", x="k", y="value")
        drawn = points[points["way"] == way]
        axes.plot(drawn["k"], drawn["value"], color=look[1], marker="o", linestyle="none")
    low = 0.35 * table["value"].min()  # below all curves
    for row in table[table["kind"] == "crossing"].to_dict("records"):
        k, way = row["k"], row["way"]
        axes.vlines(k, 0.1 * low, row["value"], color=style.GREY, linestyle=WAYS[way][2], zorder=0)
        shift, side = (-2, "right") if way.endswith("exact") else (2, "left")
        place: dict[str, Any] = {"xytext": (shift, 0), "textcoords": "offset points", "ha": side}
        axes.annotate(f"$k={k}$", (k, low), **place)
    _set_log_scales(axes, LABEL, (0.9, 1100), TICKS[:4], TICKS[:4])


@style.settings()
def boundary(table: pd.DataFrame) -> Figure:
    """Return Figure S8: errors of the worst answer against queries |Q|, and the boundary."""
    figure, (left, *right) = style.side_by_side(3, height=3.0, sharey=False)
    errors, boundary = (table[table["panel"] == panel] for panel in ("error", "boundary"))
    deltas = sorted(boundary["delta"].unique())
    drawn = errors[errors["delta"].isna() | (errors["delta"] == deltas[0])]
    style.curves(left, drawn, COMPARED, by="way", x="k", y="value")
    (cells,) = errors["cells"].dropna().unique()
    left.set_title(f"{cells:,.0f} bins, {panels.title(delta=deltas[0])}")
    left.set_ylabel("largest error (records)")
    _set_log_scales(left, QUERIES, (1, 10_000), TICKS, TICKS)
    for axes, delta in zip(right, deltas, strict=True):
        drawn = boundary[(boundary["delta"] == delta) & (boundary["value"] > 0)]
        style.curves(axes, drawn, COMPARED, by="way", x="k", y="value")
        _set_log_scales(axes, QUERIES, (1, 10_000), TICKS, [*TICKS, 100_000])
        axes.set_ylim(1, 4e5)
        axes.text(0.05, 0.93, "one by one", transform=axes.transAxes, va="top")
        axes.text(0.95, 0.07, "histogram", transform=axes.transAxes, ha="right")
        axes.set_title(f"the boundary, {panels.title(delta=delta)}")
    right[0].set_ylabel(r"bins $|\mathcal{X}|$")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    style.entitle(figure, findings.of_boundary(table))
    return figure


def _set_log_scales(
    axes: Axes,
    x_label: str,
    x_limits: tuple[float, float],
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
) -> None:
    axes.set(xscale="log", yscale="log", xlabel=x_label, xlim=x_limits)
    style.ticks(axes.xaxis, x_ticks)
    style.ticks(axes.yaxis, y_ticks)
    axes.minorticks_off()
