"""Reading a run's tables by the types of their columns.

CSV does not say what a field is. A program that guesses takes the data set ``2019`` for a number
and the mechanism ``null`` for a missing value. Therefore a column's name has one type in all CSV
files, the one in files.yaml.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ggexp.run.files import described
from ggexp.run.storage import naming, read_parquet

if TYPE_CHECKING:
    import pandas as pd

_DTYPES = {"text": "str", "number": "float64", "whole number": "Int64", "true/false": "bool"}


def read_csv(path: str | Path) -> "pd.DataFrame":
    """Return the data frame that `storage.write_csv` wrote to the path.

    A missing text or number is NaN; whole numbers are int64, or float64 where one is missing.
    Raises ValueError naming the file where it is damaged, or has a column that is not described.
    """
    import pandas as pd

    types, may_be_empty = _types()
    with naming(path):
        frame = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])
        if empty := set(frame.columns[frame.isna().any()]) & set(types) - may_be_empty:
            raise ValueError(f"empty fields in {', '.join(sorted(empty))}")
    if unknown := set(map(str, frame)) - set(types):
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{path}: src/ggexp/run/files.yaml describes no column {names}")
    whole = {
        name: "float64" if frame[name].isna().any() else "int64"
        for name in map(str, frame)
        if types[name] == "Int64"
    }
    return frame.astype(whole)


def read_table(path: str | Path) -> "pd.DataFrame":
    """Return the data frame that a job wrote to a CSV or Parquet file."""
    return read_parquet(path) if Path(path).suffix == ".parquet" else read_csv(path)


@cache
def _types() -> tuple[dict[str, str], set[str]]:
    """Return column -> its type, and the columns in which an empty field is a missing value.

    In others it is damage.
    """
    columns = list(described().csv_columns())
    return (
        {column.name: _DTYPES[column.type] for column in columns},
        {column.name for column in columns if column.empty},
    )
