"""ggexp sanitize: one release of a table, its guarantee, and input that is refused."""

import html
import json
import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from threading import Thread
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from conftest import FORMULA, describe, done, refused, save
from scipy.stats import chisquare

from ggexp import Mechanism, sanitize, simulate
from ggexp.command.noise import DeclaredReleases, to_releases
from ggexp.experiment.design import PROPOSED_MECHANISMS

TABLE = """\
eyes,count,hair colour
brown,68,"black, or so"
blue,20,blond
blue,0,"black, or so"
brown,7,blond
"""
CROSSTAB = "b,men,women,Total\nu,7,2,9\nv,8,2,10\n"
COUNTED = ["--count", "count", "--levels-from-file"]
DESIGN = ["--factors", "eyes,hair colour", *COUNTED]
PURE = "--order 1 --calibration pure --epsilon 0.5".split()


@pytest.fixture
def table(tmp_path):
    return save(tmp_path / "counts.csv", TABLE)


@pytest.fixture
def call(call):
    return partial(call, "sanitize")


def statement_of(table, name="counts-release"):
    return json.loads(table.with_name(f"{name}.json").read_text("utf-8"))


def released(table, name="counts-release", column="count"):
    return pd.read_csv(table.with_name(f"{name}.csv"), keep_default_na=False)[column]


def test_by_default_counts_are_whole_and_the_total_is_not_stated(table, call):
    done(call(table, *DESIGN, "--epsilon", 0.5))
    counts, statement = released(table), statement_of(table)
    assert (counts.dtype, counts.min() >= 0) == (np.int64, True)
    expected = {
        **{"guarantee": "ε-DP", "guarantee_holds": "for the released file", "sampler": "exact"},
        **{"calibration": "pure-integer", "scale": 2, "total": None, "warnings": []},
        "levels": {"eyes": ["blue", "brown"], "hair colour": ["black, or so", "blond"]},
    }
    assert {name: statement[name] for name in expected} == expected
    assert "95" not in json.dumps(statement)  # the total


@pytest.mark.slow
def test_the_default_noise_has_the_stated_distribution():
    """A χ² test, whose probability of a false alarm is 10^-6, rejects the noise for 1.3 times ε."""
    frame = pd.DataFrame({"a": [f"x{i}" for i in range(20_000)], "n": 1000})
    how = {"factors": ["a"], "count": "n", "levels_from_file": True, "epsilon": 0.5}
    made = sanitize(frame, **how, _random_bytes=np.random.default_rng(3).bytes)
    noise = np.clip(made.tables[0]["n"] - 1000, -9, 9)
    for epsilon, is_refused in ((0.5, False), (0.65, True)):
        stated, k = Mechanism(None, "pure-integer").noise(epsilon=epsilon), np.arange(-9, 10)
        expected = stated.probabilities[abs(k)] + (abs(k) == 9) * stated.tails[abs(k)]
        observed = [(noise == value).sum() for value in k]
        assert (chisquare(observed, expected * 20_000).pvalue < 1e-6) == is_refused


def test_levels_are_ordered_as_numbers_and_then_as_text(table, call):
    words = [save(table, "age,Freq\n10,4\nnone,2\n9,3\n"), "--factors", "age", "--count", "Freq"]
    words += ["--epsilon", 1e3]
    done(call(*words, "--levels-from-file"))
    assert list(released(table, column="age")) == ["9", "10", "none"]
    assert list(released(table, column="Freq")) == [3, 4, 2]
    done(call(*words, "--levels", "age=none,11,10,9", "--output", table.with_name("r.csv")))
    assert list(released(table, "r", "age")) == ["none", "11", "10", "9"]
    assert list(released(table, "r", "Freq")) == [2, 0, 4, 3]
    assert statement_of(table, "r")["levels_from_file"] == []


def test_the_release_is_labelled_and_equals_the_library_s(table, call):
    words = "--order 3 --calibration pdp --epsilon 1 --delta 0.1 --rescale --seed 5 --json"
    code, printed, messages = call(table, *DESIGN, *words.split())
    assert code == 0
    frame = pd.read_csv(table.with_name("counts-release.csv"))
    assert list(frame.columns) == ["eyes", "hair colour", "count"]
    assert list(frame["eyes"]) == ["blue", "blue", "brown", "brown"]
    assert frame["hair colour"][0] == "black, or so"
    noise = Mechanism(3, "pdp").noise(epsilon=1, delta=0.1)
    expected = simulate([0, 20, 68, 7], noise, np.random.default_rng(5))
    assert list(frame["count"]) == pytest.approx(expected, rel=1e-9)
    statement = statement_of(table)
    assert statement["guarantee"] is statement["guarantee_holds"] is None
    assert (statement["seed"], statement["total"]) == (5, 95)
    assert "not private" in statement["warnings"][0]
    assert statement["warnings"][0] in messages.splitlines()[0]
    shown = json.loads(printed)
    assert {name: shown[name] for name in statement} == statement


