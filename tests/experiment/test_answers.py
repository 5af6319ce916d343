"""The text of a run's recommendation: the mechanism, the ε, the errors and the guarantee."""

import re

import pandas as pd

from ggexp.experiment.answers import ERRORS, NEEDED, answers, in_short
from ggexp.experiment.recommendation import Subject

NONE_UNLEARNED = pd.DataFrame(columns=["dataset", "mechanism", "epsilon"])
OWN = Subject(is_own=True, is_rescaled=True, cells=20)


def recommended(*rows, guarantee="ε-DP", delta=None, n=1000):
    """Rows of recommendation.csv: ε, mechanism, mean l1, and all mechanisms that are as good."""
    columns = {"dataset": "own", "guarantee": guarantee, "delta": delta, "metric": "l1", "se": 1.0}
    table = pd.DataFrame(rows, columns=["epsilon", "mechanism", "mean", "alike"]).assign(**columns)
    table["relative"] = table["mean"] / n
    table["runner_up"] = "other"
    table["clear"] = ~table["alike"].str.contains(",")
    return table.astype({"delta": float})


def needed(*rows, guarantee="ε-DP", delta=None, without_data=None):
    """Rows of needed_epsilon.csv: relative error, ε and mechanism; an ε of None is not reached."""
    table = pd.DataFrame(rows, columns=["within", "epsilon", "mechanism"])
    how = ["not reached" if pd.isna(epsilon) else "interpolated" for epsilon in table["epsilon"]]
    columns = {"dataset": "own", "guarantee": guarantee, "delta": delta, "advantage": 0.1}
    table = table.assign(how=how, epsilon_without_data=without_data, **columns)
    return table.astype({"delta": float, "epsilon_without_data": float})


PURE = recommended(
    (1, "geometric", 90.0, "geometric, laplace"), (2, "geometric", 45.0, "geometric")
)
APPROXIMATE = {"guarantee": "(ε, δ)-aDP", "delta": 0.01}
REACHED = needed((0.05, 1.83, "geometric"), (0.1, 0.84, "geometric"), (0.2, None, None))


def answer_for(best=PURE, errors=REACHED, subject=OWN, unlearned=NONE_UNLEARNED):
    (answer,) = answers(best, errors, {"own": subject}, unlearned)
    return answer


def test_the_answer_names_a_mechanism_an_error_and_its_epsilon():
    answer = answer_for()
    assert re.search("geometric.* 10 % .*ε ≈ 0.84[.]", answer["answer"])
    assert answer["tables"][NEEDED]["l₁ error, % of n"].tolist() == ["5", "10"]
    assert ["20 %" in sentence for sentence in answer["sentences"]] == [False, True]
    reached = needed((0.05, None, None), (0.1, None, None), (0.2, 1.26, "optimal"))
    assert re.search("optimal.* 20 % .*ε ≈ 1.3[.]", answer_for(errors=reached)["answer"])
    at_most = REACHED.assign(how="the smallest ε of the run")
    assert re.search("already at ε.=.0.84, the smallest", answer_for(errors=at_most)["answer"])


def test_the_answer_says_if_no_epsilon_is_enough():
    unreached = needed((0.1, None, None), (0.2, None, None))
    large_errors = recommended(
        (1, "geometric", 900.0, "geometric"), (2, "laplace", 450.0, "laplace")
    )
    answer = answer_for(large_errors, unreached)
    assert re.search("Laplace.* 20 % .*ε = 2 .*45 %", answer["answer"])
    assert NEEDED not in answer["tables"]
    assert "10 % or 20 %" in answer["sentences"][-1]
    weaker = recommended((2, "optimal", 440.0, "optimal"), **APPROXIMATE)
    assert "Laplace" in answer_for(pd.concat([large_errors, weaker]), unreached)["answer"]
    empty = answer_for(large_errors.assign(relative=None), unreached[:0])
    assert "Laplace" in empty["answer"]


def test_a_weaker_guarantee_is_named_if_its_epsilon_is_smaller():
    for mechanism, named in (("optimal", True), ("geometric", False)):
        weaker = needed((0.1, 0.7, mechanism), **APPROXIMATE)
        text = answer_for(errors=pd.concat([REACHED, weaker]))["answer"]
        assert ("optimal" in text) is named
        assert ("δ = 0.01" in text) is named
        assert text.startswith("Use the geometric")
    reached = needed(
        (0.05, 2, "optimal"), (0.1, 0.7, "optimal"), (0.2, 0.3, "optimal"), **APPROXIMATE
    )
    sentence = answer_for(errors=pd.concat([REACHED, reached]))["sentences"][-1]
    assert sentence.endswith("20 % of n under ε-DP.")


