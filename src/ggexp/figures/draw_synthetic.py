"""The figures of synthetic records: their marginals, what cells gain, machines trained on them."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.style import Look

# in the order of the tables
METHODS: dict[str, Look] = {
    "release": ("release, not rounded", style.BLACK, "o", "-"),
    "largest-remainder": ("largest remainder", style.BLUE, "s", "--"),
    "multinomial": ("multinomial draw", style.VERMILLION, "^", "-."),
    "counts": ("a record for each count", style.GREEN, "D", ":"),
}
MARGINALS = {"one_way": "one-way marginals (%)", "two_way": "two-way marginals (%)"}


def draw_marginals(table: pd.DataFrame, dataset: str) -> Figure:
    """Return errors of marginals against ε, a panel for each mechanism and δ, a line a method.

    table: rows of the summary of synthetic records with the metrics one_way and two_way, in [0, 1].
        Points are means over the repeats, bars one standard deviation.
    dataset: its name, for the heading.
    """
    table = table.dropna(subset="mean").copy()
    table[["mean", "sd"]] *= 100
    present = {name: label for name, label in MARGINALS.items() if name in set(table["metric"])}
    return _against_epsilon(
        [table[table["metric"] == name] for name in present],
        list(present.values()),
        f"{dataset}: records to be moved, {panels.repeats(table)}",
        from_zero=True,
    )


def draw_training(table: pd.DataFrame, dataset: str) -> Figure:
    """Return accuracy on the test records against ε, a panel for each mechanism and δ.

    table: the columns of `ggexp.figures.tabulate_synthetic.tabulate_training`. Points are means
        over the repeats, bars one standard deviation; the original's accuracy is a line.
    dataset: its name, for the heading.
    """
    is_original = table["mechanism"] == "original"
    means = table[~is_original].copy()
    means[["mean", "sd"]] *= 100
    return _against_epsilon(
        [means],
        ["accuracy on test records (%)"],
        f"{dataset}: {panels.repeats(means)}",
        line=100 * table.loc[is_original, "mean"].item(),
    )


def draw_gains(table: pd.DataFrame, dataset: str) -> Figure:
    """Return what cells gain on average against their count, a panel for each ε, mechanism and δ.

    table: the third table of `ggexp.experiment.marginals.measure_records`. Points are means
        over the repeats and the cells of one count, bars one standard error; the line is the
        exact mean of what is clamped and rounded.
    dataset: its name, for the heading.
    """
    epsilons, groups = table["epsilon"].unique(), _groups(table)
    with style.settings():
        figure = Figure()
        labels = [f"gain (records), {panels.title(epsilon=epsilon)}" for epsilon in epsilons]
        blocks = panels.blocks(figure, labels, list(groups))
        figure.set_size_inches(style.WIDTH, 0.8 + 1.9 * len(epsilons) * panels.rows(len(groups)))
        for block, epsilon in zip(blocks, epsilons, strict=True):
            for axes, rows in zip(block, groups.values(), strict=True):
                _draw_gains(axes, rows[rows["epsilon"] == epsilon])
        # most counts are small, and 0 may be among them
        least, largest = table["original"].min(), table["original"].max()
        blocks[0][0].set_xscale("symlog", linthresh=1)
        if least > 0:
            blocks[0][0].set_xlim(0.8 * least, 1.2 * largest)
        marks = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
        ticks = [tick for tick in marks if least <= tick <= largest]
        blocks[0][0].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        blocks[0][0].minorticks_off()
        figure.supxlabel("original count (records)", fontsize=8)
        repeats = int(table["repeats"].max())
        heading = f"{dataset}: mean ± standard error of {repeats:,} repeats"
        panels.legend(figure, blocks[0][0], heading)
        panels.thin_labels(figure, blocks[-1][-1])
    return figure


def _draw_gains(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw one panel: each method's means, and the exact ones where they are known."""
    axes.axhline(0, color=style.GREY, linewidth=0.6)
    for i, (name, (label, colour, marker, _)) in enumerate(METHODS.items()):
        means = rows[rows["method"] == name]
        if means.empty:
            continue
        is_drawn = name == "multinomial"  # it varies most, and lies below the others
        axes.errorbar(
            means["original"],
            means["mean"],
            yerr=means["se"].fillna(0),
            color=colour,
            marker=marker,
            linestyle="none",
            markersize=2.2,
            elinewidth=0.5,
            alpha=0.6 if is_drawn else 1,
            label=label,
            zorder=2 if is_drawn else 3 + i,
        )
        if means["exact"].notna().any():
            text = f"{label}, exact"
            axes.plot(means["original"], means["exact"], color=colour, lw=0.8, label=text)


def _against_epsilon(
    metrics: list[pd.DataFrame],
    labels: list[str],
    heading: str,
    *,
    line: float | None = None,
    from_zero: bool = False,
) -> Figure:
    """Return a figure with a block of panels for each metric, a line for each method.

    metrics: rows of a summary. line: a value to compare with, drawn in each panel.
    """
    titles = list(_groups(metrics[0]))
    with style.settings():
        height = 0.8 + 1.8 * len(metrics) * panels.rows(len(titles))
        figure = Figure(figsize=(style.WIDTH, height))
        blocks = panels.blocks(figure, labels, titles)
        for block, metric in zip(blocks, metrics, strict=True):
            for axes, rows in zip(block, _groups(metric).values(), strict=True):
                if line is not None:
                    axes.axhline(line, color=style.GREY, linewidth=0.8, label="original counts")
                # a method in the place of a mechanism, in a panel of one δ
                lines = rows.assign(mechanism=rows["method"], delta=np.nan)
                panels.draw_against_epsilon([axes], lines, METHODS)
            if from_zero:
                block[0].set_ylim(bottom=0)
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], heading)
        panels.thin_labels(figure, blocks[-1][-1])
    return figure


def _groups(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each mechanism and δ, by what their panel is called."""
    looks = style.looks(table["mechanism"].unique())
    named = {}
    for mechanism, of_one in table.groupby("mechanism", sort=False):
        for delta in of_one["delta"].unique():
            of_delta = of_one["delta"].isna() if pd.isna(delta) else of_one["delta"] == delta
            title = panels.title(delta=float(delta))
            label = looks[str(mechanism)][0]
            named[f"{label}, {title}" if title else label] = of_one[of_delta]
    return named
