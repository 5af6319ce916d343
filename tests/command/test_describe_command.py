"""`ggexp describe` at a terminal: its output, its messages and its exit code."""

import json
import os
from functools import partial

import pytest
from conftest import FEW_RELEASES, describe, done, refused, save

PEOPLE = "name,smoker,age\n" + "".join(f"n{i},{'yn'[i % 2]},{20 + i % 17}\n" for i in range(40))


@pytest.fixture
def call(call):
    return partial(call, "describe")


def test_prints_a_configuration_and_names_columns_that_are_left_out(tmp_path, call, monkeypatch):
    monkeypatch.setattr("ggexp.releases.kinds.MAX_RELEASES", FEW_RELEASES)
    path = save(tmp_path / "people.csv", PEOPLE)
    code, printed, messages = call(path, "--target", "smoker")
    assert (code, printed) == (0, describe(path, "smoker"))
    assert messages.startswith("ggexp: left out: name: ")
    assert messages.count("\n") == 1
    description = json.loads(call(path, "--json")[1])
    assert description["settings"]["columns"]["smoker"] == {"levels": ["n", "y"]}
    assert (description["dataset"], description["total"]) == ("people", 40)
    assert [*description["left_out"]] == ["name"]


def test_what_can_be_read_only_once_is_refused(tmp_path, call):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for file in ("-", pipe):
        refused(call(file), 1, f"{file}: a run reads its file again; write this input to a file")


def test_columns_are_chosen_by_their_names(tmp_path, call):
    path = save(tmp_path / "people.csv", PEOPLE.replace("age", '"age, years"'))
    printed = call(path, "--columns", 'smoker,"age, years"', "--json")[1]
    columns = json.loads(printed)["settings"]["columns"]
    assert [name for name, form in columns.items() if form != "unused"] == ["smoker", "age, years"]
    for options, message in (
        ("--columns colour", "no column 'colour'"),
        ("--columns name", "'name' cannot be used"),
        ("--columns smoker --target smoker", "besides the target 'smoker'"),
    ):
        refused(call(path, *options.split()), 1, message)


def test_options_of_counts_are_used(tmp_path, call):
    path = save(tmp_path / "t.csv", "sex;Männer;n\nf;1.234;1\nm;5;2\n")
    printed = done(call(path, "--count", "Männer", "--thousands", ".", "--json"))
    settings = json.loads(printed)["settings"]
    assert (settings["total"], settings["thousands"], settings["decimal"]) == (1239, ".", ",")
    refused(call(path, "--count", "Männer", "--wide", "sex"), 2, "--wide")
    refused(call(path, "--count", "Männer", "--columns", "sex"), 1, f"{path}: --columns")
