"""`ggexp describe` at a terminal: what is printed where, and how it ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

from ggexp.command.main import main
from ggexp.datasets.describe import describe

PEOPLE = "name,smoker,age\n" + "".join(f"n{i},{'yn'[i % 2]},{20 + i % 17}\n" for i in range(40))


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
        (PEOPLE.encode(), ["--target", "age"], "'age' must have two classes, but it is numeric"),
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


def test_a_folder_is_no_file(tmp_path: Path, capsys) -> None:
    assert ended(str(tmp_path)) == 1
    assert "Is a directory" in capsys.readouterr().err


def test_from_the_shell() -> None:
    command = [sys.executable, "-m", "ggexp", "describe", "examples/hair-eye.csv"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    assert yaml.safe_load(printed)["histograms"]["hair-eye"]["total"] == 592
