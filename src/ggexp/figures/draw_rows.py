"""Figures with a row for each mechanism, each sentence of the paper, or each reading of it."""

import re

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize, PowerNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from ggexp.experiment.metrics import METRICS
from ggexp.figures import findings, panels, style
from ggexp.figures.tabulate_rows import CONDITIONS, MISCLASSIFICATION
from ggexp.figures.tabulate_summaries import STATED_LOSSES, deltas_of, rows_at
from ggexp.words import mechanisms_in_words

LABELS = {name: metric.label for name, metric in METRICS.items()}
LABELS[MISCLASSIFICATION] = "misclassified share"
MAX_BOLD_ERRORS = 3  # an excess of at most this number of standard errors is bold
DARKEST_EXCESS = 100  # percent; larger excesses have the same colour
MAX_COLUMNS_WITH_NUMBERS = 4  # with more ε in a panel, numbers do not fit into its cells
ROW_HEIGHT = 0.17  # inches


@style.settings()
def ranks(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure with a row for each mechanism, a column for each ε, and a panel for each δ.

    Darker cells have a larger excess over the smallest error. The excess is written in the cell in
    percent, and is bold if it is at most `MAX_BOLD_ERRORS` standard errors. Equal counts are last.
    """
    best = table["mean"] / (1 + table["excess"])
    means = table.assign(equal=best * (1 + table["equal"]))
    by_error = {LABELS[str(name)]: rows for name, rows in means.groupby("error", sort=False)}
    heading = findings.title(dataset, findings.of_means(by_error), "excess over the smallest error")
    points = table.drop_duplicates(["error", "epsilon", "delta"]).dropna(subset="equal")
    points = points[["error", "epsilon", "delta"]].assign(excess=points["equal"])
    table = pd.concat([table, points.assign(mechanism="equal counts")], ignore_index=True)
    errors = list(table["error"].unique())
    mechanisms = list(table["mechanism"].unique())
    deltas = deltas_of(table)
    labels, titles = [LABELS[name] for name in errors], [panels.title(delta=x) for x in deltas]
    height = max(0.3 + ROW_HEIGHT * len(mechanisms), 1.1 / len(errors))
    figure, blocks = panels.blocks(labels, titles, height, margins=0.9)
    for block, error in zip(blocks, errors, strict=True):
        error_rows = table[table["error"] == error]
        for axes, delta in zip(block, deltas, strict=True):
            image = _draw_excesses(axes, rows_at(error_rows, delta), mechanisms)
        block[0].set_yticks(range(len(mechanisms)), [*map(mechanisms_in_words, mechanisms)])
    figure.supxlabel(panels.EPSILON, fontsize=8)
    style.entitle(figure, heading)
    bar = figure.colorbar(image, ax=figure.axes, extend="max", aspect=40, pad=0.01)
    bar.set_label("above the smallest (%)")
    bar.set_ticks([0, 5, 20, 50, 100])
    panels.thin_labels(figure, blocks[-1][-1])
    return figure


def _draw_excesses(axes: Axes, panel: pd.DataFrame, mechanisms: list[str]) -> AxesImage:
    """Draw a panel's errors as coloured cells, with numbers in them if there is room."""
    columns = {epsilon: column for column, epsilon in enumerate(sorted(panel["epsilon"].unique()))}
    cells = np.full((len(mechanisms), len(columns)), np.nan)
    for row in panel.to_dict("records"):
        line, column = mechanisms.index(row["mechanism"]), columns[row["epsilon"]]
        cells[line, column] = percent = 100 * row["excess"]
        if len(columns) <= MAX_COLUMNS_WITH_NUMBERS:
            is_bold = row["excess"] <= MAX_BOLD_ERRORS * row["excess_se"]
            text = f"{percent:.1f}" if percent < 9.95 else f"{percent:.0f}"
            drawn = axes.text(column, line, text, ha="center", va="center_baseline", fontsize=6)
            drawn.set_fontweight("bold" if is_bold else "normal")
            drawn.set_color("white" if percent > 0.4 * DARKEST_EXCESS else style.BLACK)
    axes.set_xticks(range(len(columns)), [f"{epsilon:g}" for epsilon in columns])
    return _draw_image(axes, cells, PowerNorm(0.5, vmin=0, vmax=DARKEST_EXCESS, clip=True))


def _draw_image(
    axes: Axes, cells: NDArray[np.float64], norm: Normalize, colours: str = "Blues"
) -> AxesImage:
    """Draw coloured cells without a frame."""
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return axes.imshow(cells, cmap=colours, norm=norm, aspect="auto")


COLOURS = {
    "holds": style.BLUE,
    "partly": "#90cbf0",  # a light blue, far enough from the first
    "undecided": "0.85",
    "fails": style.VERMILLION,
}
SENTENCE_HEIGHT = 0.24  # inches
DARK = 0.55  # shares above this are written in white
#: Kind of a choice -> the title of its columns.
TITLES = {
    "open": "open choices:\neffect (points)",
    "repetition": "seeds:\neffect",
    "correction": "corrections:\nshare if … (%)",
    "threshold": "thresholds:\nshare if … (%)",
}
#: Claim without its data set and metric -> its name in the figure.
SENTENCES = {
    "order": "order of mechanisms",
    "similar": "Gaussians similar",
    "linear": "linear in ε",
    "linear-in-epsilon": "linear in ε",
    "steep": "steep, then flat",
    "delta": "less impact of δ",
    "faster-epsilon": "faster with ε",
    "faster-delta": "faster with δ",
    "loss": "loss of 0.25 to 1 %",
    "adp-no-worse": "Gaussian-aDP no worse",
}
#: Alternatives of the choices -> their names in the figure.
TRAINING = {"weighted": "weighted cells", "one-row": "a row per cell", "drawn": "n drawn records"}
ROUNDING = {"none": "", "nearest": ", rounded"}
BASELINE = {
    "same": "compared with the same training on the original counts",
    "weighted": "compared with weighted cells of the original counts",
    "records": "compared with the original records without bins",
}
TESTS = {"binned": "test records in bins", "unbinned": "test records without bins"}
READING_HEIGHT = 0.3  # inches
GAP = 0.9  # rows between two groups
SPREAD = 0.5  # the part of a row's height that its lines for each ε use


@style.settings()
def sentences(table: pd.DataFrame) -> Figure:
    """Return a figure with a row for each sentence: shares, and columns for each kind of choice.

    A column of an open choice or a repetition has the largest difference between the shares of its
    alternatives, in percentage points. A column of a correction or a threshold has the share, in
    percent, with another alternative than the paper's words or our threshold.
    """
    written = table[table["choice"].isna()].set_index("claim")
    blocks = {}
    for kind in TITLES:
        chosen = table[table["kind"] == kind]
        names = chosen["choice"].map(_readable)
        if kind in CONDITIONS:
            names += ": " + chosen["alternative"]
        shares = chosen.assign(name=names).pivot_table(
            "holds", "claim", "name", "mean" if kind in CONDITIONS else np.ptp, sort=False
        )
        if shares.shape[1]:
            blocks[kind] = shares.reindex(written.index)
    widths = [5, *(block.shape[1] for block in blocks.values())]
    height = 2.3 + SENTENCE_HEIGHT * len(written)
    figure, (bars, *panels) = style.side_by_side(len(widths), height, width_ratios=widths)
    _draw_shares(bars, written)
    for axes, (kind, block) in zip(panels, blocks.items(), strict=True):
        _draw_percentages(axes, block.to_numpy(), "Blues" if kind in CONDITIONS else "Greys")
        axes.set_xticks(range(block.shape[1]), [*map(str, block)], rotation=90, fontsize=6.5)
        axes.set_xlabel(TITLES[kind], fontsize=7)
    bars.set_yticks(range(len(written)), [*map(_sentence, written.index)])
    bars.set_ylim(len(written) - 0.5, -0.5)
    figure.legend(loc="outside lower center", ncols=len(COLOURS))
    return figure


def _readable(choice: str) -> str:
    """Return the name of a choice in words."""
    return re.sub("-(?=[a-z])", " ", mechanisms_in_words(choice))


def _sentence(claim: str) -> str:
    """Return the name of a claim in words."""
    subject, _, stem = claim.partition("-")
    metric = f", {LABELS[stem[-2:]].split()[0]}" if stem.endswith(("-l1", "-kl")) else ""
    stem = stem[:-3] if metric else stem
    return f"{subject.capitalize()}: {SENTENCES.get(stem, stem.replace('-', ' '))}{metric}"


def _draw_shares(axes: Axes, sentences: pd.DataFrame) -> None:
    """Draw a bar for each sentence, divided into its outcomes, and write the share that holds."""
    left = np.zeros(len(sentences))
    rows = np.arange(len(sentences))
    for name, colour in COLOURS.items():
        share = sentences[name].to_numpy()
        axes.barh(rows, share, left=left, color=colour, height=0.8, label=name)
        left += share
    for row, (holds, se, readings) in enumerate(sentences[["holds", "se", "readings"]].to_numpy()):
        error = f" ± {100 * se:.0f}" if se > 0 else ""
        text = f"{100 * holds:.0f}{error} % of {readings:,.0f}"
        axes.text(1.06, row, text, va="center", fontsize=6, clip_on=False)
    axes.set_xlim(0, 2)  # the right half is for the text
    axes.set_xticks([0, 1], ["0", "1"])
    axes.set_xlabel("share of the\nopen readings", fontsize=7)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)


