"""Figure S8: a histogram for all queries compared with noise on each query."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import style

# colours show the noise; dashed lines are bounds, solid lines are exact
WAYS = {
    "histogram-bound": ("histogram, bound", style.BLACK, "--"),
    "histogram": ("histogram, exact", style.BLACK, "-"),
    "advanced": ("Laplace, advanced composition", style.BLUE, "--"),
    "laplace-exact": ("Laplace, exact composition", style.BLUE, "-"),
    "gaussian-exact": ("Gaussian, exact composition", style.VERMILLION, "-"),
}
TICKS = [1, 10, 100, 1000, 10_000]


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return Figure S8: errors against |Q|, and the boundary in |Q| and |X| at two δ.

    |Q| is the number of queries, |X| the number of bins of the histogram.
    """
    del number
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 3.0))
        left, *right = figure.subplots(1, 3)
        errors, boundary = (table[table["panel"] == panel] for panel in ("error", "boundary"))
        deltas = sorted(boundary["delta"].unique())
        draw_errors(left, errors[errors["delta"].isna() | (errors["delta"] == deltas[0])])
        for axes, delta in zip(right, deltas, strict=True):
            draw_boundary(axes, boundary[boundary["delta"] == delta])
            axes.set_title(rf"the boundary, $\delta={style.power(delta)}$")
        right[0].set_ylabel(r"bins $|\mathcal{X}|$")
        handles, labels = left.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper right", ncols=3)
        return figure


def draw_errors(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the error of the worst answer against the number of queries."""
    for way, (label, colour, line) in WAYS.items():
        curve = table[table["way"] == way]
        axes.plot(curve["k"], curve["value"], color=colour, linestyle=line, label=label)
    (cells,) = table["cells"].dropna().unique()
    axes.set(
        title=rf"{cells:,.0f} bins, $\delta={style.power(table['delta'].min())}$",
        ylabel="largest error (records)",
    )
    _set_scales(axes)
    _set_y_ticks(axes, TICKS)


def draw_boundary(axes: Axes, table: pd.DataFrame) -> None:
    """Draw the number of bins up to which a histogram has the smaller error."""
    for way, (_, colour, line) in WAYS.items():
        curve = table[(table["way"] == way) & (table["value"] > 0)]
        axes.plot(curve["k"], curve["value"], color=colour, linestyle=line)
    _set_scales(axes)
    axes.set_ylim(1, 4e5)
    _set_y_ticks(axes, [*TICKS, 100_000])
    axes.text(0.05, 0.93, "one by one", transform=axes.transAxes, va="top")
    axes.text(0.95, 0.07, "histogram", transform=axes.transAxes, ha="right")


def _set_scales(axes: Axes) -> None:
    axes.set(xscale="log", yscale="log", xlabel=r"queries $|\mathcal{Q}|$", xlim=(1, 10_000))
    axes.set_xticks(TICKS, [f"{tick:,}" for tick in TICKS])
    axes.minorticks_off()


def _set_y_ticks(axes: Axes, ticks: Sequence[int]) -> None:
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