@pytest.mark.parametrize(
    ("order", "rule"),
    [
        (2, "adp-exact"),
        (None, "adp-optimal"),
        (2, "pdp-exact-integer"),  # clamped counts satisfy only approximate DP
    ],
)
def test_the_statement(table, call, order, rule):
    words = ["--calibration", rule, "--epsilon", 0.5, "--delta", 0.1, "--rescale"]
    words += [] if order is None else ["--order", order]
    done(call(table, *DESIGN, *words))
    statement = statement_of(table)
    noise = Mechanism(order, rule).noise(epsilon=0.5, delta=0.1)
    is_exact = noise.is_integer_valued
    expected = {
        "guarantee": "(ε, δ)-aDP",
        "guarantee_holds": "for the released file" if is_exact else "in exact arithmetic",
        "sampler": "exact" if is_exact else "floating point",
        "neighbours": "replace-one",
        "epsilon_of_a_count": 0.5,
        "delta_of_a_count": 0.1,
        "order": order,
        "calibration": rule,
        **{"sd": noise.sd, "total": 95, "cells": 4, "seed": None, **noise.numbers},
    }
    assert {name: statement[name] for name in expected} == expected
    assert released(table).sum() == pytest.approx(95, rel=1e-9)
    assert released(table).min() >= 0


@pytest.mark.parametrize("name", PROPOSED_MECHANISMS)
def test_a_calibration_may_be_a_mechanism_that_a_run_names(table, call, name):
    budget = {"epsilon": 0.5, "delta": 0.01}
    options = [word for key, value in budget.items() for word in (f"--{key}", value)]
    done(call(table, *DESIGN, *options, "--calibration", name))
    mechanism = PROPOSED_MECHANISMS[name]
    statement = statement_of(table)
    assert statement["calibration"] == mechanism.calibration
    assert statement["sd"] == mechanism.noise(**budget).sd
    releases = to_releases(f"calibration={name},epsilon=0.5,delta=0.01")
    assert releases == DeclaredReleases(mechanism.calibration, mechanism.order, **budget)


def test_noise_whose_exact_delta_is_too_large_is_refused(table, call):
    arguments = [*DESIGN, *"--order 2 --calibration adp-classical --delta 0.1 --epsilon".split()]
    message = refused(call(table, *arguments, 6.5), 2, "adp-classical")
    assert all(word in message for word in ("6.5", "0.1", "0.1379", "adp-exact"))
    assert [*table.parent.iterdir()] == [table]
    done(call(table, *arguments, 2))  # not covered by the rule's proof, but satisfied
    assert statement_of(table)["guarantee"] == "(ε, δ)-aDP"


def test_a_release_is_not_replaced_and_another_one_has_other_noise(table, call):
    first, words = table.with_name("counts-release.csv"), [table, *DESIGN, *PURE]
    done(call(*words))
    before = first.read_bytes()
    refused(call(*words), 1, f"{first} exists")
    assert first.read_bytes() == before
    done(call(*words, "--output", table.with_name("b.csv")))
    assert not np.isclose(released(table)[2], released(table, "b")[2])
    refused(call(*words, "--output", table), 1, f"{table} exists")
    assert table.read_text("utf-8") == TABLE
    statement = save(table.with_name("other.json"), "of another release")
    refused(call(*words, "--output", table.with_name("other.csv")), 1, f"{statement} exists")
    assert statement.read_text("utf-8") == "of another release"
    assert not table.with_name("other.csv").exists()


def test_a_pipe_needs_a_name_for_its_release(tmp_path, call):
    pipe = tmp_path / "counts.csv"
    os.mkfifo(pipe)
    Thread(target=pipe.write_text, args=(TABLE, "utf-8"), daemon=True).start()
    refused(call(pipe, *DESIGN, "--epsilon", 1e3), 2, "--output")
    done(call(pipe, *DESIGN, "--epsilon", 1e3, "--output", tmp_path / "r.csv"))
    assert list(released(pipe, "r")) == [0, 20, 68, 7]
    assert {path.name for path in tmp_path.iterdir()} == {"counts.csv", "r.csv", "r.html", "r.json"}
    Thread(target=pipe.write_text, args=("",), daemon=True).start()
    words = [*DESIGN, "--epsilon", 1, "--output", tmp_path / "other.csv"]
    refused(call(pipe, *words), 1, f"error: {pipe.name}: no records")


