"""The numbers of a figure of marginals of synthetic records."""

import pandas as pd

MARGINALS = ["one_way", "two_way"]


def tabulate(synthetic: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a summary of synthetic records that are errors of marginals.

    synthetic: of one data set.
    """
    return synthetic[synthetic["metric"].isin(MARGINALS)]
