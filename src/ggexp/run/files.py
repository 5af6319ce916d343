"""The tables that a run makes, whose columns are described in files.yaml.

CSV files do not contain types. A program that guesses them reads the data set ``2019`` as a number
and the mechanism ``null`` as a missing value. Therefore files.yaml declares one type for each
column name, which holds in all CSV files.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from ggexp.run.storage import read_parquet, reading

#: Names in files.yaml that stand for several columns: of attributes, and of metrics of a user.
ATTRIBUTES, METRICS = "attributes", "metrics"
COLUMN_GROUPS = {ATTRIBUTES, METRICS}
#: The file that this module reads.
SOURCE = Path(__file__).with_name("files.yaml")


class ResultColumn(NamedTuple):
    """A column of a table, or a key of a JSON file.

    empty: when its fields are empty, such as "if the mechanism has no δ"; None if they never are.
    """

    name: str
    type: str
    meaning: str
    empty: str | None = None

    @property
    def explanation(self) -> str:
        """The meaning, and when the fields are empty."""
        return f"{self.meaning}; empty {self.empty}" if self.empty else self.meaning


@cache
def content() -> Any:
    """Return the content of files.yaml, in which the columns that tables share are parsed."""
    # ten times as fast as the loader in Python
    source = yaml.load(SOURCE.read_text("utf-8"), yaml.CSafeLoader)
    shared = {name: ResultColumn(name, **facts) for name, facts in source["columns"].items()}
    return {**source, "columns": shared}


def tables_in(file: Mapping[str, Any]) -> Any:
    """Return the tables of a file in files.yaml."""
    return file.get("tables", [file] if "columns" in file else [])


def columns_in(listed: Iterable[Any]) -> Iterator[ResultColumn]:
    """Yield the columns in a list of names, names with facts of their own, and again lists."""
    shared = content()["columns"]
    for entry in listed:
        if isinstance(entry, list):
            yield from columns_in(entry)
            continue
        ((name, facts),) = entry.items() if isinstance(entry, dict) else [(entry, {})]
        defaults = shared[name]._asdict() if name in shared else {"name": name}
        column = ResultColumn(**defaults | facts)
        yield column._replace(empty=None) if column.empty == "never" else column


_DTYPES = {"text": "str", "number": "float64", "whole number": "Int64", "true/false": "bool"}


def read_csv(path: str | Path) -> pd.DataFrame:
    """Return the data frame that `storage.write_csv` wrote to the path. Missing values are NaN.

    Raises ValueError with the file's name if it is damaged, or contains a column that files.yaml
    does not describe.
    """
    types, may_be_empty = _types()
    with reading(path):
        frame = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])
        if empty := {*frame.columns[frame.isna().any()]} & types.keys() - may_be_empty:
            raise ValueError(f"empty fields in {', '.join(sorted(empty))}")
    if unknown := {*map(str, frame)} - types.keys():
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{path}: src/ggexp/run/files.yaml describes no column {names}")
    whole = [name for name in frame if types[str(name)] == "Int64"]
    return frame.astype({name: "float64" if frame[name].hasnans else "int64" for name in whole})


def read_table(path: str | Path) -> pd.DataFrame:
    """Return the data frame in a CSV or Parquet file that a job wrote."""
    return read_parquet(path) if Path(path).suffix == ".parquet" else read_csv(path)


@cache
def _types() -> tuple[dict[str, str], set[str]]:
    """Return column -> type, and the columns whose fields may be empty, of all CSV files."""
    columns = [
        column
        for file in content()["files"]
        if file["path"].endswith(".csv")
        for table in tables_in(file)
        for column in columns_in(table["columns"])
        if column.name != ATTRIBUTES
    ]
    types = {column.name: _DTYPES[column.type] for column in columns}
    return types, {column.name for column in columns if column.empty}
