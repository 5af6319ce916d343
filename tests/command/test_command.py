"""The command ggexp: it prints the library's numbers, and errors in one line with an exit code."""

import json
import os
import re
import subprocess
import sys
from functools import partial
from math import exp
from pathlib import Path

import pytest
from conftest import ROOT, done, ran, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ggexp
from ggexp import GeneralizedGaussian, Mechanism, best_order, calibration
from ggexp.command.main import ggexp as group
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian


def printed(call, arguments):
    return json.loads(done(call(*arguments.split(), "--json")))


def test_noise_of_a_rule(call):
    best = "--order best --calibration adp-exact --epsilon 0.5 --delta 0.1 --sensitivity 2"
    found = printed(call, f"noise {best}")
    noise = Mechanism("best", "adp-exact").noise(epsilon=0.5, delta=0.1, sensitivity=2)
    assert noise.order == round(best_order(epsilon=0.5, delta=0.1).order, 3)
    assert found == {
        "order": noise.order,
        "scale": noise.scale,
        "sd": noise.sd,
        "error_of_19_in_20": pytest.approx(noise.scipy.isf(0.025)),
        "error_of_99_in_100": pytest.approx(noise.scipy.isf(0.005)),
        "exact_delta": pytest.approx(0.1, rel=1e-9),
        "exact_epsilon": pytest.approx(0.5, rel=1e-9),
        "advantage": noise.delta(epsilon=0, sensitivity=2) / 2,
    }
    found = printed(call, "noise --calibration pure-integer --epsilon 0.5")
    q = exp(-0.5)  # Pr(|K| > t) = 2 q^(t+1) / (1 + q)
    errors = [next(t for t in range(99) if 2 * q ** (t + 1) / (1 + q) <= p) for p in (1 / 20, 0.01)]
    assert [found["error_of_19_in_20"], found["error_of_99_in_100"]] == errors
    assert found["advantage"] == pytest.approx((1 - q) / (1 + q) / 2)
    assert (found["scale"], found["exact_delta"], found["support"]) == (2, 0, "whole numbers")
    found = printed(call, "noise --calibration adp-optimal --epsilon 0.5 --delta 0.01")
    assert found["support"] == "whole numbers from -7 to 7"


@pytest.mark.parametrize(
    ("options", "noise"),
    [
        ("--order 2 --scale 7.55", GeneralizedGaussian(2, 7.55)),
        ("--order 2 --scale 3 --integer", DiscreteGeneralizedGaussian(2, 3)),
    ],
)
def test_the_guarantee_of_noise_of_a_scale(call, options, noise):
    found = printed(call, f"noise {options} --epsilon 0.4 --delta 0.05 --sensitivity 2")
    assert found["exact_delta"] == noise.delta(epsilon=0.4, sensitivity=2)
    assert found["exact_epsilon"] == noise.epsilon(delta=0.05, sensitivity=2)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ("noise --order 3 --calibration pdp --epsilon 1 --delta 0.05", "scale"),
        ("noise --order 3 --scale 4.66 --delta 0.05", "exact epsilon"),
        ("noise --order 3 --scale 4.66 --epsilon 1", "exact delta"),
    ],
)
def test_bounds_are_rounded_up(arguments, name, call):
    exact = printed(call, arguments)[name.replace(" ", "_")]
    lines = [line.rsplit(maxsplit=1) for line in call(*arguments.split())[1].splitlines()]
    assert 0 < float(dict(lines)[name]) / exact - 1 < 1e-5


NEED = "need --cells 64 --confidence 95% "


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ("--max-error 1% --n 1000", {"max_error": 10}),
        ("--count-error 1% --n 500", {"count_error": 5}),
        ("--l1 29% --n 100", {"l1": 29}),  # 0.29 * 100 is below 29
        ("--l1 92.05 --rescale", {"l1": 92.05, "rescale": True}),
        (
            "--l1 90 --delta 0.01 --calibration adp-exact-integer --order 2",
            {"l1": 90, "delta": 0.01, "calibration": "adp-exact-integer", "order": 2},
        ),
    ],
)
def test_options_of_need_reach_the_library(call, options, arguments):
    (row,) = printed(call, NEED + options)
    needed = ggexp.epsilon_for_error(cells=64, confidence=0.95, **arguments)
    assert (row["epsilon"], row["expected"]) == (needed.epsilon, needed.expected)


