"""ggexp need and error: they print the library's numbers, for percentages and records."""

import json

import pytest

import ggexp


@pytest.fixture
def call(call):
    """Call the command and return exit code, standard output and standard error."""
    return lambda arguments: call(*arguments.split())


NEED = "need --cells 64 --confidence 95% "


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ("--max-error 1% --n 1000", {"max_error": 10}),
        ("--l1 29% --n 100", {"l1": 29}),  # 0.29 * 100 is below 29
        ("--l1 92.05 --rescale", {"l1": 92.05, "rescale": True}),
        (
            "--l1 90 --delta 0.01 --calibration adp-exact-integer --order 2",
            {"l1": 90, "delta": 0.01, "calibration": "adp-exact-integer", "order": 2},
        ),
    ],
)
def test_options_reach_the_library(call, options, arguments):
    (row,) = json.loads(call(f"need --cells 64 --confidence 0.95 {options} --json")[1])
    needed = ggexp.epsilon_for_error(cells=64, confidence=0.95, **arguments)
    assert (row["epsilon"], row["expected"]) == (needed.epsilon, needed.expected)


def test_any_epsilon_is_zero_in_json_and_words_in_the_table(call):
    arguments = NEED + "--max-error 10 --delta 0.25"
    assert json.loads(call(arguments + " --json")[1])[1]["epsilon"] == 0
    assert call(arguments)[1].splitlines()[2].split("  ")[1] == "any > 0"


def test_error_and_need_agree(call):
    """`need` returns the smallest ε at which the 95 % point printed by `error` is 80."""
    (needed,) = json.loads(call(NEED + "--l1 80 --json")[1])
    points = [
        json.loads(call(f"error --cells 64 --epsilon {epsilon} --json")[1])[0]["95%"]
        for epsilon in (needed["epsilon"], needed["epsilon"] * 0.999)
    ]
    assert points == [80, 81]
