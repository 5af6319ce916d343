"""The text of a run's recommendation: the mechanism, the ε, the errors and the guarantee."""

import itertools
import re
import shlex

import numpy as np
import pandas as pd
import pytest

from ggexp import Mechanism
from ggexp.experiment.answers import ERRORS, NEEDED, OTHERS, answers, in_short
from ggexp.experiment.recommendation import Subject
from ggexp.guarantees.table_error import table_error
from ggexp.mechanisms.guarantee import delta_of

NONE_UNLEARNED = pd.DataFrame(columns=["dataset", "mechanism", "epsilon"])
OWN = Subject(is_own=True, is_rescaled=True, cells=20)


def recommended(*rows, guarantee="ε-DP", delta=None, n=1000, equal=60.0):
    """Rows of recommendation.csv: ε, mechanism, mean l1, and all mechanisms that are as good."""
    columns = {"dataset": "own", "guarantee": guarantee, "delta": delta, "metric": "l1", "se": 1.0}
    table = pd.DataFrame(rows, columns=["epsilon", "mechanism", "mean", "alike"]).assign(**columns)
    table["relative"] = table["mean"] / n
    table["runner_up"], table["equal"] = "other", equal
    table["clear"] = ~table["alike"].str.contains(",")
    return table.astype({"delta": float})


def needed(*rows, guarantee="ε-DP", delta=None):
    """Rows of needed_epsilon.csv: relative error, ε and mechanism; an ε of None is not reached."""
    table = pd.DataFrame(rows, columns=["within", "epsilon", "mechanism"])
    how = ["not reached" if pd.isna(epsilon) else "interpolated" for epsilon in table["epsilon"]]
    columns = {"dataset": "own", "guarantee": guarantee, "delta": delta}
    return table.assign(how=how, **columns).astype({"delta": float})


BOTH = "geometric, laplace"
PURE = recommended((1, "geometric", 90.0, BOTH), (2, "geometric", 45.0, "geometric"))
APPROXIMATE = {"guarantee": "(ε, δ)-aDP", "delta": 0.01}
REACHED = needed((0.05, 1.83, "geometric"), (0.1, 0.84, "geometric"), (0.2, None, None))


def answer_for(best=PURE, errors=REACHED, subject=OWN, unlearned=NONE_UNLEARNED):
    (answer,) = answers(best, errors, {"own": subject}, unlearned)
    return answer


def test_the_answer_names_a_mechanism_an_error_and_its_epsilon():
    answer = answer_for()
    assert re.search("geometric.* 10 % .*ε ≈ 0.84[.]", answer.answer)
    assert answer.tables[NEEDED]["l₁ error, % of n"].tolist() == ["5", "10", "20"]
    assert answer.tables[NEEDED]["ε"].tolist() == ["1.9", "0.84", "> 2"]
    reached = needed((0.05, None, None), (0.1, None, None), (0.2, 1.26, "optimal"))
    assert re.search("optimal.* 20 % .*ε ≈ 1.3[.]", answer_for(errors=reached).answer)
    at_most = REACHED.assign(how="the smallest ε of the run")
    assert re.search("already at ε.=.0.84, the smallest", answer_for(errors=at_most).answer)


@pytest.mark.parametrize(("equal", "worse"), [(30.0, ["1, 2"]), (45.0, ["1"]), (1234.5, [])])
def test_the_answer_compares_with_equal_counts(equal, worse):
    """It names each ε at which even the smallest error of a recommended mechanism is larger."""
    others = PURE.assign(metric="kl", equal=0.71361568)
    answer = answer_for(pd.concat([PURE.assign(equal=equal), others]))
    assert re.findall(r"by ([\d,.]+) records", answer.answer) == [f"{equal:,.0f}"]
    assert re.findall(r"At ε = ([\d, ]+), the", answer.answer) == worse
    assert set(answer.tables[OTHERS]["equal counts"]) == {"0.7136"}


def test_the_answer_says_if_no_epsilon_is_enough():
    unreached = needed((0.1, None, None), (0.2, None, None))
    rows = (1, "geometric", 900.0, "geometric"), (2, "laplace", 450.0, "laplace")
    large_errors = recommended(*rows)
    answer = answer_for(large_errors, unreached)
    assert re.search("Laplace.* 20 % .*ε = 2 .*45 %", answer.answer)
    assert answer.tables[NEEDED]["ε"].tolist() == ["> 2", "> 2"]
    weaker = recommended((2, "optimal", 440.0, "optimal"), **APPROXIMATE)
    assert "Laplace" in answer_for(pd.concat([large_errors, weaker]), unreached).answer
    empty = answer_for(large_errors.assign(relative=None), unreached[:0])
    assert "Laplace" in empty.answer


