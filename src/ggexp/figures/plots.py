"""Figures of the result of `ggexp.run_grid`, as the workflow draws them."""

import os
from collections.abc import Collection

import pandas as pd
from matplotlib.figure import Figure

from ggexp.experiment.metrics import SHOWN
from ggexp.experiment.notebook import dataset_of, equal_of, measured_of
from ggexp.experiment.summary import summarize
from ggexp.figures import draw_releases, draw_summaries, tabulate_releases, tabulate_summaries

if "inline" in os.environ.get("MPLBACKEND", ""):  # a notebook, which is to show figures
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats("png")  # type: ignore[no-untyped-call]


def plot_errors(errors: pd.DataFrame, metrics: Collection[str] = SHOWN) -> Figure:
    """Return a figure of l1 distance and KL divergence against ε, with a panel for each δ.

    Points are means over the repeats, and error bars are ± one standard deviation. The last row has
    ratios to Laplace, or to the first mechanism. The title states which mean is smallest.

    errors: the result of `ggexp.run_grid`, or those of its rows that belong to one data set.
    metrics: the columns of ``errors`` to draw.

    >>> from ggexp import Mechanism, plot_errors, run_grid
    >>> grid = {"mechanisms": {"laplace": Mechanism(1, "pure")}, "epsilon": [0.5, 1]}
    >>> figure = plot_errors(run_grid([68, 20, 15, 5], **grid, repeats=20, seed=1))
    >>> [axes.get_ylabel().splitlines()[0] for axes in figure.axes]
    ['l₁ distance (records)', 'KL divergence (nats)', 'l₁ distance']
    """
    dataset = dataset_of(errors)
    table = tabulate_summaries.errors(summarize([errors]), metrics, equal_of(errors))
    return draw_summaries.errors(table, dataset)


def plot_releases(errors: pd.DataFrame) -> Figure:
    """Return a figure of errors, sanitized minus original count, with a panel for each ε.

    A mechanism's two lines contain 90 % of the errors over the repeats. For a data set with a name
    of the paper's, panels of sanitized counts are above. The releases are computed again from the
    frame's ``attrs``, which are lost if it is read from a CSV file.

    errors: as for `plot_errors`. Only their grid points are drawn, at up to four ε, and at the
        smallest δ.

    >>> from ggexp import Mechanism, plot_releases, run_grid
    >>> grid = {"mechanisms": {"laplace": Mechanism(1, "pure")}, "epsilon": [0.5, 1]}
    >>> figure = plot_releases(run_grid([68, 20, 15, 5], **grid, repeats=20, seed=1))
    >>> [axes.get_title() for axes in figure.axes]
    ['ε = 0.5', 'ε = 1']
    """
    measured, dataset = measured_of(errors), dataset_of(errors)
    kept = {*zip(errors["mechanism"], errors["epsilon"], errors["delta"].fillna(0), strict=True)}
    points = [
        parameters
        for parameters in measured.points
        for point in [parameters["point"]]
        if (point["mechanism"], point["epsilon"], point["delta"] or 0) in kept
    ]
    histogram = pd.DataFrame({"count": measured.counts})
    release = {"kind": "ggexp.releases.simulate.Listed", "total": measured.total}
    table = tabulate_releases.releases(histogram, points, release, measured.seed, measured.repeats)
    return draw_releases.releases(table, dataset)
