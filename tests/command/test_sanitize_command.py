"""ggexp sanitize: one release of a table, what it guarantees, and what it refuses."""

import json
import os
import subprocess
import sys
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from ggexp import Mechanism, calibration, sanitize
from ggexp.command.main import main

TABLE = """\
eyes,count,hair colour
brown,68,"black, or so"
blue,20,blond
blue,0,"black, or so"
brown,7,blond
"""
PURE = "--order 1 --calibration pure --epsilon 0.5".split()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(TABLE, "utf-8")
    return path


@pytest.fixture
def call(capsys):
    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["sanitize", *map(str, arguments)])
        shown = capsys.readouterr()
        return ended.value.code, shown.out, shown.err

    return call


def test_in_a_process(table):
    ended = subprocess.run(
        [sys.executable, "-m", "ggexp", "sanitize", "counts.csv", *PURE],
        cwd=table.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(path.name for path in table.parent.iterdir()) == [
        "counts-release.csv",
        "counts-release.json",
        "counts.csv",
    ]
    assert "counts-release.csv" in ended.stdout
    told = ended.stderr.splitlines()
    assert [line.partition(": ")[2].split(":")[0] for line in told] == ["warning"] * 3
    for words, line in zip(("floating point", "total is taken", "which cells"), told, strict=True):
        assert words in line


def test_the_release_is_labelled_and_is_that_of_the_library(table, call):
    code, printed, told = call(
        table, *"--order 3 --calibration pdp --epsilon 1 --delta 0.1 --seed 5 --json".split()
    )
    assert code == 0
    released = pd.read_csv(table.with_name("counts-release.csv"))
    assert list(released.columns) == ["eyes", "hair colour", "count"]
    assert list(released["eyes"]) == ["brown", "blue", "blue", "brown"]
    assert released["hair colour"][0] == "black, or so"
    noise = Mechanism(3, "pdp").noise(epsilon=1, delta=0.1)
    expected = sanitize([68, 20, 0, 7], noise, np.random.default_rng(5))
    assert list(released["count"]) == pytest.approx(expected, rel=1e-9)
    statement = json.loads(table.with_name("counts-release.json").read_text("utf-8"))
    assert statement["guarantee"] is None
    assert statement["seed"] == 5
    assert "not private: whoever knows the seed" in statement["warnings"][0]
    assert "not private: whoever knows the seed" in told.splitlines()[0]
    shown = json.loads(printed)
    assert {name: shown[name] for name in statement} == statement


@pytest.mark.parametrize(
    ("order", "rule", "delta", "guarantee"),
    [
        (2, "adp-exact", 0.1, "(ε, δ)-aDP"),
        (1, "pure", None, "ε-DP"),
        (1, "adp-truncated", 0.1, "(ε, δ)-aDP"),
    ],
)
def test_what_it_guarantees(table, call, order, rule, delta, guarantee):
    arguments = ["--order", order, "--calibration", rule, "--epsilon", 0.5, "--delta", 0.1]
    assert call(table, *arguments)[0] == 0
    statement = json.loads(table.with_name("counts-release.json").read_text("utf-8"))
    noise = Mechanism(order, rule).noise(epsilon=0.5, delta=0.1)
    expected = {
        "guarantee": guarantee,
        "epsilon": 0.5,
        "delta": delta,
        "order": order,
        "calibration": rule,
        "scale": noise.scale,
        "sd": noise.sd,
        "bound": calibration.bound(rule, order=order, epsilon=0.5, delta=0.1),
        "total": 95,
        "cells": 4,
        "seed": None,
    }
    assert {name: statement[name] for name in expected} == expected
    released = pd.read_csv(table.with_name("counts-release.csv"))["count"]
    assert released.sum() == pytest.approx(95, rel=1e-9)
    assert released.min() >= 0


def test_no_pdp_is_stated_of_counts_that_are_clamped(table, call):
    """The loss of a 0 exceeds ε, and its probability exceeds δ, by the normal distribution."""
    table.write_text("a,count\nx,12\ny,5000\n")
    asked = "--order 2 --calibration pdp --epsilon 0.5 --delta 0.01".split()
    assert call(table, *asked)[0] == 0
    statement = json.loads(table.with_name("counts-release.json").read_text("utf-8"))
    noise = norm(scale=statement["sd"])
    assert noise.cdf(-12) == pytest.approx(0.01230, abs=5e-6)
    assert noise.logcdf(-12) - noise.logcdf(-13) == pytest.approx(0.5017, abs=5e-5)
    assert statement["guarantee"] == "(ε, δ)-aDP"
    assert (statement["epsilon"], statement["delta"]) == (0.5, 0.01)


@pytest.mark.parametrize(
    ("rule", "epsilon", "exact"), [("adp-classical", 6.5, "0.1379"), ("adp-lecture", 8, "0.1414")]
)
def test_noise_whose_exact_delta_is_too_large_is_refused(table, call, rule, epsilon, exact):
    asked = ["--order", 2, "--calibration", rule, "--delta", 0.1, "--epsilon"]
    code, printed, told = call(table, *asked, epsilon)
    assert (code, printed) == (2, "")
    assert told.startswith("ggexp: error: ")
    for word in (rule, f"{epsilon:g}", "0.1", exact, "adp-exact"):
        assert word in told
    assert told.count("\n") == 1
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]
    assert call(table, *asked, 2)[0] == 0  # beyond the rule's proof, where it holds
    statement = json.loads(table.with_name("counts-release.json").read_text("utf-8"))
    assert statement["guarantee"] == "(ε, δ)-aDP"


