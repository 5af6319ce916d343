"""``ggexp example``: its files, and the commands that it prints."""

import shlex
from pathlib import Path

import pandas as pd
import pytest
from conftest import assert_one_error


@pytest.fixture
def printed(call, tmp_path, monkeypatch):
    """Return what the command prints in a new folder."""
    monkeypatch.chdir(tmp_path)
    code, output, _ = call("example")
    assert code == 0
    return output


def test_both_files_have_the_same_students(printed):
    counts = pd.read_csv("hair-eye.csv").set_index(["Hair", "Eye", "Sex"])["Freq"]
    students = pd.read_csv("students.csv").value_counts()
    pd.testing.assert_series_equal(students, counts[counts > 0], check_like=True, check_names=False)
    assert counts.sum() == 592


def test_the_printed_commands_work(printed, call):
    commands = [shlex.split(line)[1:] for line in printed.splitlines() if " ggexp " in line]
    assert [words[0] for words in commands] == ["sanitize", "sanitize", "run"]
    for words in commands[:-1]:
        assert call(*words)[0] == 0
    assert len([*Path().glob("*-release*.csv")]) == 3 + 1
    # `run` would start the workflow; `describe` refuses the same files
    assert call("describe", *commands[-1][1:])[0] == 0


@pytest.mark.parametrize("name", ["students.csv", "hair-eye.csv"])
def test_existing_files_are_kept(call, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("mine")
    code, _, errors = call("example")
    assert code == 1
    assert_one_error(errors, name)
    assert Path(name).read_text() == "mine"
    assert [path.name for path in Path().iterdir()] == [name]