def test_a_weaker_guarantee_is_named_if_its_epsilon_is_smaller():
    for mechanism, named in (("optimal", True), ("geometric", False)):
        weaker = needed((0.1, 0.7, mechanism), **APPROXIMATE)
        text = answer_for(errors=pd.concat([REACHED, weaker])).answer
        assert ("optimal" in text) is named
        assert ("δ = 0.01" in text) is named
        assert text.startswith("Use the geometric")
    rows = [(within, epsilon, "optimal") for within, epsilon in ((0.05, 2), (0.1, 0.7), (0.2, 0.3))]
    reached = needed(*rows, **APPROXIMATE)
    table = answer_for(errors=pd.concat([REACHED, reached])).tables[NEEDED]
    of_20 = table[table["l₁ error, % of n"] == "20"]
    assert [*zip(of_20["guarantee"], of_20["ε"], strict=True)] == [
        ("ε-DP", "> 2"),
        ("(ε, δ)-aDP, δ = 0.01", "0.3"),
    ]


def test_errors_are_shown_in_records_per_cell_and_for_margins():
    margins = pd.DataFrame(
        [
            ("geometric", 1.0, None, 0.03, 0.01),
            ("geometric", 2.0, None, 0.0, 0.0),
            ("optimal", 1.0, 0.01, 0.02, 0.04),
            ("optimal", 1.0, 0.02, 0.5, 0.5),
        ],
        columns=["mechanism", "epsilon", "delta", "margin", "total_error"],
    )
    best = pd.concat([PURE, recommended((1, "optimal", 80.0, "optimal"), **APPROXIMATE)])

    def shown(**changes):
        return answer_for(best, subject=OWN._replace(**changes)).tables[ERRORS]

    errors = shown(margins=margins)
    assert errors["records per cell"].tolist() == ["4.5", "2.25", "4"]
    assert errors["one-way margins, % of n"].tolist() == ["3", "0", "2"]
    assert "total, % of n" not in errors
    alone = shown(margins=margins, is_rescaled=False)
    assert alone["total, % of n"].tolist() == ["1", "0", "4"]
    assert errors["not significantly worse"].tolist() == ["Laplace", "none", "none"]
    assert not {"records per cell", "one-way margins, % of n"} & {*shown(lists_cells=False)}
    best = recommended((1, "geometric", 12.3456, "geometric"), (2, "laplace", 12345.6, "laplace"))
    table = answer_for(best).tables[ERRORS]
    assert [text.split(" ±")[0] for text in table["l₁ error, records"]] == ["12.35", "12,346"]


def test_releases_without_a_guarantee_are_not_called_private():
    guarantee, claimed = "none, noise for ε-DP", "(?<!noise for )ε-DP|satisf|advantage"
    alone = answer_for(PURE.assign(runner_up=None)).sentences
    assert re.search(claimed, " ".join(alone))
    best, errors = PURE.assign(guarantee=guarantee), REACHED.assign(guarantee=guarantee)
    for is_own in (True, False):
        answer = answer_for(best, errors, OWN._replace(is_private=False, is_own=is_own))
        texts = [answer.note, answer.answer, *answer.sentences, in_short([answer])]
        assert "not differentially private" in answer.note.lower()
        assert "scale parameter" in answer.answer
        assert not any(re.search(claimed, text) for text in texts)
        assert "advantage" not in answer.tables[NEEDED]
        assert "scale parameter ε" in answer.tables[NEEDED]
        assert answer.tables[NEEDED]["noise"].tolist() == ["noise for ε-DP"] * 3
        assert not {"guarantee", "ε"} & {*answer.tables[NEEDED], *answer.tables[ERRORS]}


#: A table with a private n, of 32 cells, and the same table with a public n.
SUBJECT = Subject(*(592, 888, 32), is_own=True, file="my table.csv", configuration="mine.yaml")
SUBJECT = SUBJECT._replace(goal={"max_error": 10})
PUBLIC = SUBJECT._replace(is_rescaled=True, is_replaced=True)
LARGE = PUBLIC._replace(published=50_000, goal={"l1": 5000})
WEAKER = needed((0.1, 0.5, "optimal"), **APPROXIMATE | {"delta": 1e-5})


