"""The errors of a table of equal counts, which has no information but n and the cells.

A release with larger errors is farther from the original than such a table.
"""

import pandas as pd

from ggexp.experiment.metrics import errors_of
from ggexp.releases.release import equal_counts


def tabulate_equal_counts(
    histogram: pd.DataFrame,
    tally: pd.DataFrame | None = None,
    *,
    dataset: str,
    pseudo_count: float,
    has_marginals: bool = False,
) -> pd.DataFrame:
    """Return dataset, metric and equal: the error of equal counts in all cells of a data set.

    The metrics are those of its releases, and with ``has_marginals`` also one_way and two_way.

    histogram: the listed cells. tally: the numbers of records and cells if releases consist of all
        cells, None if they consist of the listed ones. pseudo_count: as in `ggexp.kl_dirichlet`.
    """
    counts, lists_cells = histogram["count"].to_numpy(), tally is None
    cells = counts.size if tally is None else int(tally.set_index("quantity")["count"]["bins"])
    equal = equal_counts(float(counts.sum()), counts.size, cells)
    errors = errors_of(counts, equal, lists_cells=lists_cells, pseudo_count=pseudo_count)
    if has_marginals:
        from ggexp.experiment.marginals import Marginals  # takes 0.2 s to load

        marginals = Marginals(histogram.drop(columns="count"))
        (distances,) = marginals.errors(counts, [equal.counts])
        for ways, name in enumerate(("one_way", "two_way"), 1):
            if ways in marginals.ways:
                errors[name] = float(distances[marginals.ways == ways].mean())
    return pd.DataFrame({"dataset": dataset, "metric": errors.keys(), "equal": errors.values()})
