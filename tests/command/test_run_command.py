"""``ggexp run``, ``reproduce`` and ``snakemake``: the commands that start snakemake."""

import re
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import FEW_RELEASES, ROOT, done, refused
from snakemake.cli import get_argument_parser

import ggexp
from ggexp.command.workflow import CONFIGURATION
from ggexp.run.storage import sha256, write_parquet

TABLE = "hair,eye,Freq\nblack,blue,20\nblack,brown,68\nblond,blue,94\nblond,brown,7\n"


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Make a folder with only a table; return a list of commands, which are not started."""
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE, "utf-8")
    commands = []
    monkeypatch.setattr("snakemake.cli.main", lambda: commands.append(sys.argv) or 0)
    monkeypatch.setattr(sys, "argv", ["ggexp"])  # restored after the test
    monkeypatch.setattr("ggexp.releases.kinds.MAX_RELEASES", FEW_RELEASES)
    return commands


def options(words):
    parsed = get_argument_parser().parse_args(words[1:])
    assert parsed.logger == ["ggexp"]  # an option with several values takes no target
    assert words[3:5] == ["--snakefile", str(ROOT / "Snakefile")]
    return words[5:]


def test_results_of_another_file_are_not_replaced(started, call):
    """Whatever its name is: a name, or permission, is needed. The same content is no other file."""
    cells, histogram = pd.DataFrame({"count": [1]}), Path("results/table/histograms/table.parquet")
    for folder in ("y1", "y2", "y3"):
        Path(folder).mkdir()
        counts = TABLE if folder != "y2" else TABLE.replace("94", "95")
        Path(folder, "table.csv").write_text(counts, "utf-8")
    histogram.parent.mkdir(parents=True)
    write_parquet(cells, histogram, {"file": "y1/table.csv", "sha256": sha256("y1/table.csv")})
    message = refused(call("run", "y2/table.csv"), 1, "--name table-2")
    assert (started, [*Path("results").rglob("*.yaml")]) == ([], [])
    assert all(text in message for text in ("y1/table.csv", "y2/table.csv"))
    done(call("run", "y2/table.csv", "--name", "table-2"))
    assert yaml.safe_load(Path(started[-1][-1]).read_text("utf-8"))["datasets"] == ["table-2"]
    assert call("run", "y2/table.csv", "--name", "../up")[0] == 1
    for arguments in (["y3/table.csv"], ["y2/table.csv", "--overwrite"]):
        done(call("run", *arguments))
        assert str(Path("results/table", CONFIGURATION)) in started[-1]


def test_other_options_are_passed_to_snakemake(started, call):
    lines = "".join(f"{20 + i % 40},{'yn'[i % 2]},{'ab'[i % 3 == 0]}\n" for i in range(120))
    Path("people.csv").write_text(f"age,rich,kind\n{lines}", "utf-8")
    others = ("--cores", "2", "-n", "--config", "repeats=3", "seed=4")
    done(call("run", "people.csv", "--target", "rich", *others))
    (words,) = started
    assert options(words)[2:-2] == list(others)
    settings = yaml.safe_load(Path(words[-1]).read_text("utf-8"))
    assert settings["histograms"]["people"]["classifier"] == {"target": "rich"}


OVERWRITE = "--config datasets=[czech] overwrite=true"
SMOKE = f"--configfile {ROOT}/config/smoke.yaml"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("reproduce", "--cores all"),
        ("reproduce --design smoke --cores 2", f"--cores all --cores 2 {SMOKE}"),
        ("reproduce --design guarantees", "guarantees --cores all"),
        ("reproduce --datasets czech --overwrite", f"--cores all {OVERWRITE}"),
        ("snakemake figure_07 -c2 --datasets czech", "figure_07 -c2 --config datasets=[czech]"),
        (
            "snakemake --datasets czech -C repeats=2 seed=3",
            "-C repeats=2 seed=3 --config repeats=2 seed=3 datasets=[czech]",
        ),
        (
            "snakemake --config=repeats=2 --datasets czech",
            "--config=repeats=2 --config repeats=2 datasets=[czech]",
        ),
        ("snakemake --configfile table.csv -- theory", "--configfile table.csv -- theory"),
        ("snakemake -n --overwrite -- theory", "-n --config overwrite=true -- theory"),
        ("reproduce -n --design smoke -- theory", f"--cores all -n {SMOKE} -- theory"),
    ],
)
def test_a_design_is_run_with_its_options(started, call, arguments, expected):
    done(call(*arguments.split()))
    assert options(started[0]) == expected.split()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("reproduce --design large", 2, "equal-privacy"),
        ("reproduce --cors 2", 2, "No such option '--cors'.* '--cores'"),
        ("run absent.csv", 1, "absent.csv"),
        ("run table.csv --cors 2", 2, "No such option '--cors'.* '--cores'"),
        ("run table.csv --cors=2 --cores 1", 2, "No such option '--cors'"),
        ("run table.csv --cores two", 2, "cores.* must be integer"),
        ("run table.csv --co 2", 2, "ambiguous option: --co "),
        ("run table.csv --l1 5 --max-error 5", 2, "only one of --count-error"),
    ],
)
def test_a_wrong_option_is_one_line_and_nothing_is_written(started, call, arguments, code, message):
    refused(call(*arguments.split()), code, message)
    assert started == []
    assert [path.name for path in Path().iterdir()] == ["table.csv"]


def test_the_locks_of_a_killed_run_are_removed_in_the_folder_of_the_run(started, call):
    folders = [Path(folder, ".snakemake/locks") for folder in (".", "there")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "0.output.lock").write_text("results/scales.csv\n")
    done(call("snakemake", "--directory", "there"))
    assert [folder.exists() for folder in folders] == [True, False]
    assert Path("there/.snakemake/running").exists()


def test_a_run_in_another_clone_is_refused(started, call):
    Path("src/ggexp").mkdir(parents=True)
    assert str(ROOT) in str(call("run", "table.csv")[0])
    assert not started


@pytest.mark.parametrize(
    ("options", "goal"),
    [
        ("", {}),
        ("--count-error 5", {"count_error": 5}),
        ("--max-error 5", {"max_error": 5}),
        ("--l1 10% --n 189", {"l1": 18.9}),
    ],
)
def test_a_goal_is_answered_at_once_and_measured(started, call, options, goal):
    """Without one, no ε is recommended."""
    code, _, messages = call("run", "table.csv", *options.split())
    assert code == 0
    settings = yaml.safe_load(Path("results/table/configuration.yaml").read_text("utf-8"))
    assert settings["histograms"]["table"].get("goal", {}) == goal
    recommended = [float(number) for number in re.findall(r"Use ε\s=\s([\d.]+\d)", messages)]
    assert len(recommended) == bool(goal)
    assert settings["epsilon"] == sorted({0.1, 0.2, 0.5, 1, 2, 5, *recommended})
    for epsilon in recommended:
        least = ggexp.epsilon_for_error(cells=4, confidence=0.95, **goal).epsilon
        assert least <= epsilon <= least + 0.01
    assert len(started) == 1
