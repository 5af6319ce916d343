"""Figures S5 and S8: the errors of many queries, and the privacy cost of many releases."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

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
LABEL = "releases or queries $k$"  # of S5


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return Figure S5 or S8."""
    with style.settings():
        return {"s5": _draw_many_queries, "s8": _draw_choice}[number](table)


def _draw_many_queries(table: pd.DataFrame) -> Figure:
    """Return Figure S5: ε against k by each accountant, and largest errors against k at two δ."""
    figure = Figure(figsize=(style.WIDTH, 3.0))
    left, *right = figure.subplots(1, 3)
    _draw_composition(left, table[table["panel"] == "composition"])
    errors = table[table["panel"] == "queries"]
    limits = 0.3 * errors["value"].min(), 1.5 * errors["value"].max()
    for axes, delta in zip(right, sorted(errors["delta"].unique()), strict=True):
        _draw_errors(axes, errors[errors["delta"] == delta])
        axes.set(title=panels.title(epsilon=1, delta=delta), ylim=limits)
    right[0].set_ylabel("expected largest error (records)")
    handles = right[0].get_legend_handles_labels()[0]
    handles.append(
        Line2D([], [], color=style.BLACK, marker="o", linestyle="none", label="simulated")
    )
    figure.legend(handles=handles, loc="outside upper right", ncols=3)
    return figure


def _draw_composition(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the ε of k releases together against k, by each accountant."""
    for way, (label, colour, line) in ACCOUNTANTS.items():
        curve = table[table["way"] == way]
        axes.plot(curve["k"], curve["value"], color=colour, linestyle=line, label=label)
    axes.set(title="$k$ releases, each 0.1-DP, δ = 10⁻⁶", ylabel="joint ε")
    _set_log_scales(axes, LABEL, (0.9, 1100), TICKS[:4], [0.1, 1, 10, 100])
    axes.legend(loc="upper left")


def _draw_errors(axes: Axes, table: pd.DataFrame) -> None:
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
    _set_log_scales(axes, LABEL, (0.9, 1100), TICKS[:4], TICKS[:4])


def _draw_choice(table: pd.DataFrame) -> Figure:
    """Return Figure S8: errors against queries |Q|, and the boundary in |Q| and bins |X|."""
    figure = Figure(figsize=(style.WIDTH, 3.0))
    left, *right = figure.subplots(1, 3)
    errors, boundary = (table[table["panel"] == panel] for panel in ("error", "boundary"))
    deltas = sorted(boundary["delta"].unique())
    _draw_worst_errors(left, errors[errors["delta"].isna() | (errors["delta"] == deltas[0])])
    for axes, delta in zip(right, deltas, strict=True):
        _draw_boundary(axes, boundary[boundary["delta"] == delta])
        axes.set_title(f"the boundary, {panels.title(delta=delta)}")
    right[0].set_ylabel(r"bins $|\mathcal{X}|$")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3)
    return figure


def _draw_worst_errors(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the error of the worst answer against the number of queries."""
    for way, (label, colour, line) in COMPARED.items():
        curve = table[table["way"] == way]
        axes.plot(curve["k"], curve["value"], color=colour, linestyle=line, label=label)
    (cells,) = table["cells"].dropna().unique()
    axes.set(
        title=f"{cells:,.0f} bins, {panels.title(delta=table['delta'].min())}",
        ylabel="largest error (records)",
    )
    _set_log_scales(axes, r"queries $|\mathcal{Q}|$", (1, 10_000), TICKS, TICKS)


def _draw_boundary(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the number of bins up to which a histogram has the smaller error."""
    for way, (_, colour, line) in COMPARED.items():
        curve = table[(table["way"] == way) & (table["value"] > 0)]
        axes.plot(curve["k"], curve["value"], color=colour, linestyle=line)
    _set_log_scales(axes, r"queries $|\mathcal{Q}|$", (1, 10_000), TICKS, [*TICKS, 100_000])
    axes.set_ylim(1, 4e5)
    axes.text(0.05, 0.93, "one by one", transform=axes.transAxes, va="top")
    axes.text(0.95, 0.07, "histogram", transform=axes.transAxes, ha="right")


def _set_log_scales(
    axes: Axes,
    x_label: str,
    x_limits: tuple[float, float],
    x_ticks: Sequence[float],
    y_ticks: Sequence[float],
) -> None:
    axes.set(xscale="log", yscale="log", xlabel=x_label, xlim=x_limits)
    axes.set_xticks(x_ticks, [f"{tick:,}" for tick in x_ticks])
    axes.set_yticks(y_ticks, [f"{tick:,}" for tick in y_ticks])
    axes.minorticks_off()
