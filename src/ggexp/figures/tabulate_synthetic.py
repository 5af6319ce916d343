"""The numbers of the figures of synthetic records."""

import pandas as pd

MARGINALS = ["one_way", "two_way"]
KEYS = ["dataset", "mechanism", "epsilon", "delta", "method"]


def tabulate_marginals(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a summary of synthetic records that are errors of marginals.

    summary: of one data set.
    """
    return summary[summary["metric"].isin(MARGINALS)]


def tabulate_training(
    summary: pd.DataFrame, releases: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the accuracies of a summary of synthetic records, and what they are compared with.

    summary: of one data set. releases: the summary of the accuracies of its releases, which get the
    method "release". baseline: model and accuracy; that of the model "original" is the last row's
    mean, with the mechanism "original".
    """
    records = summary[summary["metric"] == "accuracy"]
    original = baseline[baseline["model"] == "original"]
    line = original.rename(columns={"model": "mechanism", "accuracy": "mean"})
    table = pd.concat([releases.assign(method="release"), records, line])
    return table[[*KEYS, "repeats", "mean", "sd", "se"]]
