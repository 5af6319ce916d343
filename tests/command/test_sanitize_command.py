"""ggexp sanitize: one release of a table, its guarantee, and input that is refused."""

import json
import os
import re
import subprocess
import sys
from functools import partial
from threading import Thread

import numpy as np
import pandas as pd
import pytest
from conftest import assert_one_error
from scipy.stats import chisquare, norm

from ggexp import Mechanism, calibration, sanitize
from ggexp.command.main import main
from ggexp.mechanisms import exact
from ggexp.mechanisms.exact import ExactSampler

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
def call(call):
    """Call the command sanitize and return exit code, standard output and standard error."""
    return partial(call, "sanitize")


def test_a_process_writes_both_files(table):
    process = subprocess.run(
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
    assert "counts-release.csv" in process.stdout
    messages = process.stderr.splitlines()
    assert [line.partition(": ")[2].split(":")[0] for line in messages] == ["warning"]
    assert max(map(len, process.stdout.splitlines())) <= 80


def statement_of(table, name="counts-release"):
    return json.loads(table.with_name(f"{name}.json").read_text("utf-8"))


def released(table, name="counts-release", column="count"):
    return pd.read_csv(table.with_name(f"{name}.csv"), keep_default_na=False)[column]


def test_by_default_counts_are_whole_and_the_total_is_not_stated(table, call):
    assert call(table, "--epsilon", 0.5)[:1] == (0,)
    counts, statement = released(table), statement_of(table)
    assert counts.dtype == np.int64
    assert counts.min() >= 0
    assert {name: statement[name] for name in ("guarantee", "guarantee_holds", "sampler")} == {
        "guarantee": "ε-DP",
        "guarantee_holds": "for the released file",
        "sampler": "exact",
    }
    assert (statement["calibration"], statement["scale"]) == ("pure-integer", 2)
    assert (statement["total"], statement["warnings"]) == (None, [])
    assert "95" not in json.dumps(statement)  # the total
    assert statement["levels"] == {
        "eyes": ["blue", "brown"],
        "hair colour": ["black, or so", "blond"],
    }


def test_with_a_delta_the_noise_is_optimal(table, call):
    assert call(table, "--epsilon", 0.5, "--delta", 0.01)[0] == 0
    statement = statement_of(table)
    assert (statement["calibration"], statement["delta"]) == ("adp-optimal", 0.01)
    assert statement["guarantee"] == "(ε, δ)-aDP"
    assert statement["sd"] == pytest.approx(2.34224, abs=5e-6)


@pytest.mark.slow
def test_the_default_noise_has_the_stated_distribution(table, call, monkeypatch):
    """A χ² test, whose probability of a false alarm is 10^-6, rejects the noise for 1.3 times ε."""
    fixed = partial(ExactSampler, random_bytes=np.random.default_rng(3).bytes)
    monkeypatch.setattr("ggexp.command.release.ExactSampler", fixed)
    rows = "".join(f"{i},1000\n" for i in range(20_000))
    table.write_text(f"cell,count\n{rows}")
    assert call(table, "--epsilon", 0.5)[0] == 0
    noise = np.clip(released(table) - 1000, -9, 9)
    for epsilon, is_refused in ((0.5, False), (0.65, True)):
        stated, k = Mechanism(None, "pure-integer").noise(epsilon=epsilon), np.arange(-9, 10)
        expected = stated.probabilities[abs(k)] + (abs(k) == 9) * stated.tails[abs(k)]
        observed = [(noise == value).sum() for value in k]
        assert (chisquare(observed, expected * 20_000).pvalue < 1e-6) == is_refused


def test_the_order_of_rows_does_not_depend_on_counts(table, call):
    lines = TABLE.splitlines()
    orders = {"a": lines, "b": [lines[0], *lines[:0:-1]], "c": [*lines[:3], lines[4]]}
    for name, order in orders.items():
        path = table.with_name(f"{name}.csv")
        path.write_text("\n".join(order), "utf-8")
        assert call(path, "--epsilon", 1, "--complete", "--seed", 1)[0] == 0
    statements = [statement_of(table, f"{name}-release") for name in orders]
    assert statements[0] == statements[1] == statements[2]
    files = [table.with_name(f"{name}-release.csv").read_bytes() for name in orders]
    assert files[0] == files[1] == files[2]  # in c, the cell with the count 0 has no row


def test_levels_are_ordered_as_numbers_and_then_as_text(table, call):
    table.write_text("age,Freq\n10,1\nnone,2\n9,3\n")
    assert call(table, "--epsilon", 1e3)[0] == 0
    assert list(released(table, column="age")) == ["9", "10", "none"]
    assert list(released(table, column="Freq")) == [3, 1, 2]


def test_the_release_is_labelled_and_equals_the_library_s(table, call):
    code, printed, messages = call(
        table,
        *"--order 3 --calibration pdp --epsilon 1 --delta 0.1 --rescale --seed 5 --json".split(),
    )
    assert code == 0
    frame = pd.read_csv(table.with_name("counts-release.csv"))
    assert list(frame.columns) == ["eyes", "hair colour", "count"]
    assert list(frame["eyes"]) == ["blue", "blue", "brown", "brown"]
    assert frame["hair colour"][0] == "black, or so"
    noise = Mechanism(3, "pdp").noise(epsilon=1, delta=0.1)
    expected = sanitize([0, 20, 68, 7], noise, np.random.default_rng(5))
    assert list(frame["count"]) == pytest.approx(expected, rel=1e-9)
    statement = statement_of(table)
    assert statement["guarantee"] is statement["guarantee_holds"] is None
    assert (statement["seed"], statement["total"]) == (5, 95)
    assert "not private" in statement["warnings"][0]
    assert statement["warnings"][0] in messages.splitlines()[0]
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
def test_the_statement(table, call, order, rule, delta, guarantee):
    arguments = ["--order", order, "--calibration", rule, "--epsilon", 0.5, "--delta", 0.1]
    assert call(table, *arguments, "--rescale")[0] == 0
    statement = statement_of(table)
    noise = Mechanism(order, rule).noise(epsilon=0.5, delta=0.1)
    expected = {
        "guarantee": guarantee,
        "guarantee_holds": "in exact arithmetic",
        "sampler": "floating point",
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
    assert released(table).sum() == pytest.approx(95, rel=1e-9)
    assert released(table).min() >= 0


@pytest.mark.parametrize(
    ("rule", "order", "guarantee"),
    [
        ("pdp-exact-integer", 2, "(ε, δ)-aDP"),  # clamped counts satisfy only approximate DP
        ("adp-exact-integer", 3, "(ε, δ)-aDP"),
    ],
)
def test_whole_number_noise_with_an_order(table, call, rule, order, guarantee):
    arguments = ["--order", order, "--calibration", rule, "--epsilon", 0.5, "--delta", 0.1]
    assert call(table, *arguments)[0] == 0
    statement = statement_of(table)
    assert statement["guarantee"] == guarantee
    assert statement["guarantee_holds"] == "for the released file"
    assert released(table).dtype == np.int64


def test_clamped_counts_are_not_said_to_satisfy_pdp(table, call):
    """If a count of 12 becomes 0, the privacy loss exceeds ε, with a probability above δ."""
    table.write_text("a,count\nx,12\ny,5000\n")
    arguments = "--order 2 --calibration pdp --epsilon 0.5 --delta 0.01".split()
    assert call(table, *arguments)[0] == 0
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
    arguments = ["--order", 2, "--calibration", rule, "--delta", 0.1, "--epsilon"]
    code, printed, messages = call(table, *arguments, epsilon)
    assert (code, printed) == (2, "")
    assert messages.startswith("ggexp: error: ")
    for word in (rule, f"{epsilon:g}", "0.1", exact, "adp-exact"):
        assert word in messages
    assert messages.count("\n") == 1
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]
    assert call(table, *arguments, 2)[0] == 0  # not covered by the rule's proof, but satisfied
    statement = json.loads(table.with_name("counts-release.json").read_text("utf-8"))
    assert statement["guarantee"] == "(ε, δ)-aDP"


def test_two_releases_have_different_noise(table, call):
    for name in ("a.csv", "b.csv"):
        assert call(table, *PURE, "--output", table.with_name(name))[0] == 0
    first, second = (pd.read_csv(table.with_name(name))["count"] for name in ("a.csv", "b.csv"))
    assert not np.isclose(first[2], second[2])
    assert table.with_name("a.json").exists()


def test_a_release_is_not_replaced(table, call):
    assert call(table, *PURE)[0] == 0
    before = table.with_name("counts-release.csv").read_bytes()
    code, printed, messages = call(table, *PURE)
    assert (code, printed) == (1, "")
    assert f"{table.with_name('counts-release.csv')} exists" in messages
    assert table.with_name("counts-release.csv").read_bytes() == before
    assert call(table, *PURE, "--output", table)[0] == 1
    assert table.read_text("utf-8") == TABLE
    statement = table.with_name("other.json")
    statement.write_text("of another release", "utf-8")
    assert call(table, *PURE, "--output", table.with_name("other.csv"))[0] == 1
    assert statement.read_text("utf-8") == "of another release"
    assert not table.with_name("other.csv").exists()


def test_a_pipe_needs_a_name_for_its_release(tmp_path, call):
    pipe = tmp_path / "counts.csv"
    os.mkfifo(pipe)
    Thread(target=pipe.write_text, args=(TABLE, "utf-8"), daemon=True).start()
    code, _, messages = call(pipe, "--epsilon", 1e3)
    assert (code, messages.count("--output")) == (2, 1)
    assert call(pipe, "--epsilon", 1e3, "--output", tmp_path / "r.csv")[0] == 0
    assert list(released(pipe, "r")) == [0, 20, 68, 7]
    assert {path.name for path in tmp_path.iterdir()} == {"counts.csv", "r.csv", "r.json"}


def test_standard_input(tmp_path):
    command = [sys.executable, "-m", "ggexp", "sanitize", "-", "--epsilon", "1e3"]
    options = ["--output", "r.csv"]
    process = subprocess.run([*command, *options], cwd=tmp_path, input=TABLE.encode(), check=True)
    assert list(released(tmp_path / "t.csv", "r")) == [0, 20, 68, 7]
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ('a;b;N\nx;u;"1,234"\ny;u;12,345,678\n', [], [1234, 12345678]),
        ("a,b,Freq\nx,u,3.0\ny,u,1e+05\n", [], [3, 100_000]),
        ("a;b;Freq\nx;u;3,0\ny;u;5,0\n", [], [3, 5]),
        ("a,count,people\nx,7,1\ny,8,2\n", ["--count", "people"], [1, 7, 2, 8]),
        ("a,men,women\nx,7,1\ny,8,2\n", ["--wide"], [7, 1, 8, 2]),
        ("a,count\nx,7\ny,8\nTotal,15\n", [], [7, 8]),
        ("a,count\nx,7\ny,8\nTotal,15\n", ["--keep-totals"], [15, 7, 8]),
    ],
)
def test_every_table_that_describe_reads_is_released(table, call, text, options, expected):
    """The ε is so large that the noise is 0; describe accepts the same options."""
    table.write_text(text)
    code, _, messages = call(table, "--epsilon", 1e3, *options)
    if "people" in options:  # no factor may be named count
        assert code == 1
        assert "'count'" in messages
        return
    assert code == 0
    frame = pd.read_csv(table.with_name("counts-release.csv"))
    assert list(frame.iloc[:, -1]) == expected
    with pytest.raises(SystemExit):
        main(["describe", str(table), "--json", *options])


