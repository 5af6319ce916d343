"""The files that a run makes and the columns of their tables, as described in files.yaml.

CSV files do not contain types. A program that guesses them reads the data set ``2019`` as a number
and the mechanism ``null`` as a missing value. Therefore files.yaml declares one type for each
column name, which holds in all CSV files.
"""

import re
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


class TableDescription(NamedTuple):
    """The table in a file, or one of several kinds, of which `rows` says which it is.

    key: the columns that identify a row. refers: another file, and the columns of its key.
    """

    rows: str
    key: tuple[str, ...]
    refers: tuple[tuple[str, tuple[str, ...]], ...]
    columns: tuple[ResultColumn, ...]


class File(NamedTuple):
    """A file of a run, or a folder of files; the path of a folder ends in "/".

    path: relative to the results, with placeholders in braces. target: what makes it. original:
    whether it holds original counts or records.
    """

    path: str
    contents: str
    target: str
    original: bool
    tables: tuple[TableDescription, ...]

    def matches(self, path: str, patterns: Mapping[str, str]) -> bool:
        """Return whether a path is this file; patterns: placeholder -> pattern of its values."""
        parts = re.split(r"\{(\w+)\}", self.path)
        pattern = "".join(
            f"(?:{patterns.get(part, '$^')})" if i % 2 else re.escape(part)
            for i, part in enumerate(parts)
        )
        if self.path.endswith("/"):
            pattern += ".*"
        return re.fullmatch(pattern, path) is not None

    def table(self, names: Iterable[str]) -> tuple[TableDescription, dict[str, ResultColumn]]:
        """Return the table with these column names, and its columns by name."""
        names = list(names)
        for table in self.tables:
            described_names = {column.name for column in table.columns}
            additional = [name for name in names if name not in described_names]
            columns = {
                name: column
                for column in table.columns
                for name in (additional if column.name in COLUMN_GROUPS else [column.name])
            }
            if list(columns) == names:
                return table, columns
        raise ValueError(f"{SOURCE.name} describes {self.path} with other columns than {names}")


class Placeholder(NamedTuple):
    """A part of a path in braces; pattern: of its values, None if a configuration has them."""

    meaning: str
    pattern: str | None = None


class RunFiles(NamedTuple):
    """The content of files.yaml: placeholders and shared columns by their names, and the files."""

    placeholders: dict[str, Placeholder]
    columns: dict[str, ResultColumn]
    files: tuple[File, ...]

    def find(self, path: str, figures: Mapping[str, str]) -> File | None:
        """Return the file at a path relative to the folder of results, None if it is not described.

        figures: number -> kind, for the figures of data sets. The longest description counts:
        `adult_test.parquet` is no histogram of a data set `adult_test`.
        """
        patterns = {name: part.pattern for name, part in self.placeholders.items() if part.pattern}
        for number, kind in figures.items():
            patterns[kind] = "|".join(filter(None, (patterns.get(kind), re.escape(number))))
        matches = (file for file in self.files if file.matches(path, patterns))
        return max(matches, key=lambda file: len(file.path), default=None)


@cache
def described() -> RunFiles:
    """Return the description of a run's files."""
    # ten times as fast as the loader in Python
    source = yaml.load(SOURCE.read_text("utf-8"), yaml.CSafeLoader)
    shared = {name: ResultColumn(name, **facts) for name, facts in source["columns"].items()}
    return RunFiles(
        {name: Placeholder(**facts) for name, facts in source["placeholders"].items()},
        shared,
        tuple(
            File(
                file["path"],
                file["contents"],
                file.get("target", "all"),
                file.get("original", False),
                tuple(_tables(file, shared)),
            )
            for file in source["files"]
        ),
    )


def _tables(
    file: Mapping[str, Any], shared: Mapping[str, ResultColumn]
) -> Iterator[TableDescription]:
    for table in file.get("tables", [file] if "columns" in file else []):
        yield TableDescription(
            table.get("rows", ""),
            tuple(table.get("key", ())),
            tuple((path, tuple(names)) for path, names in table.get("refers", {}).items()),
            tuple(_columns(table["columns"], shared)),
        )


def _columns(listed: Iterable[Any], shared: Mapping[str, ResultColumn]) -> Iterator[ResultColumn]:
    """Yield the columns in a list of names, names with facts of their own, and again lists."""
    for entry in listed:
        if isinstance(entry, list):
            yield from _columns(entry, shared)
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
        for file in described().files
        if file.path.endswith(".csv")
        for table in file.tables
        for column in table.columns
        if column.name != ATTRIBUTES
    ]
    types = {column.name: _DTYPES[column.type] for column in columns}
    return types, {column.name for column in columns if column.empty}