def test_two_releases_have_different_noise(table, call):
    for name in ("a.csv", "b.csv"):
        assert call(table, *PURE, "--output", table.with_name(name))[0] == 0
    first, second = (pd.read_csv(table.with_name(name))["count"] for name in ("a.csv", "b.csv"))
    assert not np.isclose(first[:2], second[:2]).any()
    assert table.with_name("a.json").exists()


def test_a_release_is_not_replaced(table, call):
    assert call(table, *PURE)[0] == 0
    before = table.with_name("counts-release.csv").read_bytes()
    code, printed, told = call(table, *PURE)
    assert (code, printed) == (1, "")
    assert "is there already; another release of the same table spends ε again" in told
    assert table.with_name("counts-release.csv").read_bytes() == before
    assert call(table, *PURE, "--output", table)[0] == 1
    assert table.read_text("utf-8") == TABLE


def test_a_pipe_is_refused(tmp_path, call):
    pipe = tmp_path / "counts.csv"
    os.mkfifo(pipe)
    Thread(target=pipe.write_text, args=(TABLE, "utf-8"), daemon=True).start()
    code, _, told = call(pipe, *PURE)
    assert (code, told.count("must be a regular file")) == (1, 1)
    assert [*tmp_path.iterdir()] == [pipe]


def test_left_out_cells_are_told(table, call):
    table.write_text("a,b,count\nx,u,1\ny,v,2\ny,u,3\n")
    _, _, told = call(table, *PURE)
    assert "1 of 4 combinations of levels have no row" in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the header must name the columns, but there is none"),
        ("a,b\nx,1\n", "line 1: the header has no 'count', it has 'a', 'b'"),
        ("count\n1\n", "line 1: the header names no factor beside 'count'"),
        ("a,a,count\nx,y,1\n", "line 1: the header has 2 columns named 'a'"),
        ("a,count\n", "no row below the header"),
        ("a,count\nx,1\ny\n", "line 3: 2 fields expected, got 1: y"),
        ("a,count\nx,1\nx,2\n", "line 3: a second row for the cell x"),
        ("a,count\nx,-1\n", "line 2: count must be a non-negative whole number, got '-1'"),
        ("a,count\nx,1.5\n", "line 2: count must be a non-negative whole number, got '1.5'"),
        ("a,count\nx,9007199254740993\n", "line 2: count must be at most 9007199254740992"),
        ("a,count\nx,9007199254740992\ny,1\n", "the counts sum to 9007199254740993, at most"),
        (f"a,count\nx,{'9' * 5000}\n", "line 2: count must be at most"),
        ('a,count\n"x,1\n', "line 2: unexpected end of data"),
    ],
)
def test_files_that_are_no_table_of_counts(table, call, text, message):
    table.write_text(text)
    code, printed, told = call(table, *PURE)
    assert (code, printed) == (1, "")
    assert told.startswith("ggexp: error: ")
    assert message in told
    assert told.count("\n") == 1
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]


def test_files_that_cannot_be_read_or_written(table, call, tmp_path):
    for wrong in (tmp_path / "none.csv", tmp_path):
        code, _, told = call(wrong, *PURE)
        assert code == 1
        assert str(wrong) in told
    code, _, told = call(table, *PURE, "--output", tmp_path / "no" / "release.csv")
    assert code == 1
    assert "cannot be written" in told


def test_no_guarantee_is_left_without_its_release(table, call, monkeypatch):
    def full(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("ggexp.command.release.write_csv", full)
    assert call(table, *PURE)[0] == 1
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--order 1 --calibration pure", "Missing option '--epsilon'"),
        ("--order 2 --calibration pdp --epsilon 1", "delta must be"),
        ("--order 1 --calibration pure --epsilon 1 --seed -1", "-1"),
        ("--order 1 --calibration pure --epsilon 1 --output a.txt", "must end in .csv"),
    ],
)
def test_a_bad_command_line(table, call, arguments, message):
    code, printed, told = call(table, *arguments.split())
    assert (code, printed) == (2, "")
    assert message in told
    assert told.count("\n") == 1