def _draw_percentages(axes: Axes, shares: NDArray[np.float64], colours: str) -> None:
    """Draw shares as coloured cells with their percentages; an empty cell has no share."""
    _draw_image(axes, shares, Normalize(0, 1), colours)
    for (row, column), value in np.ndenumerate(shares):
        if not np.isnan(value):
            colour = "white" if value > DARK else "black"
            text = f"{100 * value:.0f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=5.5, color=colour)
    axes.xaxis.tick_top()
    axes.tick_params(axis="y", labelleft=False)


@style.settings()
def losses_of_readings(table: pd.DataFrame) -> Figure:
    """Return a figure with a panel for each kind of test records, and a row for each reading.

    A row has a line for each ε, which spans all losses. Marks are the means of the mechanisms. The
    number beside a row is the share of its losses in the paper's range.
    """
    groups = table.groupby(["baseline", "training", "rounding"], sort=False).ngroup()
    baseline = table.groupby("baseline", sort=False).ngroup()
    epsilons, position = np.unique(table["epsilon"], return_inverse=True)
    offsets = np.linspace(-SPREAD / 2, SPREAD / 2, len(epsilons))
    table = table.assign(row=groups + GAP * (1 + baseline))
    table["y"] = table["row"] + offsets[position]
    looks = style.looks(table["mechanism"].unique())
    panels = [name for name in TESTS if name in set(table["test-records"])]
    height = 1.3 + READING_HEIGHT * table["row"].max()
    figure, all_axes = style.side_by_side(len(panels), height)
    for axes, name in zip(all_axes, panels, strict=True):
        _draw_panel(axes, table[table["test-records"] == name], looks)
        axes.set_title(TESTS[name], loc="left")
    rows = table.drop_duplicates("row")
    names = rows["training"].map(TRAINING) + rows["rounding"].map(ROUNDING)
    all_axes[0].set_yticks(rows["row"], names)
    all_axes[0].set_ylim(table["row"].max() + 0.6, -0.3)
    for name, row in rows.drop_duplicates("baseline")[["baseline", "row"]].to_numpy():
        inside = all_axes[0].get_yaxis_transform()
        all_axes[0].text(0.01, row - 0.7, BASELINE[name], fontsize=7, transform=inside)
    figure.supxlabel(
        "loss of accuracy (percentage points), and the share of losses in the paper's range\n"
        f"lines of a row, from its top: ε = {', '.join(map('{:g}'.format, epsilons))}",
        fontsize=8,
    )
    marks = [
        Line2D([], [], color=colour, marker=marker, linestyle="none", label=label)
        for label, colour, marker, _ in looks.values()
    ]
    spread = Line2D([], [], color=style.GREY, label="all splits, bins and δ")
    band = Patch(color=style.ORANGE, alpha=0.25, linewidth=0, label="the paper's range")
    style.legend(figure, all_axes[0], *marks, spread, band)
    return figure


def _draw_panel(axes: Axes, table: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    """Draw the rows of one kind of test records; ``y`` is the position of a line."""
    axes.axvspan(*STATED_LOSSES, color=style.ORANGE, alpha=0.25, linewidth=0, zorder=0.5)
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    lines = table.groupby("y").agg(lowest=("lowest", "min"), highest=("highest", "max"))
    axes.hlines(lines.index, lines["lowest"], lines["highest"], color=style.GREY, linewidth=0.7)
    for mechanism, (_, colour, marker, _) in looks.items():
        means = table[table["mechanism"] == mechanism]
        axes.plot(means["mean"], means["y"], marker, color=colour, markersize=2.2)
    beside = axes.get_yaxis_transform()
    for position, (_, rows) in enumerate(table.groupby("row")):
        row, share = rows["row"].iloc[0], np.average(rows["within"], weights=rows["losses"])
        if position % 2:
            axes.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=0)
        axes.text(1.01, row, f"{100 * share:.0f} %", va="center", fontsize=6.5, transform=beside)
    axes.tick_params(axis="y", length=0)