@pytest.mark.parametrize(("options", "tables"), [("", 1), ("--tables 16,8,8", 3)])
def test_need_without_a_goal_prints_errors_of_one_count(call, options, tables):
    """They are the 95 % points of geometric noise, of which tables get equal shares of ε."""
    rows = printed(call, f"need {options}")
    assert {0.1, 0.5, 1, 2} < {row["epsilon"] for row in rows}
    assert {1, 5, 10} < {row["count_error"] for row in rows}
    for row in rows:
        of_a_table = row["epsilon"] / tables
        exceeds = [
            2 * exp(-of_a_table * (error + 1)) / (1 + exp(-of_a_table))
            for error in (row["count_error"] - 1, row["count_error"])
        ]
        assert exceeds[1] <= 0.05 < exceeds[0]


def test_the_epsilon_of_need(call):
    """`need` returns the smallest ε at which the 95 % point printed by `error` is 80."""
    (needed,) = printed(call, NEED + "--l1 80")
    points = [
        printed(call, f"error --cells 64 --epsilon {epsilon}")[0]["95%"]
        for epsilon in (needed["epsilon"], needed["epsilon"] * 0.999)
    ]
    assert points == [80, 81]
    arguments = NEED + "--max-error 10 --delta 0.25"
    assert printed(call, arguments)[1]["epsilon"] == 0
    assert call(*arguments.split())[1].splitlines()[2].split("  ")[1] == "any > 0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare", "Missing option '--epsilon'.* --epsilon 1,.*ggexp need .*ggexp compare --"),
        ("compare --epsilon 0 --delta 0.1", r"epsilon .*> 0, got 0\.0"),
        ("compare --epsilon 1 --delta 0.1 --bogus", "No such option"),
        ("noise --order 100 --scale 0.0005 --delta 0.1", "scale must be large enough"),
        ("noise --scale 2 --epsilon 1", "--order"),
        ("noise --order 2 --scale 2", "--epsilon or --delta"),
        ("noise --calibration pure", "--epsilon"),
        ("noise --calibration zcdp --epsilon 1 --delta 0.1", "known are: pure, pdp"),
        ("scale --calibration pure --epsilon 1", "No such command 'scale'.* ggexp noise"),
        ("nede", "No such command 'nede'.*'need'"),
        (NEED + "--l1 1 --max-error 2", "only one of --count-error"),
        (NEED + "--l1 5%", "--l1 5% needs --n"),
        (NEED + "--max-error x", "'--max-error': 'x' must be"),
        (NEED + "--l1 3 --calibration pure --order 1", "calibration must be one of pure-integer"),
        ("need --tables 9,x --l1 3 --confidence 0.9", "whole numbers >= 1"),
        ("need --cells 9 --tables 9 --l1 3 --confidence 0.9", "either --cells or --tables"),
        ("need --l1 3", "--cells or --tables"),
        ("need --count-error 3%", "--count-error 3% needs --n"),
        ("need --cells 0 --l1 3 --confidence 0.9", "cells must be a whole number >= 1, got 0"),
        ("need --cells 9 --l1 3 --confidence 95", "confidence must be below 1, got 95"),
        ("error --cells 9 --epsilon 1e-6", "geometric noise must have at most 1,000,000 values"),
        ("compose --release epsilon=0.1", "--delta or --epsilon"),
        ("compose --release epsilon=0.1,cout=30 --delta 1e-6", "'cout=30' in"),
        ("compose --release order=3,scale=x --delta 1e-6", "scale must be a number, got 'x'"),
        ("compose --release order=2,scale=2,epsilon=1 --delta 1e-6", "epsilon"),
        ("compose --release order=2,epsilon=1 --delta 1e-6", "calibration"),
        ("compose --release epsilon=1,count=1.5 --delta 0.1", "count must be a whole number >= 1"),
        ("compose --release epsilon=1,count=0 --delta 0.1", "count must be .* >= 1, got '0'"),
    ],
)
def test_a_bad_command_line_is_one_line_and_code_2(call, arguments, message):
    refused(call(*arguments.split()), 2, message)


