"""Figures of summaries against ε: errors, accuracy, synthetic records, retained cells."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.experiment.metrics import METRICS
from ggexp.figures import findings, panels, style
from ggexp.figures.style import Look
from ggexp.figures.tabulate_other_releases import REFERENCE, RETAINED
from ggexp.figures.tabulate_summaries import (
    EQUAL,
    MAJORITY,
    MODELS,
    ORIGINAL,
    RATIO,
    STATED_LOSSES,
    deltas_of,
    rows_at,
)
from ggexp.words import in_words, mechanisms_in_words

MARGINALS_IN_WORDS = {"one_way": "one-way marginals", "two_way": "two-way marginals"}
RETAINED_LABELS = {
    "l1": "l₁ distance (records)",
    "kept": "retained cells",
    "accuracy": "accuracy on\ntest records (%)",
}
LOSS = "loss of accuracy\n(percentage points)"
PAPER_DATASET = "adult"
#: The label, colour and line of models without noise.
MODEL_LINES = {
    MAJORITY: ("most frequent class", style.GREY, "--"),
    EQUAL: ("equal counts", style.BLACK, ":"),
}
# equal counts have no line if it would stretch a linear axis by more than this factor, or a
# logarithmic one to more than this multiple of the means
MAX_STRETCH, MAX_MULTIPLE = 1.3, 3
MIN_TOP = 0.4  # percentage points: the least upper end of the axis if the paper's losses are shown
MIN_SPAN = 10  # a logarithmic axis begins at or below the reference divided by this
# in the same order as in the tables
METHODS: dict[str, Look] = {
    "release": ("release, not rounded", style.BLACK, "o", "-"),
    "largest-remainder": ("largest remainder", style.BLUE, "s", "--"),
    "multinomial": ("multinomial draw", style.VERMILLION, "^", "-."),
    "counts": ("a record for each count", style.GREEN, "D", ":"),
}
# divergences grow with the square of the error, so metrics with their unit have a logarithmic axis
DIVERGENCE_UNIT = "nats"
# other metrics have a logarithmic axis if their largest mean exceeds this multiple of the smallest
MAX_RATIO = 20
ROUNDING = 1e-12  # means up to this are rounding errors of 0, which has no logarithm
SAME = 0.01  # lines coincide if all of their means differ by less than this share


def errors(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 7, 9 or 11: each metric against ε, with a panel for each δ, and ratios.

    Coinciding lines are one line with all names.
    """
    names = [*table["mechanism"].unique()]
    looks = style.looks(names)
    is_ratio = table["metric"] == RATIO
    shown = {
        METRICS[str(name)].label: rows
        for name, rows in table[~is_ratio].groupby("metric", sort=False)
    }
    reference = table["reference"].dropna().iloc[0]
    for name, *others in _coinciding(table, [reference, *names]):
        looks[name] = (", ".join(looks[same][0] for same in (name, *others)), *looks[name][1:])
        table = table[~table["mechanism"].isin(others)]
    by_metric = {name: table[table["metric"] == name] for name in table["metric"].unique()}
    metrics = {METRICS[name].axis: rows for name, rows in by_metric.items() if name != RATIO}
    label = f"{METRICS[next(iter(by_metric))].label}\nrelative to {mechanisms_in_words(reference)}"
    metrics[label] = by_metric[RATIO]
    heading = findings.title(dataset, findings.of_means(shown), " and ".join(shown))
    finish = partial(_set_y_axis, label=_equal_in_words(table))
    return panels.draw_blocks(metrics, heading, looks=looks, strongest=reference, finish=finish)


def _equal_in_words(table: pd.DataFrame, unit: str = "") -> str | None:
    """Return the label of the line of equal counts with its errors, None if they are unknown."""
    equal = table.drop_duplicates("metric").dropna(subset="equal")
    errors = [
        f"{in_words(error, 4)} {unit or METRICS[metric].unit}"
        for metric, error in zip(equal["metric"], equal["equal"], strict=True)
    ]
    return f"{MODEL_LINES[EQUAL][0]}: {', '.join(errors)}" if errors else None