@pytest.mark.slow
@pytest.mark.parametrize("ends", [False, True])
def test_a_terminated_command_leaves_no_copy_of_standard_input(tmp_path, ends):
    """Its folder of temporary files is empty afterwards; before, it has the copy."""
    command = [sys.executable, "-m", "ggexp", "sanitize", "-", *DESIGN, "--epsilon", "1"]
    (temporary := tmp_path / "temporary").mkdir()
    process = subprocess.Popen(
        [*command, "--output", str(tmp_path / "r.csv")],
        stdin=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    process.stdin.write(TABLE.encode())
    process.stdin.flush()
    while not [*temporary.rglob("standard input")]:
        time.sleep(0.05)
    if not ends:
        process.terminate()
    process.stdin.close()
    assert process.wait() == (0 if ends else 143)
    assert not [*temporary.iterdir()]
    assert (tmp_path / "r.csv").exists() == ends


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ('a;b;N\nx;u;"1,234"\ny;v;12,345,678\n', "--count N --thousands ,", [1234, 0, 0, 12345678]),
        ("a;b;Freq\nx;u;3,0\ny;v;5,0\n", "--count Freq --decimal ,", [3, 0, 0, 5]),
        ("a,b,count,people\nx,u,7,12\ny,v,8,2\n", "--count people --ignore count", [12, 0, 0, 2]),
        (CROSSTAB, "--wide a --totals Total", [7, 2, 8, 2]),
        (CROSSTAB, "--wide a --totals Total --keep-totals", [7, 2, 9, 8, 2, 10]),
        ("a,b\nx,u\nx,v\nx,u\nx,v\ny,v\ny,v\n", "--tables a,b", [2, 2, 0, 2]),
    ],
)
def test_what_a_design_reads(table, call, text, options, expected):
    """The ε is so large that the noise is 0."""
    factors = ["--factors", "b" if "--wide" in options else "a,b"] * ("--tables" not in options)
    arguments = [*factors, "--levels-from-file", "--epsilon", 1e3]
    done(call(save(table, text), *arguments, *options.split()))
    frame = pd.read_csv(table.with_name("counts-release.csv"))
    assert list(frame.iloc[:, -1]) == expected or list(frame["a"]) == ["men", "women"] * 2
    assert sorted(frame.iloc[:, -1]) == sorted(expected)


def test_a_configuration_is_a_design(table, call):
    """The levels and bins are those of the edited configuration; its total is not used."""
    rows = "".join(f"{i % 7},{i % 3}.5,{'pq'[i % 2]}\n" for i in range(60))
    for text, name in ((TABLE, "counts"), (f"a,b,c\n{rows}", "records")):
        path = save(table.with_name(f"{name}.csv"), text)
        proposal = describe(path).replace("total: 95", "total: 7")
        config = save(table.with_name(f"{name}.yaml"), proposal)
        done(call(path, "--config", config, "--epsilon", 1e3))
    assert list(released(table)) == [0, 20, 68, 7]
    frame = pd.read_csv(table.with_name("records-release.csv"))
    assert frame["count"].sum() == 60
    assert set(frame["c"]) == {"p", "q"}
    assert [*frame["b"].unique()] == ["[0, 1)", "[1, 2)", "[2, 3]"]
    assert statement_of(table, "records-release")["levels_from_file"] == []
    words = ["--config", save(config, proposal.replace("q]", "r]")), "--epsilon", 1]
    refused(call(path, *words, "--output", table.with_name("r.csv")), 1, "'q'")


OWN = 'counts: counts.csv, count: "n", total: 9, factors: {a: [x, y]}'
LIKE = f"""histograms:
  first: {{{OWN}, mechanisms: [laplace]}}
  second: {{like: first, counts: other.csv, factors: {{a: [y, x, z]}}}}
"""


