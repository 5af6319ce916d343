"""The rows of figures that claims are about, and comparisons at their ε and δ."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ggexp.claims.evidence import Comparison, Results, place


def rows_of(
    results: Results,
    figure: str,
    *,
    between: Mapping[str, Sequence[float]] | None = None,
    **where: object,
) -> pd.DataFrame:
    """Return the rows of a figure with these values; `Results.figure` describes errors.

    between: column -> its smallest and largest value. where: column -> its value, or a list.
    """
    table = results.figure(figure)
    selected = np.full(len(table), True)
    for name, (smallest, largest) in (between or {}).items():
        selected &= table[name].between(smallest, largest)
    for name, value in where.items():
        selected &= table[name].isin(value if isinstance(value, list) else [value])
    return table[selected]


def at_points(
    rows: pd.DataFrame, what: str, difference: Callable[[Mapping[str, Any]], float]
) -> list[Comparison]:
    """Return a comparison for each row of a table, at its ε and δ.

    what: the statement, with names of columns in braces. difference: a function of a row.
    """
    records: Any = rows.to_dict("records")
    return [
        Comparison(what.format(**row), place(row["epsilon"], row["delta"]), difference(row))
        for row in records
    ]
