"""Figures 1 to 5: the paper's theory of GG noise."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ggexp.figures import panels, style

# the orders of the paper's mechanisms have the same colours as the mechanisms
ORDERS: dict[Any, Any] = {
    order: (f"$p={order}$", *look)
    for order, look in zip((1, 2, 3, 4, 10), style.CURVES, strict=False)
}
NAMED = {1: " (Laplace)", 2: " (Gaussian)"}  # orders of Figure 1


@style.settings()
def densities(table: pd.DataFrame) -> Figure:
    """Return Figure 1: densities at the same scale (left) and the same variance (right)."""
    figure, axes = style.side_by_side(2, height=2.6)
    titles = {"scale": r"same scale $b=\sqrt{2}$", "variance": "same variance 1"}
    looks = {p: (label + NAMED.get(p, ""), *look) for p, (label, *look) in ORDERS.items()}
    for ax, (panel, title) in zip(axes, titles.items(), strict=True):
        rows = table[table["panel"] == panel]
        style.curves(ax, rows, looks, by="order", x="x", y="density")
        ax.set(title=title, xlabel="noise $x$", xlim=(-5, 5))
    axes[0].set(ylabel="density $f(x)$", ylim=(0, 1.05 * table["density"].max()))
    style.legend(figure, axes[0])
    return figure


@style.settings()
def corollary_7(table: pd.DataFrame) -> Figure:
    """Return Figure 2: the scale of Corollary 7 against ε, a panel per δ, a curve per order."""
    by_delta: Any = table.groupby("delta")
    figure, axes = style.side_by_side(by_delta.ngroups, height=2.5)
    error = ((table["high"] - table["low"]) / table["scale"] / 2).max()
    for ax, (delta, rows) in zip(axes, by_delta, strict=True):
        for order, curve in rows.groupby("order"):
            band = curve["epsilon"], curve["low"], curve["high"]
            ax.fill_between(*band, color=ORDERS[order][1], alpha=0.4, linewidth=0)
        style.curves(ax, rows, ORDERS, by="order", x="epsilon", y="scale")
        closed = rows.dropna(subset="closed_form")
        label = r"$p=2$, Lemma 10 with $\Delta_2$"
        (line,) = ax.plot(closed["epsilon"], closed["closed_form"], ":", label=label)
        line.set(color=style.BLACK, linewidth=0.8)
        ax.set(title=panels.title(delta=delta), xlabel="ε", yscale="log")
        ax.set_xticks([0.5, 1, 1.5, 2])
        style.ticks(ax.yaxis, [1, 2, 5, 10, 20, 50])
        ax.minorticks_off()
    axes[0].set_ylabel("lower bound on scale $b$")
    note = f"bands: 95 % Monte Carlo intervals, at most ± {100 * error:.1f} %"
    style.legend(figure, axes[0], heading=note)
    return figure


@style.settings()
def gaussian_bounds(table: pd.DataFrame) -> Figure:
    """Return Figure 3: σ for pDP over σ for aDP, against ε (left) and against δ (right)."""
    figure, axes = style.side_by_side(2, height=2.6)
    sides: dict[str, Any] = {
        "epsilon": ("delta", "ε", "lower right"),
        "delta": ("epsilon", "δ", "lower left"),
    }
    for ax, (panel, (fixed, label, corner)) in zip(axes, sides.items(), strict=True):
        rows = table[table["panel"] == panel]
        style.curves(ax, rows, _looks(rows, fixed), by=fixed, x=panel, y="ratio")
        ax.axhline(1, color=style.GREY, linewidth=0.6)
        ax.set(xlabel=label, xlim=(0, None), ylim=(None, 1.02))
        ax.legend(loc=corner, ncols=2)
    axes[0].set_ylabel(r"$\sigma_{\mathrm{pDP}}\;/\;\sigma_{\mathrm{aDP}}$")
    return figure


@style.settings()
def tail_ratios(table: pd.DataFrame) -> Figure:
    """Return Figure 4: p1 / p2 against |t|, a panel per ε, a curve per δ, grey if unlikely."""
    figure, axes = _draw_by_delta(table, "ε")
    # the axis ends at 100: the curves first fall, and above 100 they only grow, like e^(t²/2σ²)
    axes[0].set(yscale="log", ylim=(0.7 * table["ratio"].min(), 100))
    axes[0].set_ylabel("ratio of tail probabilities $p_1 / p_2$")
    style.ticks(axes[0].yaxis, [0.1, 1, 10, 100])
    return figure


@style.settings()
def relative_costs(table: pd.DataFrame) -> Figure:
    """Return Figure 5: ε2 / ε1 against |t|, a panel per ε1, a curve per δ, grey if unlikely."""
    figure, axes = _draw_by_delta(table, "ε₁")
    axes[0].set_ylabel("privacy cost ε₂ / ε₁")
    return figure


def _draw_by_delta(table: pd.DataFrame, symbol: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel per ε: ratio against t, a curve per δ, unlikely parts grey.

    symbol: of the ε in the titles of the panels.
    """
    figure, axes = style.side_by_side(table["epsilon"].nunique(), height=2.5)
    for ax, (epsilon, panel) in zip(axes, table.groupby("epsilon"), strict=True):
        for delta, (label, colour, line) in _looks(panel, "delta").items():
            curve = panel[panel["delta"] == delta]
            # the coloured and the grey part share a point, so that there is no gap
            likely = curve[~curve["unlikely"]]
            unlikely = curve[curve["t"] >= likely["t"].max()]
            ax.plot(unlikely["t"], unlikely["ratio"], color=style.GREY, linestyle=line)
            ax.plot(likely["t"], likely["ratio"], color=colour, linestyle=line, label=label)
        ax.axhline(1, color=style.GREY, linewidth=0.6, zorder=0)
        ax.set(xlabel="noise $|t|$ (units of the statistic)", xlim=(0, panel["t"].max()))
        ax.set_title(f"{symbol} = {epsilon:g}")
    grey = Line2D([], [], color=style.GREY, label="unlikely: both below 10⁻⁴")
    style.legend(figure, axes[0], grey)
    return figure, axes


def _looks(rows: pd.DataFrame, fixed: str) -> dict[float, tuple[str, str, style.Line]]:
    """Return a look for each value of ε or δ, in ascending order."""
    values = sorted(rows[fixed].unique())
    named = {value: panels.title(**{fixed: value}) for value in values}
    return {v: (named[v], *look) for v, look in zip(values, style.CURVES, strict=False)}
