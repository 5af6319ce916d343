"""`ggexp describe` at a terminal: its output, its messages and its exit code."""

import json
import os
import subprocess
import sys
from threading import Thread

import pytest
import yaml
from conftest import describe

from ggexp.command.main import main

PEOPLE = "name,smoker,age\n" + "".join(f"n{i},{'yn'[i % 2]},{20 + i % 17}\n" for i in range(40))


def make_pipe(path):
    """Make a pipe, and write a table into it as soon as a process reads it."""
    os.mkfifo(path)
    Thread(target=path.write_text, args=("sex,count\nf,3\nm,4\n",), daemon=True).start()


def exit_code(*arguments):
    with pytest.raises(SystemExit) as exit_:
        main(["describe", *arguments])
    return exit_.value.code


def test_prints_a_configuration_and_names_columns_that_are_left_out(tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    assert exit_code(str(path), "--target", "smoker") == 0
    printed = capsys.readouterr()
    assert printed.out == describe(path, "smoker")
    assert printed.err.startswith("ggexp: left out: name: ")
    assert printed.err.count("\n") == 1
    assert exit_code(str(path), "--json") == 0
    description = json.loads(capsys.readouterr().out)
    assert description["settings"]["columns"]["smoker"] == {"levels": ["n", "y"]}
    assert (description["dataset"], description["total"]) == ("people", 40)
    assert [*description["left_out"]] == ["name"]


def test_a_pipe_is_saved_for_the_run(tmp_path, capsys):
    pipe, copy = tmp_path / "pipe", tmp_path / "mine.csv"
    make_pipe(pipe)
    assert exit_code(str(pipe)) == 1
    error = capsys.readouterr().err
    assert f"{pipe} can be read only once" in error
    assert "--save" in error
    assert exit_code(str(pipe), "--save", str(copy)) == 0
    settings = yaml.safe_load(capsys.readouterr().out)["histograms"]["mine"]
    assert (settings["counts"], settings["total"]) == (str(copy), 7)
    assert copy.read_text() == "sex,count\nf,3\nm,4\n"
    assert exit_code(str(copy), "--save", str(tmp_path / "other.csv")) == 1
    error = capsys.readouterr().err
    assert "--save" in error
    assert str(copy) in error


def test_standard_input(tmp_path):
    command = [sys.executable, "-m", "ggexp", "describe", "-", "--save", "in.csv", "--json"]
    for code, message in ((0, b""), (1, b"in.csv exists")):
        process = subprocess.run(
            command, cwd=tmp_path, input=b"sex,n\nf,3\nm,4\n", capture_output=True, check=False
        )
        assert process.returncode == code
        assert message in process.stderr
        if not code:
            assert json.loads(process.stdout)["settings"]["counts"] == "in.csv"


def test_columns_are_chosen_by_their_names(tmp_path, capsys):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE.replace("age", '"age, years"'))
    assert exit_code(str(path), "--columns", 'smoker,"age, years"', "--json") == 0
    columns = json.loads(capsys.readouterr().out)["settings"]["columns"]
    assert [name for name, form in columns.items() if form != "unused"] == ["smoker", "age, years"]
    for wanted, message in (("colour", "no column 'colour'"), ("name", "'name' cannot be used")):
        assert exit_code(str(path), "--columns", wanted) == 1
        assert message in capsys.readouterr().err
    assert exit_code(str(path), "--columns", "smoker", "--target", "smoker") == 1
    assert "besides the target 'smoker'" in capsys.readouterr().err


def test_options_of_counts_are_used(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("sex;Männer;n\nf;1.234;1\nm;5;2\n")
    assert exit_code(str(path), "--count", "Männer", "--thousands", ".", "--json") == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert (settings["total"], settings["thousands"], settings["decimal"]) == (1239, ".", ",")
    assert exit_code(str(path), "--count", "Männer", "--wide") == 2
    assert exit_code(str(path), "--count", "Männer", "--columns", "sex") == 1
    assert f"{path}: --columns" in capsys.readouterr().err
