"""The numbers of a figure that ranks mechanisms by their errors."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ggexp.figures.by_delta import deltas_of, rows_at

#: The error that replaces the metric accuracy: the share of test records predicted wrongly.
MISCLASSIFICATION = "misclassification"


def tabulate(
    errors: pd.DataFrame, metrics: Iterable[str], accuracy: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the excess of each mechanism's error over the smallest error, at each ε and δ.

    errors, accuracy: summaries of one data set, the columns of
        `ggexp.experiment.summary.summarize`. metrics: the errors to rank.
    The columns are error (a metric, or `MISCLASSIFICATION`), epsilon, delta, mechanism, rank (from
    1), repeats, mean, se of the mean, excess (the mean divided by the smallest mean, minus 1) and
    excess_se (its standard error by the delta method, 0 for the smallest mean). A mechanism without
    a δ has a row for each δ of the other mechanisms.
    """
    summary = pd.concat([errors, accuracy])
    deltas = deltas_of(summary)
    ranked_by = {metric: metric for metric in metrics} | {"accuracy": MISCLASSIFICATION}
    ranked = [
        _ranked(rows_at(means[means["epsilon"] == epsilon], delta), error, epsilon, delta)
        for metric, error in ranked_by.items()
        for means in [summary[summary["metric"] == metric]]
        for epsilon in means["epsilon"].unique()
        for delta in deltas
    ]
    return pd.concat(ranked, ignore_index=True)


def _ranked(means: pd.DataFrame, error: str, epsilon: float, delta: float) -> pd.DataFrame:
    """Return the rows of one error at one (ε, δ), in the order of the mechanisms."""
    mean = 1 - means["mean"] if error == MISCLASSIFICATION else means["mean"]
    best = mean.argmin()
    smallest, smallest_se = mean.iloc[best], means["se"].iloc[best]
    is_best = np.arange(len(mean)) == best
    with np.errstate(divide="ignore", invalid="ignore"):  # if the smallest error is 0
        ratio = np.where(mean == smallest, 1.0, mean / smallest)
        excess_se = ratio * np.hypot(means["se"] / mean, smallest_se / smallest)
    return pd.DataFrame(
        {
            "error": error,
            "epsilon": epsilon,
            "delta": delta,
            "mechanism": means["mechanism"],
            "rank": mean.rank(method="first").astype(int),
            "repeats": means["repeats"],
            "mean": mean,
            "se": means["se"],
            "excess": ratio - 1,
            "excess_se": np.where(is_best, 0.0, excess_se),
        }
    )
