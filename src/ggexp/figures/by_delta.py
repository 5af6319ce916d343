"""The panels of a figure with one for each δ, and the rows of a table that belong in each."""

import numpy as np
import pandas as pd


def deltas_of(table: pd.DataFrame) -> list[float]:
    """Return the δ of the panels: NaN alone if no mechanism has one."""
    return list(table["delta"].dropna().unique()) or [np.nan]


def rows_at(table: pd.DataFrame, delta: float) -> pd.DataFrame:
    """Return the rows at this δ, and those of mechanisms that have none."""
    return table[table["delta"].isna() | (table["delta"] == delta)]
