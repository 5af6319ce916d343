"""The panels of figures with one panel for each δ, and the rows of a table for each panel."""

import numpy as np
import pandas as pd


def deltas_of(table: pd.DataFrame) -> list[float]:
    """Return the δ of the panels, or [NaN] if no mechanism has a δ."""
    return list(table["delta"].dropna().unique()) or [np.nan]


def rows_at(table: pd.DataFrame, delta: float) -> pd.DataFrame:
    """Return the rows at this δ, and the rows of mechanisms without a δ."""
    return table[table["delta"].isna() | (table["delta"] == delta)]
