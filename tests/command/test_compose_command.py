"""ggexp compose: the joint guarantee of releases of different kinds."""

import json
from math import exp, log, sqrt

import pytest
from conftest import done
from scipy.stats import binom

from ggexp import Mechanism
from ggexp.guarantees.composition import Composition, advanced_of
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.loss_distribution import randomized_response


@pytest.fixture
def call(call):
    return lambda arguments: call("compose", *arguments.split())


@pytest.fixture
def rows(call):
    return lambda arguments: {
        row["accountant"]: row for row in json.loads(done(call(arguments + " --json")))
    }


def test_delta_at_epsilon(rows):
    """If all releases satisfy ε-DP, the exact δ follows from a binomial distribution."""
    found = rows("--release epsilon=0.1,count=50 --epsilon 2")
    positive = range(51)
    losses = [(2 * y - 50) * 0.1 for y in positive]
    excess = [max(0, 1 - exp(2 - loss)) for loss in losses]
    exact = binom.pmf(positive, 50, 1 / (1 + exp(-0.1))) @ excess
    assert found["exact"]["delta"] == pytest.approx(exact, rel=1e-10)
    assert found["basic"]["delta"] is None
    drift = 50 * 0.1 * (exp(0.1) - 1)
    slack = exp(-((2 - drift) ** 2) / (2 * 50 * 0.01))
    assert found["advanced"]["delta"] == pytest.approx(slack, rel=1e-6)
    at_sum = rows("--release epsilon=0.1,delta=1e-7,count=50 --epsilon 5")
    assert at_sum["basic"]["delta"] == pytest.approx(50e-7)


def test_noise_by_its_scale(rows):
    noise = DiscreteGeneralizedGaussian(2.0, 6.0)
    text = "order=2,scale=6,integer,count=8"
    found = rows(f"--release {text} --release epsilon=0.2,delta=1e-8 --delta 1e-6")
    exact = Composition([(noise, 8), (randomized_response(Budget(0.2, 1e-8)), 1)])
    assert found["exact"]["epsilon"] == exact.epsilon(delta=1e-6).pessimistic
    share = (1e-6 - 1e-8) / 8
    assert found["basic"]["epsilon"] == pytest.approx(8 * noise.epsilon(delta=share) + 0.2)
    advanced = [(Budget(noise.epsilon(delta=share / 2)), 8), (Budget(0.2), 1)]
    expected = min(advanced_of(advanced, slack=4 * share).epsilon, found["basic"]["epsilon"])
    assert found["advanced"]["epsilon"] == pytest.approx(expected)


def test_sensitivity(rows):
    text = "--release calibration=pure-integer,epsilon=0.5,sensitivity=3,count=9 --delta 1e-3"
    noise = Mechanism(None, "pure-integer").noise(epsilon=0.5, sensitivity=3)
    exact = Composition([(noise.loss(3), 9)]).epsilon(delta=1e-3)
    assert rows(text)["exact"]["epsilon"] == exact.pessimistic
    scaled, plain = (
        rows(f"--release order=3,scale={b},sensitivity={s},count=9 --delta 1e-3")
        for b, s in ((20, 2), (10, 1))
    )
    assert scaled["exact"]["epsilon"] == pytest.approx(plain["exact"]["epsilon"], rel=1e-12)


def test_a_delta_that_is_already_spent(rows):
    found = rows("--release epsilon=1,delta=1e-5 --delta 1e-6")
    assert [row["epsilon"] for row in found.values()] == [None, None, None]
    found = rows("--release epsilon=1,delta=1e-5 --delta 1e-5")
    assert [row["epsilon"] for row in found.values()] == [1, 1, 1]


def test_noise_that_misses_its_guarantee_has_no_budget(call):
    """The noise of adp-classical at a large ε is such noise; its stated (ε, δ) is not counted."""
    text = "calibration=adp-classical,order=2,epsilon=20,delta=0.01"
    code, printed, messages = call(f"--release {text} --delta 0.01 --json")
    assert code == 0
    assert "does not satisfy its guarantee" in messages
    for row in json.loads(printed):
        assert row["epsilon"] > 20


def test_both_questions_as_a_table(call):
    geometric = "--release calibration=pure-integer,epsilon=0.1,count=30"
    printed = done(call(f"{geometric} --delta 1e-6 --epsilon 2"))
    lines = [line.split() for line in printed.splitlines()]
    assert lines[0] == ["accountant", "epsilon", "delta", "at", "least"]
    assert [line[0] for line in lines[1:]] == ["basic", "advanced", "exact"] * 2
    assert lines[1][1:3] == ["3", "1e-06"]
    assert lines[4][1:3] == ["2", "none"]
    advanced = sqrt(2 * log(1e6) * 30 * 0.01) + 3 * (exp(0.1) - 1)
    assert 0 <= float(lines[2][1]) - min(3, advanced) < 1e-5
    exact = Composition([(Mechanism(None, "pure-integer").noise(epsilon=0.1), 30)])
    for (lower, upper), printed_upper, printed_lower in (
        (exact.epsilon(delta=1e-6), lines[3][1], lines[3][3]),
        (exact.delta(epsilon=2), lines[6][2], lines[6][3]),
    ):
        assert 0 <= float(printed_upper) / upper - 1 < 1e-5
        assert 0 <= 1 - float(printed_lower) / lower < 1e-5
