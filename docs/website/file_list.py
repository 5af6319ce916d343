"""The list of the files of a run and their columns, from src/ggexp/run/files.yaml."""

import re
from collections.abc import Iterable, Iterator

from ggexp.run.descriptions import File, described
from ggexp.run.files import COLUMN_GROUPS, ResultColumn


def listing() -> str:
    """Return the list in Markdown; it is appended to results/README.md."""
    description = described()
    placeholders = {
        f"`{{{name}}}`": placeholder.meaning
        for name, placeholder in description.placeholders.items()
    }
    text = "\n".join(
        [
            "## Shared columns",
            "",
            *_columns(description.columns.values()),
            "",
            "## Parts of paths",
            "",
            "| part | stands for |",
            "|---|---|",
            *(f"| {part} | {words} |" for part, words in placeholders.items()),
            "",
            "## Every file",
            "",
            *_files(description.files),
        ]
    )
    return re.sub(r"`(docs/[\w-]+\.md)`", r"[\1](../\1)", text)


def _files(files: Iterable[File]) -> Iterator[str]:
    shared = set(described().columns.values())
    first_file: dict[tuple[ResultColumn, ...], str] = {}
    for file in files:
        yield from (f"### `{file.path}`", "", file.contents)
        if file.target != "all":
            yield f"Made by `{file.target}`."
        yield ""
        for table in file.tables:
            if table.rows:
                yield from (table.rows, "")
            if (earlier := first_file.setdefault(table.columns, file.path)) != file.path:
                yield from (f"The columns of `{earlier}`.", "")
                continue
            unshared = [column for column in table.columns if column not in shared]
            if len(unshared) < len(table.columns):
                yield from (f"Columns: {', '.join(map(_name, table.columns))}.", "")
            if unshared:
                yield from (*_columns(unshared), "")


def _columns(columns: Iterable[ResultColumn]) -> Iterator[str]:
    yield from ("| column | type | meaning |", "|---|---|---|")
    for column in columns:
        yield f"| {_name(column)} | {column.type} | {column.explanation} |"


def _name(column: ResultColumn) -> str:
    return f"*{column.name}*" if column.name in COLUMN_GROUPS else f"`{column.name}`"