def _coinciding(table: pd.DataFrame, names: Sequence[str]) -> list[list[str]]:
    """Return groups of mechanisms whose means differ by at most `SAME` in every panel."""
    panels = [rows_at(table, delta).assign(delta=str(delta)) for delta in deltas_of(table)]
    keys = ["metric", "epsilon", "delta"]
    means = pd.concat(panels).pivot_table("mean", keys, "mechanism")
    groups: list[list[str]] = []
    for name in dict.fromkeys(names):
        for group in groups:
            if np.isclose(means[name], means[group[0]], rtol=SAME, atol=ROUNDING).all():
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def _set_y_axis(block: Sequence[Axes], rows: pd.DataFrame, label: str | None) -> None:
    """Let the y axis of a metric begin at 0, or make it logarithmic, and draw equal counts."""
    metric = rows["metric"].iloc[0]
    smallest, largest = rows["mean"].min(), rows["mean"].max()
    is_divergence = metric != RATIO and METRICS[metric].unit == DIVERGENCE_UNIT
    if (is_divergence or largest > MAX_RATIO * smallest) and smallest > ROUNDING:
        _draw_equal(block, rows, label, (smallest / MAX_MULTIPLE, largest * MAX_MULTIPLE))
        panels.scale_by_logarithm(block[0])
    elif metric != RATIO:
        _begin_at_0(block, rows, label)


def _begin_at_0(block: Sequence[Axes], rows: pd.DataFrame, label: str | None) -> None:
    top = (rows["mean"] + rows["sd"].fillna(0)).max()
    _draw_equal(block, rows, label, (0, top * MAX_STRETCH))
    block[0].set_ylim(bottom=0)


def _draw_equal(
    block: Sequence[Axes], rows: pd.DataFrame, label: str | None, ends: tuple[float, float]
) -> None:
    """Draw a line of equal counts in each panel, or only list it if it is beyond the ends."""
    _, colour, line = MODEL_LINES[EQUAL]
    equal = rows["equal"].iloc[0]
    for axes in block:
        drawn = axes.axhline(equal if ends[0] <= equal <= ends[1] else np.nan, color=colour)
        drawn.set(linestyle=line, label=label)