def test_errors_are_shown_in_records_per_cell_and_for_margins():
    margins = pd.DataFrame(
        {
            "mechanism": ["geometric", "geometric", "optimal", "optimal"],
            "epsilon": [1.0, 2.0, 1.0, 1.0],
            "delta": [None, None, 0.01, 0.02],
            "margin": [0.03, 0.0, 0.02, 0.5],
            "total_error": [0.01, 0.0, 0.04, 0.5],
        }
    )
    best = pd.concat([PURE, recommended((1, "optimal", 80.0, "optimal"), **APPROXIMATE)])
    errors = answer_for(best, subject=OWN._replace(margins=margins))["tables"][ERRORS]
    assert errors["records per cell"].tolist() == ["4.5", "2.25", "4"]
    assert errors["one-way margins, % of n"].tolist() == ["3", "0", "2"]
    assert "total, % of n" not in errors
    alone = answer_for(best, subject=OWN._replace(margins=margins, is_rescaled=False))["tables"][
        ERRORS
    ]
    assert alone["total, % of n"].tolist() == ["1", "0", "4"]
    assert errors["not significantly worse"].tolist() == ["Laplace", "none", "none"]
    unlisted = answer_for(best, subject=OWN._replace(lists_cells=False))["tables"][ERRORS]
    assert not {"records per cell", "one-way margins, % of n"} & {*unlisted}


def test_errors_have_four_digits_and_no_decimals_from_a_thousand_on():
    best = recommended((1, "geometric", 12.3456, "geometric"), (2, "laplace", 12345.6, "laplace"))
    table = answer_for(best)["tables"][ERRORS]
    assert [text.split(" ±")[0] for text in table["l₁ error, records"]] == ["12.35", "12,346"]


def test_releases_without_a_guarantee_are_not_called_private():
    guarantee = "none, noise for ε-DP"
    best, errors = PURE.assign(guarantee=guarantee), REACHED.assign(guarantee=guarantee)
    for is_own in (True, False):
        answer = answer_for(best, errors, OWN._replace(is_private=False, is_own=is_own))
        texts = [answer["note"], answer["answer"], *answer["sentences"], in_short([answer])]
        assert "not differentially private" in answer["note"].lower()
        assert "scale parameter" in answer["answer"]
        assert not any(re.search("(?<!noise for )ε-DP|satisf|advantage", text) for text in texts)
        assert "advantage" not in answer["tables"][NEEDED]
        assert "scale parameter ε" in answer["tables"][NEEDED]
        assert answer["tables"][NEEDED]["noise"].tolist() == ["noise for ε-DP"] * 2
        assert not {"guarantee", "ε"} & {*answer["tables"][NEEDED], *answer["tables"][ERRORS]}


def test_the_card_has_the_strongest_guarantee_and_a_command_to_copy():
    """ε is rounded up, and so is the chance of a right guess. The command is one line."""
    known = {"epsilon_without_data": [1.2, 0.662, 0.3], "cell_error": 4.0, "guess": 0.661}
    weaker = needed((0.1, 0.5, "optimal"), **APPROXIMATE).assign(
        epsilon_without_data=0.5, cell_error=9.0, guess=0.6
    )
    subject = OWN._replace(records=592, file="my table.csv", configuration="mine.yaml")
    errors = pd.concat([weaker, REACHED.assign(**known)])
    card = answer_for(errors=errors, subject=subject)["card"]
    assert "0.67." in card["epsilon"]
    assert [
        re.search(pattern, " ".join(card["meaning"]))[0]
        for pattern in ("±[0-9]+", "592", "6. of 100")
    ] == ["±4", "592", "67 of 100"]
    command = "ggexp sanitize 'my table.csv' --config mine.yaml --epsilon 0.67"
    assert card["command"] == command
    assert f"  {command}" in in_short([answer_for(errors=errors, subject=subject)]).splitlines()
    only_weaker = answer_for(errors=weaker, subject=subject)["card"]
    assert only_weaker["command"].endswith("--epsilon 0.5 --delta 0.01")
    replaced = answer_for(errors=errors, subject=subject._replace(is_replaced=True))["card"]
    assert "0.68." in replaced["epsilon"]  # twice the ε of a count, which is rounded up
    assert replaced["command"].endswith("--epsilon 0.34")
    likely = errors.assign(guess=0.96)
    assert len(answer_for(errors=likely, subject=subject)["card"]["meaning"]) == 4
    assert answer_for(errors=errors, subject=subject._replace(is_own=False))["card"] is None


def test_classifiers_that_learned_nothing_are_named():
    nothing = pd.DataFrame(
        {
            "dataset": [*["own"] * 5, "other"],
            "mechanism": ["a", "a", "b", "c", "c", "d"],
            "epsilon": [1, 2, 2, 2, 1, 9],
        }
    )
    sentence = answer_for(unlearned=nothing)["sentences"][1]
    assert "a, c at every ε; b at ε = 2." in sentence
    assert "9" not in sentence


def test_several_data_sets_keep_their_order():
    both = pd.concat([PURE, PURE.assign(dataset="first")])
    errors = pd.concat([REACHED, REACHED.assign(dataset="first")])
    found = answers(both, errors, {"first": OWN, "own": OWN, "none": OWN}, NONE_UNLEARNED)
    assert [answer["dataset"] for answer in found] == ["first", "own"]
    lines = in_short(found).splitlines()
    starts = [line.partition(":")[0] for line in lines]
    assert starts == ["first", "first", "own", "own", "first, own"]
    assert "Use the geometric" in lines[3]
