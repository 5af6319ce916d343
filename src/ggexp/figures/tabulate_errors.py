"""The numbers of Figures 7, 9 and 11."""

from collections.abc import Collection

import pandas as pd


def tabulate(errors: pd.DataFrame, metrics: Collection[str]) -> pd.DataFrame:
    """Return the rows of these metrics from a summary of errors.

    errors: the columns of `ggexp.experiment.summary.summarize`, of one data set.
    """
    return errors[errors["metric"].isin(metrics)]
