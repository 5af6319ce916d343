"""Figure 12: accuracy of classifiers trained on releases."""

import pandas as pd
from matplotlib.figure import Figure

from ggexp.figures import panels, style
from ggexp.figures.by_delta import deltas_of


def draw(table: pd.DataFrame, dataset: str) -> Figure:
    """Return Figure 12: accuracy on the test records against ε, a panel for each δ.

    The row of the mechanism "original" is the accuracy of training on the original counts, drawn as
    a line; the row of "majority" is the accuracy of predicting the most frequent class.
    """
    means, original, majority = panels.split_baselines(table)
    looks = style.looks(means["mechanism"].unique())
    titles = [panels.title(delta=delta) for delta in deltas_of(means)]
    with style.settings():
        figure = Figure(figsize=(style.WIDTH, 0.8 + 1.7 * panels.rows(len(titles))))
        (block,) = panels.blocks(figure, ["accuracy on test records (%)"], titles)
        for axes in block:
            axes.axhline(original, color=style.BLACK, linewidth=0.8, label="original counts")
        panels.draw_against_epsilon(block, means, looks)
        figure.supxlabel("privacy budget ε", fontsize=8)
        heading = f"{dataset}: {panels.repeats(means)}\n{panels.draw_majority(block, majority)}"
        panels.legend(figure, block[0], heading)
        panels.thin_labels(figure, block[-1])
    return figure