def test_absent_cells_are_a_warning_or_added(table, call):
    table.write_text("a,b,count\nx,u,1\ny,v,2\ny,u,3\n")
    _, _, messages = call(table, "--epsilon", 1e3)
    assert re.search("1 of 4 .*--complete", messages)
    assert list(released(table)) == [1, 3, 2]
    assert statement_of(table)["cells"] == 3
    _, _, messages = call(
        table, "--epsilon", 1e3, "--complete", "--output", table.with_name("all.csv")
    )
    assert messages == ""
    assert list(released(table, "all")) == [1, 0, 3, 2]
    assert statement_of(table, "all")["cells"] == 4
    assert statement_of(table)["levels"] == statement_of(table, "all")["levels"]


def test_too_many_combinations_of_levels(table, call):
    rows = "".join(f"a{i},b{i},c{i},1\n" for i in range(200))
    table.write_text(f"a,b,c,count\n{rows}")
    code, _, messages = call(table, "--epsilon", 1, "--complete")
    assert code == 1
    assert "at most 1,000,000" in messages
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]
    _, _, messages = call(table, "--epsilon", 1)
    assert re.search("more than 1,000,000 .*no row", messages)


def test_files_are_read_as_describe_reads_them(tmp_path, call):
    """The counts, the separator and the encoding are unusual; row numbers are not a factor."""
    path = tmp_path / "t.csv"
    path.write_bytes('"";"Haar";"Freq"\n"1";"dünkel";3\n"2";"blond";40\n'.encode("cp1252"))
    assert call(path, "--epsilon", 1e3)[0] == 0
    assert (tmp_path / "t-release.csv").read_text("utf-8") == "Haar,Freq\nblond,40\ndünkel,3\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no records"),
        ("a,b\nx,1\n", "line 1: the first line must name"),
        ("count\n1\n", "line 1: the first line must name"),
        ("a,n,count\nx,1,1\n", "line 1: the first line must name"),
        ("a,a,count\nx,y,1\n", "got 'a', 'a', 'count'"),
        ("a,,count\nx,y,1\nx,z,1\n", "got 'a', '', 'count'"),
        ("a,count\n", "line 1: no row"),
        ("a,count\nx,1\ny\n", "line 3: 2 fields expected"),
        ("a,count\nx,1\nx,2\n", r"line 3: .*second .*\bx\b"),
        ("a,count\nx,-1\n", "line 2: count .*negative .*got '-1'"),
        ("a,count\nx,1.5\n", r"line 2: count .*whole .*got '1\.5'"),
        ("a,count\nx,9007199254740993\n", "line 2: count .*at most 9007199254740992"),
        ("a,count\nx,9007199254740992\ny,1\n", "sum .*9007199254740993, at most"),
        (f"a,count\nx,{'9' * 5000}\n", "line 2: count .*at most"),
        ('a,count\n"x,1\n', "line 2: unexpected end of data"),
        ("a,count\nx,1\ny,,\n", "line 3: 2 fields expected"),
    ],
)
def test_files_without_a_table_of_counts_are_refused(table, call, text, message):
    table.write_text(text)
    code, printed, messages = call(table, *PURE)
    assert (code, printed) == (1, "")
    assert_one_error(messages, message)
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]


