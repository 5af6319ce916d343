"""The numbers of Figures 7, 9 and 11."""

import pandas as pd


def tabulate_errors(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a summary of errors that are drawn: l1 distance and KL divergence.

    summary: the columns of `ggexp.experiment.summary.summarize`, of one data set.
    """
    return summary[summary["metric"].isin(["l1", "kl"])]