@pytest.mark.parametrize(
    ("cells", "subject", "errors"),
    [
        *((cells, SUBJECT, REACHED) for cells in (1, 32, 5000)),
        (32, SUBJECT, WEAKER),
        (5000, SUBJECT._replace(goal={"count_error": 5}), REACHED),
        (32, SUBJECT._replace(is_replaced=True), REACHED),
        *((cells, LARGE, pd.concat([WEAKER, REACHED])) for cells in (32, 5000)),
    ],
)
def test_all_of_a_card_is_true_of_the_epsilon_that_it_prints(cells, subject, errors):
    """The numbers of the sentences, against the noise of the command. ε is the least of two digits.

    Numbers are rounded up by less than a unit of their last digit.
    """
    subject = subject._replace(cells=cells)
    card = answer_for(errors=errors, subject=subject).card
    text = " ".join(card.meaning)
    words = shlex.split(card.command)
    options = dict(itertools.pairwise(words))
    epsilon, delta = float(options["--epsilon"]), options.get("--delta")
    assert words[2] == "my table.csv"
    assert options["--config"] == "mine.yaml"
    assert delta == (None if errors is not WEAKER else "1e-05")
    delta = delta and float(delta)
    changed = 2 if subject.is_replaced else 1
    (printed,) = re.findall(r"ε\s=\s([\d.]+\d)", card.epsilon)
    assert float(printed) == changed * epsilon
    rule = Mechanism(None, "adp-optimal" if delta else "pure-integer")

    def errors_at(epsilon):
        noise = rule.noise(epsilon=epsilon, delta=delta)
        return noise, table_error(noise, cells, rescale=subject.is_rescaled)

    noise, exact = errors_at(epsilon)
    cell, largest = (int(n.replace(",", "")) for n in re.findall(r"±([\d,]+)", text))
    (l1,) = (int(n.replace(",", "")) for n in re.findall(r"at most ([\d,]+) records", text))
    (guess,) = map(int, re.findall(r"at most (\d+) of 100", text))
    if not subject.is_rescaled:
        assert 2 * noise.upper_tail(cell) <= 0.05 < 2 * noise.upper_tail(cell - 1)
    assert exact.max_error.tail(largest) <= 0.05 < exact.max_error.tail(largest - 1)
    assert exact.l1.tail(l1) <= 0.05 < exact.l1.tail(l1 - (2 if subject.is_rescaled else 1))
    # the total variation distance of neighbours, whose changed cells have independent noise
    right = (1 + delta_of(noise, epsilon=0, cells=changed)) / 2
    assert right <= guess / 100
    assert changed > 1 or guess / 100 < right + 0.01
    ((name, allowed),) = subject.goal.items()
    smaller = errors_at(epsilon - 10.0 ** (np.floor(np.log10(epsilon)) - 1))[1]
    assert getattr(exact, name).tail(allowed) <= 0.05 < getattr(smaller, name).tail(allowed)
    assert ("50,000" in text) is subject.is_rescaled
    shares = [float(share) for share in re.findall(r"([\d.]+)\s%", text)]
    assert shares == ([pytest.approx(l1 / 500, rel=0.1)] if subject.is_rescaled else [])
    assert all(share >= l1 / 500 for share in shares)


def test_a_card_does_not_depend_on_a_private_number_of_records():
    def card(subject, **changes):
        return answer_for(subject=subject._replace(**changes)).card

    sizes = [{"records": n, "published": n} for n in (149, 150, 15_000)]
    assert card(SUBJECT, **sizes[0]) == card(SUBJECT, **sizes[1]) == card(SUBJECT, **sizes[2])
    assert card(PUBLIC, **sizes[0]) != card(PUBLIC, **sizes[1]) != card(PUBLIC, **sizes[2])
    # the published table has more records than the one on which errors were measured
    assert card(PUBLIC, records=100, published=150) == card(PUBLIC, **sizes[1])


