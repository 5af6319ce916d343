"""`ggexp describe` at a terminal: what is printed where, and how it ends."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
import yaml
from conftest import ROOT

from ggexp.command.main import main
from ggexp.datasets.describe import describe

PEOPLE = "name,smoker,age\n" + "".join(f"n{i},{'yn'[i % 2]},{20 + i % 17}\n" for i in range(40))


def make_pipe(path: Path) -> None:
    """Make a pipe, and write a table into it as soon as somebody reads it."""
    os.mkfifo(path)
    Thread(target=path.write_text, args=("sex,count\nf,3\nm,4\n",), daemon=True).start()


def ended(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(["describe", *arguments])
    return exit_.value.code


def test_prints_a_configuration_and_names_what_is_left_out(tmp_path: Path, capsys) -> None:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    assert ended(str(path), "--target", "smoker") == 0
    printed = capsys.readouterr()
    assert printed.out == describe(path, "smoker")
    assert yaml.safe_load(printed.out)["datasets"] == ["people"]
    assert printed.err.startswith("ggexp: left out: name: an identifier or free text")
    assert printed.err.count("\n") == 1


def test_json(tmp_path: Path, capsys) -> None:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    assert ended(str(path), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["columns"]["smoker"] == {"levels": ["n", "y"]}
    assert (found["dataset"], found["total"], [*found["left_out"]]) == ("people", 40, ["name"])


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (None, [], "No such file or directory"),
        (b"\xff\x00", [], "people.csv"),
        (
            PEOPLE.encode(),
            ["--target", "age"],
            "'age' must have 2 to 20 classes",
        ),
    ],
)
def test_errors_are_one_line(tmp_path: Path, capsys, content, arguments, message) -> None:
    path = tmp_path / "people.csv"
    if content is not None:
        path.write_bytes(content)
    assert ended(str(path), *arguments) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("ggexp: error: ")
    assert message in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.zip", "t.parquet"])
@pytest.mark.parametrize("make", [make_pipe, Path.mkdir])
def test_what_is_no_regular_file_is_refused(
    tmp_path: Path, capsys, name: str, make: Callable[[Path], None]
) -> None:
    make(tmp_path / name)
    assert ended(str(tmp_path / name)) == 1
    assert f"{tmp_path / name}: must be a regular file" in capsys.readouterr().err


def test_from_the_shell() -> None:
    command = [sys.executable, "-m", "ggexp", "describe", "examples/hair-eye.csv"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    assert yaml.safe_load(printed)["histograms"]["hair-eye"]["total"] == 592
