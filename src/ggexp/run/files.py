"""The files that a run makes and the columns of their tables, as described in files.yaml."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

#: Names in files.yaml that stand for several columns of a table: ATTRIBUTES for one column for each
#: attribute of the data set, METRICS for one column for each metric that a user adds.
ATTRIBUTES, METRICS = "attributes", "metrics"
COLUMN_GROUPS = {ATTRIBUTES, METRICS}
#: The file that this module reads.
SOURCE = Path(__file__).with_name("files.yaml")


class Column(NamedTuple):
    """A column of a table, or a key of a JSON file.

    empty: a text that says when its fields are empty; None if they never are.
    """

    name: str
    type: str
    meaning: str
    empty: str | None = None


class Table(NamedTuple):
    """The table in a file, or one of several kinds of table that the file may contain.

    rows: a text on this kind of table and its rows, "" if there is only one kind.
    key: the columns whose combined values identify a row.
    refers: pairs of another file and the columns whose values refer to a row of that file.
    """

    rows: str
    key: tuple[str, ...]
    refers: tuple[tuple[str, tuple[str, ...]], ...]
    columns: tuple[Column, ...]

    def match(self, names: Iterable[str]) -> dict[str, Column] | None:
        """Return column name -> column, in the order of ``names``.

        None if ``names`` are not the columns of this table.
        """
        names = list(names)
        described_names = [column.name for column in self.columns]
        additional = [name for name in names if name not in described_names]
        matched = {
            name: column
            for column in self.columns
            for name in (additional if column.name in COLUMN_GROUPS else [column.name])
        }
        return matched if list(matched) == names else None


class File(NamedTuple):
    """A file of a run, or a folder of files; the path of a folder ends in "/".

    path: relative to the folder of results, with placeholders in braces.
    contents: a description of the contents.
    target: the target, or another command, that makes the file.
    original: whether the file holds original counts or records.
    """

    path: str
    contents: str
    target: str
    original: bool
    tables: tuple[Table, ...]

    def matches(self, path: str, patterns: Mapping[str, str]) -> bool:
        """Return whether this is the description of the file at a path in the folder of results.

        patterns: placeholder -> regular expression for its values. A placeholder without a pattern
            matches no value.
        """
        parts = re.split(r"\{(\w+)\}", self.path)
        pattern = "".join(
            f"(?:{patterns.get(part, '$^')})" if i % 2 else re.escape(part)
            for i, part in enumerate(parts)
        )
        if self.path.endswith("/"):
            pattern += ".*"
        return re.fullmatch(pattern, path) is not None

    def table(self, names: Iterable[str]) -> tuple[Table, dict[str, Column]]:
        """Return the table with these column names, and the result of its `Table.match`.

        Raises ValueError if no table of the file has these columns.
        """
        names = list(names)
        for table in self.tables:
            if columns := table.match(names):
                return table, columns
        raise ValueError(f"{SOURCE.name} describes {self.path} with other columns than {names}")


class Placeholder(NamedTuple):
    """A part of a path in braces.

    pattern: a regular expression for its values, None if the values depend on the configuration.
    """

    meaning: str
    pattern: str | None = None


class Description(NamedTuple):
    """The content of files.yaml: placeholders and shared columns by their names, and the files."""

    placeholders: dict[str, Placeholder]
    columns: dict[str, Column]
    files: tuple[File, ...]

    def find(self, path: str, figures: Mapping[str, str]) -> File | None:
        """Return the file at a path relative to the folder of results, None if it is not described.

        figures: figure number -> the figure's kind, for the figures of data sets.
        If several descriptions match, the one with the longest path is returned:
        `adult_test.parquet` contains test records, not the histogram of a data set `adult_test`.
        """
        patterns = {name: part.pattern for name, part in self.placeholders.items() if part.pattern}
        for number, kind in figures.items():
            patterns[kind] = "|".join(filter(None, (patterns.get(kind), re.escape(number))))
        matches = (file for file in self.files if file.matches(path, patterns))
        return max(matches, key=lambda file: len(file.path), default=None)

    def csv_columns(self) -> Iterator[Column]:
        """Yield the columns of all CSV files except attributes."""
        for file in self.files:
            for table in file.tables:
                if file.path.endswith(".csv"):
                    yield from (column for column in table.columns if column.name != ATTRIBUTES)


@cache
def described() -> Description:
    """Return the description of a run's files."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loader is ten times faster
    source = yaml.load(SOURCE.read_text("utf-8"), loader)
    shared = {name: Column(name, **facts) for name, facts in source["columns"].items()}
    return Description(
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


def _tables(file: Mapping[str, Any], shared: Mapping[str, Column]) -> Iterator[Table]:
    for table in file.get("tables", [file] if "columns" in file else []):
        yield Table(
            table.get("rows", ""),
            tuple(table.get("key", ())),
            tuple((path, tuple(names)) for path, names in table.get("refers", {}).items()),
            tuple(_columns(table["columns"], shared)),
        )


def _columns(listed: Iterable[Any], shared: Mapping[str, Column]) -> Iterator[Column]:
    """Yield the columns in a list.

    An entry is a column name, a column name with the facts that differ from the shared column, or
    again a list of such entries.
    """
    for entry in listed:
        if isinstance(entry, list):
            yield from _columns(entry, shared)
            continue
        ((name, facts),) = entry.items() if isinstance(entry, dict) else [(entry, {})]
        defaults = shared[name]._asdict() if name in shared else {"name": name}
        column = Column(**defaults | facts)
        yield column._replace(empty=None) if column.empty == "never" else column
