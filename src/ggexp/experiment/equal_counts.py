"""The errors of a table of equal counts, which has no information but n and the cells."""

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
    """Return the columns dataset, metric and equal, which is the error of a table of equal counts.

    The table has the sum of the histogram, divided evenly among all cells. It is measured by the
    metrics of releases and, with ``has_marginals``, by those of synthetic records: one_way and
    two_way.

    histogram: the listed cells, with their ``count``.
    cells: the number of all cells, None if releases consist of exactly the listed ones.
    """
    counts = histogram["count"].to_numpy()
    number = counts.size if cells is None else cells
    share = counts.sum() / number
    equal = Release(
        np.full(counts.size, share), remaining=number - counts.size, remaining_count=share
    )
    errors = errors_of_release(
        counts, equal, None, lists_cells=cells is None, pseudo_count=pseudo_count
    )
    if has_marginals:
        from ggexp.experiment.marginals import Marginals  # takes 0.2 s to load

        marginals = Marginals(histogram.drop(columns="count"))
        (distances,) = marginals.errors(counts, [equal.counts])
        for ways in {*marginals.ways.tolist()}:
            errors[("one_way", "two_way")[ways - 1]] = distances[marginals.ways == ways].mean()
    return pd.DataFrame({"dataset": dataset, "metric": errors.keys(), "equal": errors.values()})