def test_files_that_cannot_be_read_or_written(table, call, tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        code, _, messages = call(path, *PURE)
        assert code == 1
        assert str(path) in messages
    code, _, messages = call(table, *PURE, "--output", tmp_path / "no" / "release.csv")
    assert code == 1
    assert "cannot be written" in messages


def test_no_statement_remains_without_its_release(table, call, monkeypatch):
    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr("ggexp.command.release.to_csv", fail)
    assert call(table, *PURE)[0] == 1
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--order 1 --calibration pure", "Missing option '--epsilon'"),
        ("--order 2 --calibration pdp --epsilon 1", "delta must be"),
        ("--order 1 --calibration pure --epsilon 1 --seed -1", "-1"),
        ("--order 1 --calibration pure --epsilon 1 --output a.txt", "must end in .csv"),
        ("--epsilon 1 --order 2", "--order needs --calibration"),
        ("--epsilon 1 --order 2 --calibration pure-integer", "order 2.0"),
        ("--epsilon 0", "epsilon must be"),
        ("--epsilon 1 --delta 1", "delta must be"),
    ],
)
def test_a_bad_command_line(table, call, arguments, message):
    code, printed, messages = call(table, *arguments.split())
    assert (code, printed) == (2, "")
    assert_one_error(messages, message)


def test_noise_with_too_many_values_is_refused(table, call, monkeypatch):
    monkeypatch.setattr(exact, "MAX_VALUES", 1000)
    code, printed, messages = call(table, "--epsilon", 0.01)
    assert (code, printed) == (2, "")
    assert "needs a larger epsilon" in messages
    assert [path.name for path in table.parent.iterdir()] == ["counts.csv"]
