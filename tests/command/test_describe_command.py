"""`ggexp describe` at a terminal: its output, its messages and its exit code."""

import json
import os
import sys
from functools import partial
from threading import Thread

import pytest
import yaml
from conftest import FEW_RELEASES, describe, done, ran, refused, save

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


def test_a_pipe_is_saved_for_the_run(tmp_path, call):
    """A table is written into it when a process reads it. Only the owner may read the copy."""
    pipe, copy = tmp_path / "pipe", tmp_path / "data/own/mine.csv"
    content = "sex,count\nf,3\nm,4\n"
    os.mkfifo(pipe)
    Thread(target=pipe.write_text, args=(content,), daemon=True).start()
    refused(call(pipe), 1, rf"{pipe} can be read only once.*--save")
    usual = os.umask(0o022)
    try:
        settings = yaml.safe_load(call(pipe, "--save", copy)[1])["histograms"]["mine"]
        (tmp_path / "later.csv").touch()
    finally:
        os.umask(usual)
    assert (settings["counts"], settings["total"]) == (str(copy), 7)
    paths = (copy, copy.parent, tmp_path / "data", tmp_path / "later.csv")
    modes = [path.stat().st_mode & 0o777 for path in paths]
    assert modes == [0o600, 0o700, 0o755, 0o644]
    assert copy.read_text() == content
    assert str(copy) in refused(call(copy, "--save", tmp_path / "other.csv"), 1, "--save")


@pytest.mark.slow
def test_standard_input(tmp_path):
    command = [sys.executable, "-m", "ggexp", "describe", "-", "--save", "in.csv", "--json"]
    for code, message in ((0, ""), (1, "in.csv exists")):
        process = ran(*command, check=False, cwd=tmp_path, input="sex,n\nf,3\nm,4\n")
        assert process.returncode == code
        assert message in process.stderr
        assert code or json.loads(process.stdout)["settings"]["counts"] == "in.csv"


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
