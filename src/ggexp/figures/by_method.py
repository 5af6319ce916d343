"""The shared parts of figures of synthetic records: panels by mechanism, styles by method."""

import pandas as pd

from ggexp.figures import panels, style
from ggexp.figures.style import Look

# in the same order as in the tables
METHODS: dict[str, Look] = {
    "release": ("release, not rounded", style.BLACK, "o", "-"),
    "largest-remainder": ("largest remainder", style.BLUE, "s", "--"),
    "multinomial": ("multinomial draw", style.VERMILLION, "^", "-."),
    "counts": ("a record for each count", style.GREEN, "D", ":"),
}


def panels_of(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each mechanism and δ, by the title of their panel."""
    looks = style.looks(table["mechanism"].unique())
    rows_by_title = {}
    for mechanism, group in table.groupby("mechanism", sort=False):
        for delta in group["delta"].unique():
            selected = group["delta"].isna() if pd.isna(delta) else group["delta"] == delta
            title = panels.title(delta=float(delta))
            label = looks[str(mechanism)][0]
            rows_by_title[f"{label}, {title}" if title else label] = group[selected]
    return rows_by_title
