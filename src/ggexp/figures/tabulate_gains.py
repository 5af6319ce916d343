"""The numbers of a figure of what cells gain when records are made."""

import pandas as pd


def tabulate(gains: pd.DataFrame) -> pd.DataFrame:
    """Return the gains at all grid points of a data set, as they were measured.

    gains: the third table of `ggexp.experiment.marginals.measure_records` at each point.
    """
    return gains
