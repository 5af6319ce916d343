"""Figures of what `ggexp.run_grid` returned, as the workflow draws them."""

from collections.abc import Collection

import pandas as pd
from matplotlib.figure import Figure

from ggexp.experiment.metrics import SHOWN
from ggexp.experiment.notebook import dataset_of, summary_of, what_ran
from ggexp.figures import draw_errors, draw_releases, tabulate_errors
from ggexp.figures.tabulate_releases import tabulate_releases


def plot_errors(errors: pd.DataFrame, metrics: Collection[str] = SHOWN) -> Figure:
    """Return a figure of l1 distance and KL divergence against ε, a panel for each δ.

    errors: what `ggexp.run_grid` returned, or rows of it, of one data set. Points are means over
        the repeats, bars one standard deviation. metrics: which of its columns are drawn.
    A notebook shows the figure after ``%matplotlib inline``.
    Raises ValueError for errors of no data set, or of several.

    >>> from ggexp import Mechanism, plot_errors, run_grid
    >>> grid = {"mechanisms": {"laplace": Mechanism(1, "pure")}, "epsilon": [0.5, 1]}
    >>> figure = plot_errors(run_grid([68, 20, 15, 5], **grid, repeats=20, seed=1))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['l₁ distance (records)', 'KL divergence (nats)']
    """
    dataset = dataset_of(errors)
    return draw_errors.draw(tabulate_errors.tabulate(summary_of(errors), metrics), dataset)


def plot_releases(errors: pd.DataFrame) -> Figure:
    """Return a figure of the error of each count, a row for each mechanism, a column for each ε.

    errors: what `ggexp.run_grid` returned, or rows of it; the grid points that it still has are
        drawn, but of more than three ε some, and of δ the least and the largest. Points are the
        first release, the bands behind them where nine in ten of the repeats lie. The first row has
        sanitized against original counts. The releases are made again from the frame's ``attrs``.
    A notebook shows the figure after ``%matplotlib inline``.
    Raises ValueError for a frame that has lost them, as one read from a CSV file.

    >>> from ggexp import Mechanism, plot_releases, run_grid
    >>> grid = {"mechanisms": {"laplace": Mechanism(1, "pure")}, "epsilon": [0.5, 1]}
    >>> figure = plot_releases(run_grid([68, 20, 15, 5], **grid, repeats=20, seed=1))
    >>> [axes.get_title() for axes in figure.axes]
    ['ε = 0.5', 'ε = 1', '', '']
    """
    counts, design = what_ran(errors)
    dataset = dataset_of(errors)
    kept = set(zip(errors["mechanism"], errors["epsilon"], errors["delta"].fillna(0), strict=True))
    points = [
        noisy
        for noisy in design.points[dataset]
        for point in [noisy.point]
        if (point.mechanism, point.epsilon, point.delta or 0) in kept
    ]
    table = tabulate_releases(counts, points, seed=design.seed, repeats=design.repeats)
    return draw_releases.draw(table, dataset)
