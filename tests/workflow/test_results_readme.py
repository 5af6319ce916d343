"""results/README.md holds: every file of a run, its columns in their order, and their types."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, Project

from ggexp.run import columns as declared
from ggexp.run.storage import read_parquet

# figures 6 and 7 are those of mildew in config/config.yaml, the others are given below
PLACEHOLDERS = {
    "dataset": "[a-z0-9-]+",
    "mechanism": "[a-z0-9-]+",
    "point": "epsilon-[^/]+",
    "first": r"\d+",
    "last": r"\d+",
    "number": r"\d\d",
    "page": "[a-z0-9_-]+",
    "releases": "06|20|23",
    "errors": "07|21",
    "accuracy": "22",
    "survivors": "25",
    "ranks": "24",
    "marginals": "26",
    "gains": "27",
    "training": "28",
    "mode": "29",
    "method": "[a-z-]+",
    "version": r"[\d.]+",
    "commit": "[0-9a-f]{7}(-with-records)?",
}
TABLE = re.compile(r"^\| (?:column|key) \| type \| meaning \|\n.*\n((?:\|.*\n)+)", re.MULTILINE)
MAY_BE_EMPTY = "may be empty"


class Column(NamedTuple):
    """A row of a table: its name is None where it stands for a data set's attributes."""

    name: str | None
    kind: str
    may_be_empty: bool


class Section(NamedTuple):
    """A heading of the page: a path below the results, the tables that may describe a file, and
    the target that makes it.
    """

    path: str
    tables: list[list[Column]]
    made_by: str

    def describes(self, file: str) -> bool:
        if self.path.endswith("/"):
            return file.startswith(self.path)
        parts = re.split(r"\{(\w+)\}", self.path)
        pattern = "".join(
            f"({PLACEHOLDERS[part]})" if i % 2 else re.escape(part) for i, part in enumerate(parts)
        )
        return re.fullmatch(pattern, file) is not None


def read_sections() -> list[Section]:
    text = (ROOT / "results/README.md").read_text("utf-8")
    sections = []
    for part in re.split("^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        tables = TABLE.findall(body)
        rows = [[read_row(row) for row in table.splitlines()] for table in tables]
        target = re.search(r"Made by the target `(\w+)`", body)
        sections.append(Section(heading.strip("`"), rows, target[1] if target else "all"))
    return sections


def read_row(row: str) -> Column:
    name, kind, meaning = (cell.strip() for cell in row.strip("|").split("|"))
    return Column(
        None if name == "*attributes*" else name.strip("`"), kind, MAY_BE_EMPTY in meaning
    )


SECTIONS = read_sections()
#: What test_last_screen.py makes and checks.
THEORY = [section for section in SECTIONS if re.match(r"figures/figure_0[1-5]\.", section.path)]


@pytest.fixture
def results(small_run: Project) -> Path:
    return small_run.folder / "results"


def test_types_are_those_that_csv_files_are_read_by() -> None:
    described = [
        column
        for section in SECTIONS
        for table in section.tables
        for column in table
        if section.path.endswith(".csv") and column.name is not None
    ]
    for kind, names in {
        "text": declared.TEXT,
        "number": declared.NUMBER,
        "whole number": declared.WHOLE_NUMBER,
        "true/false": declared.TRUE_FALSE,
    }.items():
        assert {column.name for column in described if column.kind == kind} == names
    assert {column.name for column in described if column.may_be_empty} == declared.MAY_BE_EMPTY


def files(results: Path) -> list[str]:
    found = (path for path in results.rglob("*") if path.is_file())
    return sorted(path.relative_to(results).as_posix() for path in found)


def test_every_file_has_one_heading(results: Path) -> None:
    headings = {
        file: [section.path for section in SECTIONS if section.describes(file)]
        for file in files(results)
    }
    assert {file: paths for file, paths in headings.items() if len(paths) != 1} == {}


@pytest.mark.parametrize(
    "section",
    [section for section in SECTIONS if section.made_by == "all" and section not in THEORY],
    ids=lambda section: section.path,
)
def test_files_are_as_their_heading_says(results: Path, section: Section) -> None:
    check_files(results, section)


def check_files(results: Path, section: Section) -> None:
    """Check every file that a section describes; there must be one for each of its tables."""
    described = [file for file in files(results) if section.describes(file)]
    assert described
    met = set()
    for file in described:
        path = results / file
        if path.suffix == ".json":
            content = json.loads(path.read_text("utf-8"))
            (table,) = section.tables
            assert list(content) == [column.name for column in table]
            for column in table:
                check_value(column, content[column.name])
            met.add(0)
        elif path.suffix in (".csv", ".tsv", ".parquet"):
            frame = read(path, section)
            place, columns = matching(section, file, frame)
            for name, column in columns:
                check_column(f"{file}: {name}", column, frame[name])
            met.add(place)
    assert met == set(range(len(section.tables)))  # each table is of some file


def read(path: Path, section: Section) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return read_parquet(path)
    if path.suffix == ".tsv" or any(column.name is None for column in section.tables[0]):
        return pd.read_csv(path, sep="\t" if path.suffix == ".tsv" else ",")
    return declared.read_csv(path)


def matching(
    section: Section, file: str, frame: pd.DataFrame
) -> tuple[int, list[tuple[str, Column]]]:
    """The table that has a file's columns in their order, and which of its rows is of which."""
    for place, table in enumerate(section.tables):
        columns = list(spread(table, list(frame)))
        if [name for name, _ in columns] == list(frame):
            return place, columns
    told = [[column.name for column in table] for table in section.tables]
    raise AssertionError(f"{file} has the columns {list(frame)}, results/README.md says {told}")


def spread(table: list[Column], names: list[str]) -> Iterator[tuple[str | None, Column]]:
    """Each column that a table tells of, with one for every attribute."""
    told = [column.name for column in table]
    attributes = [name for name in names if name not in told]
    for column in table:
        if column.name is not None:
            yield column.name, column
        else:
            assert attributes
            yield from ((name, column) for name in attributes)


def check_value(column: Column, value: Any) -> None:
    kinds: dict[str, type] = {"text": str, "whole number": int, "mapping": dict}
    assert isinstance(value, kinds[column.kind]) or (column.may_be_empty and value is None)


def check_column(where: str, column: Column, values: "pd.Series[Any]") -> None:
    there = values.dropna()
    assert column.may_be_empty or len(there) == len(values), where
    is_text = there.map(lambda value: isinstance(value, str)).all()
    is_bool = pd.api.types.is_bool_dtype(values)
    is_number = pd.api.types.is_numeric_dtype(values) and not is_bool
    is_integer = pd.api.types.is_integer_dtype(values)
    # a whole number that may be empty is read as a float
    is_whole = is_integer or (is_number and column.may_be_empty and (there % 1 == 0).all())
    assert {
        "text": is_text,
        "number": is_number,
        "whole number": is_whole,
        "text or number": is_text or is_number,
        "true/false": is_bool,
        "list of numbers": there.map(lambda value: isinstance(value, np.ndarray)).all(),
    }[column.kind], where
