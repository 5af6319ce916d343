"""The numbers of Figures 7, 9 and 11."""

from collections.abc import Collection

import pandas as pd


def tabulate_errors(summary: pd.DataFrame, metrics: Collection[str]) -> pd.DataFrame:
    """Return the rows of a summary of errors that are drawn: those of these metrics.

    summary: the columns of `ggexp.experiment.summary.summarize`, of one data set.
    """
    return summary[summary["metric"].isin(metrics)]
