"""The numbers of a figure of marginals of synthetic records."""

import pandas as pd

MARGINALS = ["one_way", "two_way"]


def tabulate(synthetic: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of marginals from a summary of synthetic records.

    synthetic: the summary of one data set.
    """
    return synthetic[synthetic["metric"].isin(MARGINALS)]
