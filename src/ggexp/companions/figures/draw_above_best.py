"""Figure S2: the mechanisms' noise relative to the smallest possible noise."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels, style

#: The label and the ticks of the y axis of each row of panels.
PANELS: dict[str, tuple[str, list[float]]] = {
    "approximate": ("approximate DP\nE|e| / smallest E|e|", [1, 2, 5, 10, 20, 50]),
    "probabilistic": ("probabilistic DP\nsd / smallest symmetric sd", [0.7, 1, 2, 5, 10]),
}


def draw(table: pd.DataFrame, number: str) -> Figure:
    """Return Figure S2: ratios to the smallest possible noise against ε, a column for each δ."""
    del number
    looks = style.looks(table["mechanism"].unique())
    deltas = sorted(table["delta"].unique())
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 5.4))
        grid = figure.subplots(2, len(deltas), sharex=True, sharey="row", squeeze=False)
        for row, (panel, (y_label, ticks)) in zip(grid, PANELS.items(), strict=True):
            for axes, delta in zip(row, deltas, strict=True):
                rows = table[(table["panel"] == panel) & (table["delta"] == delta)]
                axes.axhline(1, color=style.GREY, linewidth=0.8)
                for name, (label, colour, marker, line) in looks.items():
                    curve = rows[rows["mechanism"] == name]  # empty if it is not in this panel
                    axes.plot(
                        curve["epsilon"],
                        curve["ratio"],
                        color=colour,
                        linestyle=line,
                        marker=marker,
                        markevery=6,
                        label=label,
                    )
                axes.set(xscale="log", yscale="log")
                axes.set_xticks([0.1, 0.5, 1, 2, 5], ["0.1", "0.5", "1", "2", "5"])
            row[0].set_ylabel(y_label)
            row[0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        for axes in grid.ravel():
            axes.minorticks_off()
        for axes, delta in zip(grid[0], deltas, strict=True):
            axes.set_title(panels.title(delta=delta))
        for axes in grid[-1]:
            axes.set_xlabel(r"$\epsilon$")
        panels.legend(figure, grid[0, 0], "")
        return figure
