"""Read a run's tables with the declared types of their columns.

CSV files do not contain types. A program that guesses them reads the data set ``2019`` as a number
and the mechanism ``null`` as a missing value. Therefore files.yaml declares one type for each
column name, which holds in all CSV files.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ggexp.run.files import described
from ggexp.run.storage import read_parquet, reading

if TYPE_CHECKING:
    import pandas as pd

_DTYPES = {"text": "str", "number": "float64", "whole number": "Int64", "true/false": "bool"}


def read_csv(path: str | Path) -> "pd.DataFrame":
    """Return the data frame that `storage.write_csv` wrote to the path.

    Missing texts and numbers are NaN. A column of whole numbers is int64, or float64 if a number
    is missing.
    Raises ValueError with the file's name if it is damaged or contains a column that files.yaml
    does not describe.
    """
    import pandas as pd

    types, may_be_empty = _types()
    with reading(path):
        frame = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])
        if empty := set(frame.columns[frame.isna().any()]) & set(types) - may_be_empty:
            raise ValueError(f"empty fields in {', '.join(sorted(empty))}")
    if unknown := set(map(str, frame)) - set(types):
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{path}: src/ggexp/run/files.yaml describes no column {names}")
    whole_types = {
        name: "float64" if frame[name].isna().any() else "int64"
        for name in map(str, frame)
        if types[name] == "Int64"
    }
    return frame.astype(whole_types)


def read_table(path: str | Path) -> "pd.DataFrame":
    """Return the data frame in a CSV or Parquet file that a job wrote."""
    return read_parquet(path) if Path(path).suffix == ".parquet" else read_csv(path)


@cache
def _types() -> tuple[dict[str, str], set[str]]:
    """Return column -> type, and the columns whose fields may be empty.

    An empty field in any other column means that the file is damaged.
    """
    columns = list(described().csv_columns())
    return (
        {column.name: _DTYPES[column.type] for column in columns},
        {column.name for column in columns if column.empty},
    )