@pytest.mark.parametrize(
    ("config", "parts"),
    [
        (LIKE, ()),
        (f"{LIKE}  third: {{like: second, mechanisms: [gaussian]}}\n", ()),
        (LIKE.replace("first, c", "third, c"), ["second.like: ", "'third'", "first, second"]),
        (LIKE.replace("[laplace]", "laplace"), ["first.mechanisms: ", "'laplace'", "list"]),
        (f"histograms: {{t: {{{OWN}}}}}", ["histograms.t.mechanisms: ", "required"]),
        (LIKE.replace("other.csv", "counts.csv"), ["one design", "counts.csv, counts.csv"]),
        ("histograms: [t]", ["histograms: ", "['t']"]),
        ("[1, 2]", ["ggexp describe"]),
        ("a: {", ["line 2"]),
    ],
    ids=len,
)
def test_a_configuration_is_read_as_that_of_a_run_is(tmp_path, monkeypatch, call, config, parts):
    monkeypatch.chdir(tmp_path)
    for name in ("counts", "other"):
        Path(f"{name}.csv").write_text("a,n\ny,5\nx,4\n")
    Path("mine.yaml").write_text(config)
    ended = call("other.csv", "--config", "mine.yaml", "--epsilon", 1e3)
    if not parts:
        done(ended)
        assert list(pd.read_csv("other-release.csv")["n"]) == [5, 4, 0]
    else:
        message = refused(ended, 1, "mine.yaml: ")
        assert all(part in message for part in parts), message
        assert not [*Path().glob("*-release*")]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        (TABLE, "--factors 'eyes,hair colour' --count count --levels-from-file"),
        ("a,b,n\nx,u,3\nx,v,4\ny,u,8\ny,v,9\n", "--factors a,b --count n --levels-from-file"),
    ],
)
def test_without_a_design_nothing_is_published(table, call, text, command):
    code, printed, messages = call(save(table, text))
    refused((code, "", messages), 2, "design")
    assert f"ggexp sanitize {table} {command} --epsilon 1" in printed
    assert [*table.parent.iterdir()] == [table]
    assert (" x, y" in printed) == ("x,u" in text)


@pytest.mark.parametrize(
    ("name", "levels", "warned"),
    [
        ("a", ["x", FORMULA], [FORMULA]),
        ("a", ["+x", "-x", "@x", "-", "x=1"], ["+x", "-x", "@x", "-"]),
        ("=cmd|' /C calc'!A0", ["x", "y"], ["=cmd|' /C calc'!A0"]),
        ("a", ["-1", "+5", "-2.5e3", "x"], []),
        ("a", ["x-1", "é", "(=1)"], []),
    ],
)
def test_names_and_levels_that_look_like_formulas_are_a_warning(
    tmp_path, call, name, levels, warned
):
    """The released file has them unchanged; the statement, the page and the terminal warn."""
    path = tmp_path / "t.csv"
    pd.DataFrame({name: levels, "count": 5}).to_csv(path, index=False)
    code, _, messages = call(path, "--factors", f'"{name}"', *COUNTED, "--epsilon", 1)
    assert code == 0
    shown = [repr(text) for text in warned]
    warnings = statement_of(path, "t-release")["warnings"]
    assert len(warnings) == messages.count("warning") == bool(warned)
    page = html.unescape((tmp_path / "t-release.html").read_text("utf-8"))
    for text in (warnings or [""])[0], messages.replace("\n", " "), page:
        assert all(text.count(quoted) for quoted in shown)
    release = pd.read_csv(tmp_path / "t-release.csv", dtype=str)
    assert (release.columns[0], {*release[name]}) == (name, {*levels})


def test_a_large_epsilon_is_a_warning(table, call):
    for epsilon, warnings in ((10, 0), (11, 1)):
        words = ["--epsilon", epsilon, "--output", table.with_name(f"{epsilon}.csv")]
        assert call(table, *DESIGN, *words)[2].count("warning") == warnings
        assert len(statement_of(table, f"{epsilon}")["warnings"]) == warnings


def test_files_that_cannot_be_read_or_written(table, call, tmp_path, monkeypatch):
    for path in (tmp_path / "none.csv", tmp_path):
        refused(call(path, *DESIGN, *PURE), 1, str(path))
    words = [table, *DESIGN, *PURE]
    refused(call(*words, "--output", tmp_path / "no" / "release.csv"), 1, "cannot be written")
    fail = Mock(side_effect=OSError("the disk is full"))
    monkeypatch.setattr("ggexp.command.release_files.to_csv", fail)
    refused(call(*words), 1, "the disk is full")
    assert [*tmp_path.iterdir()] == [table]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--order 1 --calibration pure", "Missing option '--epsilon'"),
        ("--epsilon 1 --config a.yaml", "--config"),
        ("--epsilon 1 --keep-totals", "--totals"),
        ("--epsilon 1 --tables a,b", "--tables is for records"),
        ("--epsilon 1 --consistent", "--consistent needs --tables"),
        ("--epsilon 1 --weights 2", "--weights needs --tables"),
        ("--epsilon 1 --rescale --totals x --keep-totals", "--rescale"),
        ("--epsilon 1 --levels x=a", "--levels"),
        ("--order 1 --calibration pure --epsilon 1 --output a.txt", "must end in .csv"),
        ("--epsilon 1 --order 2", "--order needs --calibration"),
    ],
)
def test_a_bad_command_line(table, call, arguments, message):
    refused(call(table, *DESIGN, *arguments.split()), 2, message)
