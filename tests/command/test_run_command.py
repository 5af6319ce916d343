"""``ggexp run``: it describes a file, and then starts snakemake in a folder with the workflow."""

import os
import sys
from pathlib import Path

import pytest
import yaml

from ggexp.command import run as command
from ggexp.command.file import describe
from ggexp.command.main import main
from ggexp.command.run import CONFIGURATION, WORKFLOW, run
from ggexp.proposal.describe import describe as described

TABLE = "hair,eye,Freq\nblack,blue,20\nblack,brown,68\nblond,blue,94\nblond,brown,7\n"


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Make a folder with a workflow and a table; return the list of commands that were started.

    The commands are only recorded, not started.
    """
    monkeypatch.chdir(tmp_path)
    for part in WORKFLOW:
        Path(part).parent.mkdir(exist_ok=True, parents=True)
        Path(part).touch()
    Path("table.csv").write_text(TABLE, "utf-8")
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, words: commands.append([program, *words]))
    return commands


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["run", *arguments])
    return int(ended.value.code or 0)


def test_the_proposal_is_saved_and_run(started: list[list[str]], capsys) -> None:
    assert call("table.csv") == 0
    path = Path("results/table", CONFIGURATION)
    assert path.read_text("utf-8") == described("table.csv")
    ((program, *words),) = started
    assert program == words[0] == sys.executable
    assert words[1:] == ["-m", "ggexp.run.lock", "--cores", "all", "--configfile", str(path)]
    printed = capsys.readouterr()
    assert str(path) in printed.err
    assert printed.out == ""


def test_other_options_are_passed_to_snakemake(started: list[list[str]]) -> None:
    lines = "".join(f"{20 + i % 40},{'yn'[i % 2]},{'ab'[i % 3 == 0]}\n" for i in range(120))
    Path("people.csv").write_text(f"age,rich,kind\n{lines}", "utf-8")
    options = ("--cores", "2", "-n", "--config", "repeats=3", "seed=4")
    assert call("people.csv", "--target", "rich", *options) == 0
    (words,) = started
    assert words[words.index("all") + 1 : -2] == list(options)
    settings = yaml.safe_load(Path(words[-1]).read_text("utf-8"))
    assert settings["histograms"]["people"]["classifier"] == {"target": "rich"}


def test_it_has_the_options_of_describe() -> None:
    """This includes options that are added to describe later."""
    names = [parameter.name for parameter in describe.params if parameter.name != "as_json"]
    assert [parameter.name for parameter in run.params] == [*names, "options"]


@pytest.mark.parametrize("part", WORKFLOW)
def test_without_a_workflow_the_error_gives_advice(started, capsys, part: str) -> None:
    Path(part).rename("elsewhere")
    assert call("table.csv") == 1
    (message,) = capsys.readouterr().err.splitlines()
    for text in (str(Path.cwd()), part, str(Path(command.__file__).parents[3]), "ggexp sanitize"):
        assert text in message
    assert not started
    assert not Path("results").exists()


def test_without_snakemake_the_error_gives_advice(started, capsys, monkeypatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert call("table.csv") == 1
    assert "snakemake is not installed" in capsys.readouterr().err
    assert not started


def test_a_file_that_cannot_be_described_starts_nothing(started, capsys) -> None:
    assert call("absent.csv") == 1
    assert "absent.csv" in capsys.readouterr().err
    assert not started
