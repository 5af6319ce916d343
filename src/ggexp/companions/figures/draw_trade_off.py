"""Trade-off curves: Figure S7, and the figure of `ggexp compare --plot`."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.companions.figures.tabulate_loss_curves import GUARANTEE
from ggexp.figures import style

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
def draw(table: pd.DataFrame) -> Figure:
    """Return Figure S7."""
    names = [name for name in table["mechanism"].unique() if name != GUARANTEE]
    looks = {name: (*look[:2], look[3]) for name, look in style.looks(names).items()}
    by_releases = table.groupby("releases")
    figure, all_axes = style.side_by_side(by_releases.ngroups, height=3.6)
    for axes, (releases, rows) in zip(all_axes, by_releases, strict=True):
        _draw_excluded(axes, rows[rows["mechanism"] == GUARANTEE])
        style.curves(axes, rows, looks, by="mechanism", x="false_positive", y="false_negative")
        title = "one release" if releases == 1 else f"{releases} releases"
        axes.set(title=title, xlabel=X_LABEL)
    all_axes[0].set_ylabel(Y_LABEL)
    style.legend(figure, all_axes[0], heading="grey: excluded by (1, 0.05)-aDP")
    return figure


@style.settings()
def draw_comparison(table: pd.DataFrame) -> Figure:
    """Return the trade-off curves of all rules and orders, in a panel for each guarantee.

    table: from `ggexp.guarantees.comparison.trade_off_table`.
    """
    guarantees = table[table["calibration"] == GUARANTEE]
    curves = table[table["calibration"] != GUARANTEE]
    by_guarantee = list(curves.groupby("guarantee", sort=False))
    most_curves = max(group.groupby(["order", "calibration"]).ngroups for _, group in by_guarantee)
    figure, panels = style.side_by_side(len(by_guarantee), height=2.9 + 0.16 * most_curves)
    for axes, (guarantee, group) in zip(panels, by_guarantee, strict=True):
        _draw_excluded(axes, guarantees[guarantees["guarantee"] == guarantee])
        rules = list(group["calibration"].unique())
        for (name, rule), curve in group.groupby(["order", "calibration"], sort=False):
            order = str(name)
            line = style.LINES[rules.index(rule) % len(style.LINES)]
            label = f"{rule}, order {order}" if order else rule
            axes.plot(*_rates(curve), color=COLOURS[order], linestyle=line, label=label)
        axes.set(title=guarantee, xlabel=X_LABEL, anchor="N")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=6)
    panels[0].set_ylabel(Y_LABEL)
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