NUMBERS = st.one_of(
    st.floats().map(repr), st.integers(-3, 3).map(str), st.sampled_from(["1e-320", "1e308", "x"])
)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_numbers_give_a_result_or_an_error(call, data):
    command = data.draw(st.sampled_from(["noise", "error"]))
    arguments = [command, "--json"]
    for parameter in group.commands[command].params:
        if parameter.name == "calibration":
            arguments += ["--calibration", data.draw(st.sampled_from([*calibration.RULES]))]
        elif parameter.name not in ("as_json", "help") and data.draw(st.booleans()):
            arguments += [f"--{parameter.name}", data.draw(NUMBERS)]
    code, printed, messages = call(*arguments)
    if code == 0:
        assert json.loads(printed)
    else:
        assert code == 2
        assert not printed
        assert messages.splitlines()[-1].startswith("ggexp: error: ")
    assert all(line.startswith("ggexp: ") for line in messages.splitlines())


# test_run_command.py and tests/test_built_package.py run the commands that start snakemake
@pytest.mark.parametrize("name", sorted({*group.commands} - {"run", "reproduce", "snakemake"}))
def test_help_has_an_example_that_runs(call, name, tmp_path, monkeypatch):
    code, printed, messages = call(name, "--help")
    assert (code, messages) == (0, "")
    (example,) = [line for line in printed.splitlines() if line.startswith("    ggexp ")]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts.csv").write_text("eyes,count\nbrown,68\nblue,20\n")
    assert done(call(*example.split()[1:]))


def test_without_arguments_it_prints_help(call):
    printed = done(call())
    assert all(name in printed for name in group.commands)
    assert call("--version") == (0, f"ggexp {ggexp.__version__}\n", "")


def test_help_does_not_import_the_library():
    code = (
        "import sys\nfrom ggexp.command.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: assert not {'numpy', 'scipy', 'pandas'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.mark.slow
def test_a_closed_pipe_and_a_full_disk():
    command = [sys.executable, "-m", "ggexp", "compare", "--epsilon", "1", "--delta", "0.1"]
    # some containers set this variable, which hides errors at the end of a process
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    start = partial(subprocess.run, command, stderr=subprocess.PIPE, text=True, env=env)
    read, write = os.pipe()
    os.close(read)
    process = start(stdout=write, check=False)
    os.close(write)
    assert (process.returncode, process.stderr) == (1, "")
    if not Path("/dev/full").exists():
        pytest.skip("this system has no file that is always full")
    with open("/dev/full", "w") as full:
        process = start(stdout=full, check=False)
    assert process.returncode == 1
    assert "No space left" in process.stderr
    assert process.stderr.count("\n") == 1


def test_a_terminal_without_greek_letters():
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    process = ran(sys.executable, "-m", "ggexp", "compare", "--help", env=environment)
    assert "\\u03b5" in process.stdout


def test_the_page_names_every_subcommand():
    """tests/docs/test_blocks.py runs the blocks and compares their output with the pages."""
    named = re.findall(r"ggexp (\w+)", (ROOT / "docs/command.md").read_text())
    assert {*named} >= {*group.commands}


@pytest.mark.parametrize("name", ["x <results> y.csv", "x {y}.csv", "x\x07.csv"])
@pytest.mark.parametrize("command", ["describe", "run"])
def test_a_name_that_snakemake_would_replace_is_refused(command, name, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("a,n\nx,3\ny,4\n")
    refused(call(command, name), 1, re.escape(repr(name)))
    assert [path.name for path in tmp_path.iterdir()] == [name]
