"""A figure of the cells that releases of a large histogram retain."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of
from ggexp.figures.tabulate_retained_cells import REFERENCE, SHOWN

MIN_SPAN = 10  # a logarithmic axis begins at or below the reference divided by this
LABELS = {
    "l1": "l₁ distance (records)",
    "kept": "retained cells",
    "accuracy": "accuracy on\ntest records (%)",
}


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return a figure of l1 distance, retained cells and accuracy against ε, a panel for each δ.

    A dashed line is the metric's reference.
    """
    table = table.copy()
    table.loc[table["metric"] == "accuracy", ["mean", "sd"]] *= 100
    is_reference = table["mechanism"] == REFERENCE
    references = table[is_reference].set_index("metric")["mean"]
    means = table[~is_reference]
    metrics = [metric for metric in SHOWN if metric in set(means["metric"])]
    looks = style.looks(means["mechanism"].unique())
    deltas = deltas_of(means)
    with style.settings():
        rows = len(metrics) * panels.rows(len(deltas))
        figure = Figure(figsize=(style.WIDTH, 0.8 + 1.6 * rows))
        titles = [panels.title(delta=delta) for delta in deltas]
        blocks = panels.blocks(figure, [LABELS[metric] for metric in metrics], titles)
        for block, metric in zip(blocks, metrics, strict=True):
            metric_rows = means[means["metric"] == metric]
            if len(deltas) > 1 and metric_rows["delta"].isna().all():
                _keep_one_panel(block, above=blocks[blocks.index(block) - 1])
            for axes in block:
                axes.axhline(
                    references[metric],
                    color=style.BLACK,
                    linewidth=0.8,
                    linestyle="--",
                    label="for comparison",
                )
            panels.draw_against_epsilon(block, metric_rows, looks, deltas[: len(block)])
            if metric != "accuracy":
                _set_scale(block[0], metric_rows["mean"].min(), references[metric])
        figure.supxlabel("privacy budget ε", fontsize=8)
        panels.legend(figure, blocks[0][0], f"{dataset}: mean ± sd of the repeats")
        panels.thin_labels(figure, blocks[-1][0])
    return figure


def _keep_one_panel(block: list[Axes], above: list[Axes]) -> None:
    """Keep only the first panel of a block whose mechanisms have no δ; others would be equal."""
    block[0].set_title("without δ")
    for axes, upper in zip(block[1:], above[1:], strict=True):
        axes.remove()
        upper.tick_params(labelbottom=True)
    del block[1:]


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
