"""The lists of files and keys on the site, and the paths that pages name."""

import re
import sys

from conftest import ROOT

from ggexp.datasets.layout import ColumnForm
from ggexp.experiment.keys import Configuration
from ggexp.run.descriptions import described

sys.path.append(str(ROOT / "docs/website"))

import file_list
import key_list


def test_every_file_is_listed_with_the_meaning_of_each_column():
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


def test_every_key_is_listed_with_its_meaning_and_range():
    page = (ROOT / "config/keys.md").read_text("utf-8")
    assert page == key_list.page(), "make keys"
    assert all(field.description for _, field in key_list.keys(Configuration))
    sections = [
        re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE) for section in page.split("\n### ")
    ]
    assert all(len(section) == len(set(section)) > 5 for section in sections)
    (columns,) = re.findall(r"^\| `records.columns` .*$", page, re.MULTILINE)
    assert all(name in columns for name in ColumnForm.names())
    assert "| `delta` | list: number > 0, < 1 | `[0.01, 0.05, 0.1, 0.25]` |" in page
    assert "| `neighbours` | one of 'add-remove', 'replace-one' | `\"add-remove\"` |" in page


#: Paths of a page that are examples, made by a run, or of an earlier version.
NO_FILES = ("data/own", "data/downloads", "config/claims.yaml", "config/manifest.json")
FOLDERS = (".", "[a-z]*", "docs/companions", "tests/data")
PAGES = [page for folder in FOLDERS for page in ROOT.glob(f"{folder}/*.md")]


def test_paths_in_a_page_exist():
    folders = "benchmarks|config|data|docs|examples|profiles|reference|src|studies|tests|workflow"
    named = 0
    for text in (page.read_text("utf-8") for page in PAGES):
        added = set(re.findall(r"In `([^`]+)`, a new file", text))
        for path in re.findall(rf"`((?:{folders})/[\w./-]+)`", text):
            if path not in added and not path.startswith(NO_FILES):
                assert (ROOT / path).exists(), path
                named += 1
    assert named > 50
