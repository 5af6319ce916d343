"""The files that a run makes and the columns of their tables, as files.yaml describes them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

#: Columns that stand for several: all attributes of a data set, and metrics that someone adds.
ATTRIBUTES, METRICS = "attributes", "metrics"
SEVERAL = {ATTRIBUTES, METRICS}
_SOURCE = Path(__file__).with_name("files.yaml")


class Column(NamedTuple):
    """A column of a table, or a key of a JSON file.

    empty: when its fields are empty, in words; None if they never are.
    """

    name: str
    type: str
    meaning: str
    empty: str | None = None


class Table(NamedTuple):
    """The table in a file, or one of several that it may be.

    rows: which rows it has, if there are several. key: the columns whose values no two rows share.
    refers: other files that have a row with the values of these columns.
    """

    rows: str
    key: tuple[str, ...]
    refers: tuple[tuple[str, tuple[str, ...]], ...]
    columns: tuple[Column, ...]

    def named(self, names: Iterable[str]) -> dict[str, Column] | None:
        """Return each column of a file with these names, in their order; None if it is another."""
        names = list(names)
        described_names = [column.name for column in self.columns]
        others = [name for name in names if name not in described_names]
        found = {
            name: column
            for column in self.columns
            for name in (others if column.name in SEVERAL else [column.name])
        }
        return found if list(found) == names else None


class File(NamedTuple):
    """A file of a run, or a folder of them, whose path ends in "/".

    path: below the results, with placeholders in braces. holds: what is in it. target: what makes
    it, if not `all`.
    """

    path: str
    holds: str
    target: str
    tables: tuple[Table, ...]

    def matches(self, path: str, patterns: Mapping[str, str]) -> bool:
        """Return whether this is the file at a path below the results.

        patterns: placeholder -> what may stand for it; without one, nothing may.
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
        """Return the table with columns of these names, and each of them; see `Table.named`.

        Raises ValueError if the file has other columns.
        """
        names = list(names)
        for table in self.tables:
            if columns := table.named(names):
                return table, columns
        raise ValueError(f"{_SOURCE.name} describes {self.path} with other columns than {names}")


class Placeholder(NamedTuple):
    """A part of a path in braces; pattern: what may stand for it, None if the design says."""

    meaning: str
    pattern: str | None = None


class Description(NamedTuple):
    """All that is described: placeholders and shared columns by their names, and the files."""

    placeholders: dict[str, Placeholder]
    columns: dict[str, Column]
    files: tuple[File, ...]

    def find(self, path: str, figures: Mapping[str, str]) -> File | None:
        """Return the file at a path below the results, None if it is not described.

        figures: number -> kind of each figure of a data set. Of several the longest path decides:
        `adult_test.parquet` is not the histogram of a data set `adult_test`.
        """
        patterns = {name: part.pattern for name, part in self.placeholders.items() if part.pattern}
        for number, kind in figures.items():
            patterns[kind] = "|".join(filter(None, (patterns.get(kind), re.escape(number))))
        found = (file for file in self.files if file.matches(path, patterns))
        return max(found, key=lambda file: len(file.path), default=None)

    def csv_columns(self) -> Iterator[Column]:
        """Yield every column of a CSV file, but for attributes."""
        for file in self.files:
            for table in file.tables:
                if file.path.endswith(".csv"):
                    yield from (column for column in table.columns if column.name != ATTRIBUTES)


@cache
def described() -> Description:
    """Return the description of a run's files."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast
    source = yaml.load(_SOURCE.read_text("utf-8"), loader)
    shared = {name: Column(name, **facts) for name, facts in source["columns"].items()}
    return Description(
        {name: Placeholder(**facts) for name, facts in source["placeholders"].items()},
        shared,
        tuple(
            File(
                file["path"],
                file["holds"],
                file.get("target", "all"),
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
    """Yield the columns of a list of names, of names with what differs, and of such lists."""
    for entry in listed:
        if isinstance(entry, list):
            yield from _columns(entry, shared)
            continue
        ((name, facts),) = entry.items() if isinstance(entry, dict) else [(entry, {})]
        known = shared[name]._asdict() if name in shared else {"name": name}
        column = Column(**known | facts)
        yield column._replace(empty=None) if column.empty == "never" else column