def test_the_card_has_the_strongest_guarantee_and_a_command_to_copy():
    both = pd.concat([WEAKER, REACHED])
    answer = answer_for(errors=both, subject=SUBJECT)
    assert f"  {answer.card.command}" in in_short([answer]).splitlines()
    assert "--delta" not in answer.card.command
    assert answer_for(errors=both, subject=SUBJECT._replace(is_own=False)).card is None
    few, many = (
        answer_for(subject=SUBJECT._replace(cells=20, goal={"l1": bound})).card
        for bound in (1, 600)
    )
    assert len(few.meaning) == len(many.meaning) + 1  # it hardly protects anybody
    unknown = answer_for(subject=SUBJECT._replace(lists_cells=False)).card
    assert unknown.command is None
    assert len(unknown.meaning) == 1
    large = needed((0.1, 0.5, "optimal"), guarantee="(ε, δ)-aDP", delta=0.2)
    every = answer_for(errors=large, subject=SUBJECT).card  # the noise is within ±10 at any ε
    assert every.command.endswith("--epsilon 0.01 --delta 0.2")


def test_no_epsilon_is_rounded_below_what_is_needed():
    rows = needed((0.05, 0.31376, "geometric"), (0.1, 0.03131, "geometric"))
    answer = answer_for(errors=rows, subject=PUBLIC)
    table = answer.tables[NEEDED]
    assert table["ε"].tolist() == ["0.32", "0.032"]
    advantages = table["advantage"].astype(float)  # of the ε that is shown
    exact = np.tanh(table["ε"].astype(float) / 4)
    assert ((exact <= advantages) & (advantages < 1.1 * exact)).all()
    assert re.search(r"ε ≈ 0\.032[.]", answer.answer.replace("\u00a0", " "))
    given = answer_for(errors=rows.assign(how="the smallest ε of the run"), subject=PUBLIC)
    assert "0.03131" in given.answer
    small = APPROXIMATE | {"delta": 1.2345678e-5}
    deltas = recommended((1, "optimal", 80.0, "optimal"), **small)
    (label,) = {*answer_for(deltas, rows).tables[ERRORS]["guarantee"]}
    assert "1.2345678e-05" in label


def test_classifiers_that_learned_nothing_are_named():
    rows = [("own", *each) for each in (("a", 1), ("a", 2), ("b", 2), ("c", 2), ("c", 1))]
    nothing = pd.DataFrame([*rows, ("other", "d", 9)], columns=[*NONE_UNLEARNED])
    sentence = answer_for(unlearned=nothing).sentences[0]
    assert "a, c at every ε; b at ε = 2." in sentence
    assert "9" not in sentence


def test_several_data_sets_keep_their_order():
    both = pd.concat([PURE, PURE.assign(dataset="first")])
    errors = pd.concat([REACHED, REACHED.assign(dataset="first")])
    subject = OWN._replace(lists_cells=False)
    subjects = dict.fromkeys(["first", "own", "none"], subject)
    found = answers(both, errors, subjects, NONE_UNLEARNED)
    assert [answer.dataset for answer in found] == ["first", "own"]
    lines = in_short(found).splitlines()
    starts = [line.partition(":")[0] for line in lines]
    assert starts == ["first", "first", "own", "own", "first, own"]
    assert "Use the geometric" in lines[3]


@pytest.mark.parametrize("changed", [1, 2])
def test_without_a_goal_a_card_has_errors_of_one_count(changed):
    """They are those of geometric noise; the counts that a record changes share ε equally."""
    subject = SUBJECT._replace(goal={}, is_replaced=changed == 2)
    card = answer_for(subject=subject).card
    text = " ".join(card.meaning)
    at = re.findall(r"±(\d+) at ε = ([\d.]*\d)", text)
    needs = re.findall(r"±(\d+) needs ε = ([\d.]*\d)", text)
    assert [epsilon for _, epsilon in at] == ["0.1", "0.5", "1", "2"]
    assert [error for error, _ in needs] == ["1", "5", "10"]
    assert card.command.endswith("--epsilon EPSILON")
    assert not re.search(r"\d", card.epsilon)

    def exceeds(error, epsilon):
        ratio = np.exp(-float(epsilon) / changed)
        return 2 * ratio ** (int(error) + 1) / (1 + ratio)

    for error, epsilon in at:
        assert exceeds(error, epsilon) <= 0.05 < exceeds(int(error) - 1, epsilon)
    for error, epsilon in needs:
        assert exceeds(error, epsilon) <= 0.05 < exceeds(error, 0.98 * float(epsilon) - 0.01)
