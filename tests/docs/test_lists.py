"""The lists of files and keys on the site, and the paths that pages name."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SCHEMA

from ggexp.run.files import described

sys.path.append(str(ROOT / "docs/website"))

import file_list
import key_list


def test_every_file_is_listed_with_the_meaning_of_each_column() -> None:
    shared, *sections = re.split("^### ", file_list.listing(), flags=re.MULTILINE)
    assert len(sections) == len(described().files)
    rows = dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", shared, re.MULTILINE))
    sections_by_path: dict[str, str] = {}
    for file, section in zip(described().files, sections, strict=True):
        assert section.startswith(f"`{file.path}`")
        reference = re.search(r"The columns of `(.+)`\.", section)
        columns = sections_by_path[reference[1]] if reference else section
        sections_by_path[file.path] = columns
        for table in file.tables:
            for column in table.columns:
                description = f"{column.type} | {column.meaning}"
                is_shared = rows.get(column.name, "").startswith(description)
                assert is_shared or f"| {description}" in columns, (file.path, column.name)


def keys_of(rule: Any) -> Iterator[str]:
    """Yield all keys in a part of the schema, at any depth."""
    if isinstance(rule, dict):
        if isinstance(properties := rule.get("properties"), dict):
            yield from properties
        for part in rule.values():
            yield from keys_of(part)


def test_every_key_is_listed_or_described_in_its_parent() -> None:
    sections = [
        re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE)
        for section in key_list.page().split("\n### ")
    ]
    assert all(len(section) == len(set(section)) > 5 for section in sections)
    listed = {key.rpartition(".")[2] for section in sections for key in section}
    columns = {"levels", "edges", "from", "to", "bins", "width"}
    assert listed == set(keys_of(SCHEMA)) - columns
    parent = SCHEMA["$defs"]["microdata"]["properties"]["records"]["properties"]["columns"]
    assert all(f"{name}" in parent["description"] for name in columns)


@pytest.mark.parametrize(
    ("key", "cells"),
    [
        ("seed", "whole number ≥ 0 | `20260101` |"),
        ("delta", "list: number > 0, < 1 | `[0.01, 0.05, 0.1, 0.25]` |"),
        ("neighbours", '`"add-remove"`, `"replace-one"` | `"add-remove"` |'),
        ("synthetic", 'list: `"largest-remainder"`, `"multinomial"`, `"counts"` |'),
    ],
)
def test_a_key_has_its_range_and_its_value_in_the_papers_design(key: str, cells: str) -> None:
    assert f"| `{key}` | {cells}" in key_list.page()


#: Paths of a page that are examples, made by a run, or of an earlier version.
NO_FILES = ("data/own", "data/downloads", "config/claims.yaml", "config/manifest.json")
FOLDERS = (".", "[a-z]*", "docs/companions", "tests/data")
PAGES = [page for folder in FOLDERS for page in ROOT.glob(f"{folder}/*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_paths_in_a_page_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    added = set(re.findall(r"In `([^`]+)`, a new file", text))
    folders = "benchmarks|config|data|docs|examples|profiles|reference|src|studies|tests|workflow"
    for path in re.findall(rf"`((?:{folders})/[\w./-]+)`", text):
        if path not in added and not path.startswith(NO_FILES):
            assert (ROOT / path).exists(), path
