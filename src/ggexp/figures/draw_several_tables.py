"""Figures S9 and S10: noise for several tables, and records made of them."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.style import Look

#: What Figure S9 draws relative to the first, which must be in the table.
NOISES = ("Laplace, ε/m", "order 1", "order 1.5", "order 2", "order 3")
BEST = "best order"
TICKS = (1, 2, 5, 10, 30, 91)
METHODS: dict[str, Look] = {
    "tree records": ("tree of two-way tables", style.BLUE, "o", "-"),
    "tree-of-target records": ("tree, all tables with the target", style.VERMILLION, "s", "--"),
    "threshold records": ("one histogram, threshold", style.GREEN, "^", "-."),
    "stability records": ("one histogram, stability", style.PURPLE, "D", ":"),
}
METRICS = {
    "accuracy": "accuracy (%)",
    "two_way": "error of two-way\ntables (%)",
    "three_way": "error of three-way\ntables (%)",
}


def noise_of_tables(table: pd.DataFrame) -> Figure:
    """Return Figure S9: the standard deviation relative to Laplace noise, and the best order."""
    titles = [panels.title(delta=delta) for delta in table["delta"].unique()]
    labels = [f"sd / sd of {NOISES[0]}", "best order $p$"]
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 4.2))
        ratios, orders = panels.blocks(figure, labels, titles)
        for upper, lower, (_, rows) in zip(ratios, orders, table.groupby("delta"), strict=True):
            by_noise = {name: part.set_index("tables") for name, part in rows.groupby("noise")}
            for name, (colour, line) in zip(NOISES, style.CURVES, strict=False):
                ratio = by_noise[name]["sd"] / by_noise[NOISES[0]]["sd"]
                upper.plot(ratio.index, ratio, color=colour, linestyle=line, label=name)
            best = by_noise[BEST]["order"]
            lower.plot(best.index, best, color=style.BLACK, marker="o")
        ratios[0].set(xscale="log", yscale="log")
        ratios[0].set_yticks([0.3, 0.5, 1, 2, 3, 5], ["0.3", "0.5", "1", "2", "3", "5"])
        orders[0].set_xticks(TICKS, list(map(str, TICKS)))
        orders[0].set_yticks([1, 1.5, 2])
        for axes in (*ratios, *orders):
            axes.minorticks_off()
        for axes in orders:
            axes.grid(axis="y", color=style.GREY, linewidth=0.4)
        figure.supxlabel("number of tables m that satisfy (1, δ) together", fontsize=8)
        style.legend(figure, ratios[0])
    return figure


def records_of_tables(table: pd.DataFrame) -> Figure:
    """Return Figure S10: accuracies and errors of records against ε, a panel for each mechanism.

    Horizontal lines are the same models without noise, and the records themselves.
    """
    table = table.dropna(subset="mean").copy()
    table[["mean", "sd", "se"]] *= 100
    noisy = table["epsilon"].notna()

    def finish(block: list[Axes], rows: pd.DataFrame) -> None:
        metric = rows["metric"].iloc[0]
        for row in table[~noisy & (table["metric"] == metric)].to_dict("records"):
            _, colour, _, line = METHODS.get(str(row["method"]), ("", style.BLACK, "", "-"))
            for axes in block:
                if row["mean"]:
                    axes.axhline(row["mean"], color=colour, linestyle=line, linewidth=0.6)
        if metric != "accuracy":
            panels.scale_by_logarithm(block[0])

    return panels.draw_blocks(
        {label: table[noisy & (table["metric"] == name)] for name, label in METRICS.items()},
        f"{table['dataset'].iloc[0]}: {panels.repeats(table)}\n"
        "thin horizontal lines: the same without noise; black: the records themselves",
        panels_of=_by_mechanism,
        by="method",
        looks=METHODS,
        finish=finish,
    )


def _by_mechanism(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each mechanism, by its label."""
    mechanisms: Sequence[str] = [*table["mechanism"].unique()]
    looks = style.looks(mechanisms)
    return {looks[name][0]: table[table["mechanism"] == name] for name in mechanisms}
