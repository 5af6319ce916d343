"""Enumerations in the tests of lemmas, compared with closed forms that the tests do not use."""

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
        change = inequalities._utility_change(order, low, high, share * width)
        assert change == pytest.approx(expected)
        assert change == pytest.approx(bounded.utility_sensitivity(order, [width], [share * width]))


@pytest.mark.parametrize("others", [1, 10, 1000])
def test_the_loss_if_one_utility_decreases(others):
    changes = np.ones(others + 1)
    changes[0] = -1
    loss = inequalities._largest_loss(np.zeros(others + 1), changes, 1.0)
    assert loss == pytest.approx(log((1 + others * exp(1)) / (others + 1)))
    changes *= 0.5  # docs/errata.md moves them between -1/2 and 1/2: 0.500, 0.906, 0.999
    loss = inequalities._largest_loss(-changes, changes, 1.0)
    expected = log(exp(0.5) * (1 + others * exp(0.5)) / (exp(0.5) + others))
    assert loss == pytest.approx(expected)


def test_the_loss_of_truncated_noise():
    order, b, low, high, step = 3, 4.0, -3.0, 8.0, 2.0

    def log_density(x, s):
        mass = quad(lambda y: exp(-((abs(y - s) / b) ** order)), low, high, points=[s])[0]
        return -((abs(x - s) / b) ** order) - log(mass)

    losses = [
        abs(log_density(x, s) - log_density(x, s + step))
        for s in np.linspace(low, high - step, 33)
        for x in (low, high)
    ]
    loss = inequalities._truncated_loss(order, b, low, high, step)
    assert loss == pytest.approx(max(losses))


def test_lemma_2_is_close_for_a_high_order(results):
    first, *_ = sensitivities.lemma_2(results, orders=[10], records=200)
    assert 0 < first.difference < 0.05


def test_a_bound_that_is_met_agrees(results):
    comparisons = inequalities.lemma_9(orders=[1])
    assert [comparison.difference for comparison in comparisons] == pytest.approx(
        [inequalities.ROUNDING] * 2
    )


def test_other_seeds_draw_other_cases(results):
    first, second = (
        sensitivities.lemma_2(Results(results.summary, results.scales, seed=seed), **parameters)
        for seed, parameters in ((seed, {"orders": [1], "records": 50}) for seed in (1, 2))
    )
    assert first != second
