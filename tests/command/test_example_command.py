"""``ggexp example``: its files, and the commands that it prints."""

import shlex
from pathlib import Path

import pandas as pd
import pytest
from conftest import done, refused


@pytest.fixture
def printed(call, tmp_path, monkeypatch):
    """Return what the command prints in a new folder."""
    monkeypatch.chdir(tmp_path)
    return done(call("example"))


def test_both_files_have_the_same_students(printed):
    counts = pd.read_csv("hair-eye.csv").set_index(["Hair", "Eye", "Sex"])["Freq"]
    students = pd.read_csv("students.csv").value_counts()
    pd.testing.assert_series_equal(students, counts[counts > 0], check_like=True, check_names=False)
    assert counts.sum() == 592


def test_the_printed_commands_work(printed, call):
    commands = [shlex.split(line)[1:] for line in printed.splitlines() if " ggexp " in line]
    assert [words[0] for words in commands] == ["sanitize", "sanitize", "run"]
    for words in commands[:-1]:
        done(call(*words))
    assert len([*Path().glob("*-release*.csv")]) == 3 + 1
    # `run` would start the workflow; `describe` refuses the same files
    done(call("describe", *commands[-1][1:]))


@pytest.mark.parametrize("name", ["students.csv", "hair-eye.csv"])
def test_existing_files_are_kept(call, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("mine")
    refused(call("example"), 1, name)
    assert Path(name).read_text() == "mine"
    assert [path.name for path in Path().iterdir()] == [name]
