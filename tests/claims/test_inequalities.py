"""What the tests of lemmas enumerate, beside closed forms that they do not use."""

from itertools import product
from math import exp, log

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad

from ggexp import bounded
from ggexp.claims import inequalities, sensitivities
from ggexp.claims.evidence import Results


@pytest.fixture
def results():
    return Results(pd.DataFrame(), pd.DataFrame({"epsilon": [0.5, 1, 2]}), seed=3)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_the_utility_changes_most_at_a_bound(order):
    for (low, high), share in product(inequalities.BOUNDS, inequalities.SHARES):
        width = high - low
        expected = width**order - (width * (1 - share)) ** order
        found = inequalities._utility_step(order, low, high, share * width)
        assert found == pytest.approx(expected)
        assert found == pytest.approx(bounded.utility_sensitivity(order, [width], [share * width]))


@pytest.mark.parametrize("others", [1, 10, 1000])
def test_the_cost_where_one_outcome_falls(others):
    moves = np.ones(others + 1)
    moves[0] = -1
    found = inequalities._cost(np.zeros(others + 1), moves, 1.0)
    assert found == pytest.approx(log((1 + others * exp(1)) / (others + 1)))
    moves *= 0.5  # docs/errata.md has it from half below to half above: 0.500, 0.906, 0.999
    found = inequalities._cost(-moves, moves, 1.0)
    expected = log(exp(0.5) * (1 + others * exp(0.5)) / (exp(0.5) + others))
    assert found == pytest.approx(expected)


def test_the_cost_of_truncated_noise():
    order, b, low, high, step = 3, 4.0, -3.0, 8.0, 2.0

    def log_density(x, s):
        mass = quad(lambda y: exp(-((abs(y - s) / b) ** order)), low, high, points=[s])[0]
        return -((abs(x - s) / b) ** order) - log(mass)

    costs = [
        abs(log_density(x, s) - log_density(x, s + step))
        for s in np.linspace(low, high - step, 33)
        for x in (low, high)
    ]
    found = inequalities._truncated_cost(order, b, low, high, step)
    assert found == pytest.approx(max(costs))


def test_lemma_2_is_close_where_one_sum_moves_most(results):
    first, *_ = sensitivities.lemma_2(results, orders=[10], records=200)
    assert 0 < first.difference < 0.05


def test_a_bound_that_is_met_agrees(results):
    comparisons = inequalities.lemma_9(orders=[1])
    assert [one.difference for one in comparisons] == pytest.approx([inequalities.ROUNDING] * 2)


def test_other_seeds_draw_other_cases(results):
    one, other = (
        sensitivities.lemma_2(Results(results.summary, results.scales, seed=seed), **about)
        for seed, about in ((seed, {"orders": [1], "records": 50}) for seed in (1, 2))
    )
    assert one != other
