"""The errors of a table of equal counts, which has no information but n and the cells."""

from typing import Any

import numpy as np
import pandas as pd

from ggexp.experiment.metrics import errors_of_release
from ggexp.releases.release import Release


def tabulate_equal_counts(
    histogram: pd.DataFrame,
    *,
    cells: int | None = None,
    dataset: str,
    pseudo_count: float,
    has_marginals: bool = False,
) -> pd.DataFrame:
    """Return dataset, metric and equal: the error of equal counts in all cells of a data set.

    The metrics are those of its releases, and with ``has_marginals`` also one_way and two_way.
    cells: their number, None if releases consist of the listed ones, those of the histogram.
    """
    counts = histogram["count"].to_numpy()
    number = counts.size if cells is None else cells
    share = counts.sum() / number
    equal = Release(
        np.full(counts.size, share), remaining=number - counts.size, remaining_count=share
    )
    options: Any = {"lists_cells": cells is None, "pseudo_count": pseudo_count}
    errors = errors_of_release(counts, equal, None, **options)
    if has_marginals:
        from ggexp.experiment.marginals import Marginals  # takes 0.2 s to load

        marginals = Marginals(histogram.drop(columns="count"))
        (distances,) = marginals.errors(counts, [equal.counts])
        for ways in {*marginals.ways.tolist()}:
            errors[("one_way", "two_way")[ways - 1]] = distances[marginals.ways == ways].mean()
    return pd.DataFrame({"dataset": dataset, "metric": errors.keys(), "equal": errors.values()})
