"""The files that a run makes, as described in files.yaml."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ggexp.run.files import COLUMN_GROUPS, SOURCE, ResultColumn, columns_in, content, tables_in


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
    source = content()
    return RunFiles(
        {name: Placeholder(**facts) for name, facts in source["placeholders"].items()},
        source["columns"],
        tuple(
            File(
                file["path"],
                file["contents"],
                file.get("target", "all"),
                file.get("original", False),
                tuple(
                    TableDescription(
                        table.get("rows", ""),
                        tuple(table.get("key", ())),
                        tuple((path, tuple(key)) for path, key in table.get("refers", {}).items()),
                        tuple(columns_in(table["columns"])),
                    )
                    for table in tables_in(file)
                ),
            )
            for file in source["files"]
        ),
    )