def by_method(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each mechanism and δ, by the title of their panel."""
    groups: Any = table.groupby(["mechanism", "delta"], sort=False, dropna=False)
    return {
        panels.title(mechanisms_in_words(name), delta=delta): rows for (name, delta), rows in groups
    }


#: The parameters of `panels.draw_blocks` for a table with methods.
A_LINE_PER_METHOD: dict[str, Any] = {"panels_of": by_method, "by": "method", "looks": METHODS}


def marginals(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of errors of marginals: a line for each method, a panel for mechanism and δ.

    table: rows of the summary of synthetic records with the metrics one_way and two_way, in [0, 1].
    """
    table = table.dropna(subset="mean").copy()
    table[["mean", "sd", "se", "equal"]] *= 100
    by_metric = {str(name): rows for name, rows in table.groupby("metric", sort=False)}
    shown = {MARGINALS_IN_WORDS[name][:-1] + " error": rows for name, rows in by_metric.items()}
    metrics = {f"{MARGINALS_IN_WORDS[name]} (%)": rows for name, rows in by_metric.items()}
    found = findings.of_means(shown, "method", METHODS)
    heading = findings.title(dataset, found, " and ".join(shown))
    finish = partial(_begin_at_0, label=_equal_in_words(table, "%"))
    return panels.draw_blocks(metrics, heading, finish=finish, **A_LINE_PER_METHOD)


def losses(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 12: the loss of accuracy on the test records against ε, a panel for each δ.

    The second axis is the accuracy. Lines are the losses of predicting the most frequent class and
    of training on equal counts, if they are on the axis; the legend states the accuracies. For the
    paper's data set, a band is the paper's range.
    A table with methods of making records has a panel for each mechanism and δ, a line per method.
    """
    lines = A_LINE_PER_METHOD if "method" in table else {}
    baselines = table[table["mechanism"].isin(MODELS)].set_index("mechanism")
    accuracies, loss_of = 100 * baselines["mean"], baselines["loss"]
    original = float(accuracies[ORIGINAL])
    models = {name: line for name, line in MODEL_LINES.items() if name in baselines.index}
    rows = table[~table["mechanism"].isin(baselines.index)]
    rows = rows.assign(mean=rows["loss"], sd=100 * rows["sd"], se=100 * rows["se"])
    bars = rows["sd"].fillna(0)
    low, high = min(0, (rows["mean"] - bars).min()), (rows["mean"] + bars).max()
    if is_paper := dataset == PAPER_DATASET:
        high = max(high, MIN_TOP)
    margin = 0.05 * (high - low)

    def finish(block: Sequence[Axes], _: pd.DataFrame) -> None:
        for axes in block:
            axes.axhline(0, color=style.BLACK, linewidth=0.8, label="original counts")
            if is_paper:
                band = axes.axhspan(*STATED_LOSSES, color=style.ORANGE, alpha=0.2, linewidth=0)
                band.set_label("the paper's {:g} to {:g} points".format(*STATED_LOSSES))
            for name, (label, colour, line) in models.items():
                is_drawn = low - margin <= loss_of[name] <= high + margin
                drawn = axes.axhline(loss_of[name] if is_drawn else np.nan, color=colour)
                drawn.set(linestyle=line, label=f"{label}: {accuracies[name]:.2f} %")
        block[0].set_ylim(low - margin, high + margin)
        second = block[-1].secondary_yaxis("right", functions=(lambda y: original - y,) * 2)
        second.set_ylabel("accuracy (%)")

    label = LOSS.partition("\n")[0]
    shown = {label: rows.assign(equal=loss_of.get(EQUAL, np.nan))}
    found = findings.of_means(shown, lines.get("by", "mechanism"), lines.get("looks", {}))
    heading = findings.title(dataset, found, label)
    return panels.draw_blocks({LOSS: rows}, heading, finish=finish, **lines)


def retained_cells(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of l1 distance, retained cells and accuracy against ε, a panel for each δ.

    A dashed line is the metric's reference, a dotted line the l1 distance of equal counts.
    """
    is_accuracy = table["metric"] == "accuracy"
    columns = ["mean", "sd", "se"]
    table = table.assign(**table[columns].mul(np.where(is_accuracy, 100, 1), axis=0))
    is_reference = table["mechanism"] == REFERENCE
    references = table[is_reference].set_index("metric")["mean"]
    by_metric = dict(list(table[~is_reference].groupby("metric", sort=False)))

    def finish(block: Sequence[Axes], rows: pd.DataFrame) -> None:
        metric = rows["metric"].iloc[0]
        for axes in block:
            line = axes.axhline(references[metric], color=style.BLACK, linestyle="--")
            line.set(linewidth=0.8, label="for comparison")
        if metric == "l1":
            _draw_equal(block, rows, MODEL_LINES[EQUAL][0], (0, references[metric]))
        if metric != "accuracy":
            _set_scale(block[0], rows["mean"].min(), references[metric])

    metrics = {RETAINED_LABELS[name]: by_metric[name] for name in RETAINED if name in by_metric}
    heading = findings.title(dataset, findings.of_means({METRICS["l1"].label: by_metric["l1"]}))
    return panels.draw_blocks(metrics, heading, finish=finish)


@style.settings()
def count_bias(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of the bias against the original count, a panel for each ε, mechanism and δ.

    Points are means over the repeats and over the cells with the same count, error bars are ± one
    standard error; the line is the exact mean for noisy counts that are clamped and rounded.
    """
    epsilons, groups = table["epsilon"].unique(), by_method(table)
    labels = [f"count bias (records), {panels.title(epsilon=epsilon)}" for epsilon in epsilons]
    figure, blocks = panels.blocks(labels, list(groups), 1.9)
    for block, epsilon in zip(blocks, epsilons, strict=True):
        for axes, rows in zip(block, groups.values(), strict=True):
            _draw_bias(axes, rows[rows["epsilon"] == epsilon])
    # logarithmic because most counts are small, but linear up to 1 because some may be 0
    smallest, largest = table["original"].min(), table["original"].max()
    blocks[0][0].set_xscale("symlog", linthresh=1)
    if smallest > 0:
        blocks[0][0].set_xlim(0.8 * smallest, 1.2 * largest)
    candidates = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000)
    ticks = [tick for tick in candidates if smallest <= tick <= largest]
    blocks[0][0].set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    blocks[0][0].minorticks_off()
    figure.supxlabel("original count (records)", fontsize=8)
    style.legend(figure, blocks[0][0], heading=f"{dataset}: count bias of each method")
    panels.thin_labels(figure, blocks[-1][-1])
    return figure


def _draw_bias(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw one panel: each method's means, and the exact means if they are known."""
    axes.axhline(0, color=style.GREY, linewidth=0.6)
    for i, (name, (label, colour, marker, _)) in enumerate(METHODS.items()):
        means = rows[rows["method"] == name]
        if means.empty:
            continue
        look: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": "none"}
        # multinomial draws are below the others, because they vary most
        look |= {"alpha": 0.6, "zorder": 2} if name == "multinomial" else {"zorder": 3 + i}
        x, mean, se = means["original"], means["mean"], means["se"].fillna(0)
        axes.errorbar(x, mean, se, markersize=2.2, elinewidth=0.5, label=label, **look)
        if means["exact"].notna().any():
            text = f"{label}, exact"
            axes.plot(x, means["exact"], color=colour, lw=0.8, label=text)


def _set_scale(axes: Axes, smallest: float, reference: float) -> None:
    """Make an axis of records or cells logarithmic, or linear up to 1 if a mean is below 1."""
    if smallest >= 1:
        axes.set_ylim(min(0.7 * smallest, reference / MIN_SPAN), 1.3 * reference)
        panels.scale_by_logarithm(axes)
    else:
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(0, 2 * reference)
        counts = [0, *(10**power for power in range(len(f"{reference:.0f}")))]
        axes.set_yticks(counts, [f"{count:,}" for count in counts])
