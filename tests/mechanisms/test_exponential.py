"""The exponential mechanism: its privacy loss, and the sensitivity of the GG utility."""

import numpy as np
import pytest

from ggexp import bounded
from ggexp.claims import inequalities
from ggexp.mechanisms.bounded import bounded_gg, gg_scale, lemma_9, utility_sensitivity
from ggexp.mechanisms.selection import probabilities


def test_probabilities_by_hand():
    p = probabilities([0, 1, 3], epsilon=2 * np.log(2), sensitivity=1)
    np.testing.assert_allclose(p, np.array([1, 2, 8]) / 11)
    # exp would overflow
    np.testing.assert_allclose(
        probabilities([0, -1e6, 0], epsilon=100, sensitivity=1), [0.5, 0, 0.5]
    )


@pytest.mark.parametrize("epsilon", [0.1, 5])
def test_the_cost_is_below_epsilon_and_comes_near(epsilon):
    """One utility decreases by Δ_u and n increase by Δ_u.

    The largest ratio is e^(ε/2) (1 + n e^(ε/2)) / (e^(ε/2) + n).
    """
    costs = []
    for n in (1, 10, 1000, 100_000):
        utilities = np.arange(n + 1.0) == 0
        costs.append(inequalities._largest_loss(1.0 * utilities, 1.0 - utilities, epsilon))
        half = np.exp(epsilon / 2)
        assert costs[-1] == pytest.approx(np.log(half * (1 + n * half) / (half + n)))
    assert costs == sorted(costs)
    assert 0.99 * epsilon < costs[-1] < epsilon


@pytest.mark.parametrize(
    ("order", "bounds", "step"),
    [(1, (0, 5), 1), (1.5, (0, 5), 1), (3, (-2, 5), 2), (4, (-3, 2), 1.5), (2, (-1, 1), 2)],
)
def test_utility_sensitivity_is_exact_and_below_the_papers_bounds(order, bounds, step):
    width = bounds[1] - bounds[0]
    exact = utility_sensitivity(order, [width], [step])
    assert inequalities._utility_change(order, *bounds, step) == pytest.approx(exact, rel=1e-9)
    if order == int(order):
        assert lemma_9(order, [bounds], [step]) >= exact * (1 - 1e-12)
    definition_5 = bounded.truncated_scale(
        order=order, epsilon=1, widths=[width], sensitivities=[step]
    )
    scale = gg_scale(order=order, epsilon=1, utility_sensitivity=exact)
    assert scale <= definition_5 * (1 + 1e-12)


def test_lemma_9_by_hand():
    assert lemma_9(1, [(0, 5), (0, 2)], [1, 0.5]) == 1.5
    assert lemma_9(2, [(0, 5), (0, 2)], [1, 0.5]) == 2 * (5 * 1 + 2 * 0.5)
    # p = 3 on [0, 5], Δ = 1: 3·25·1 + 3·5·(25 - 16) + (125 - 64)
    assert lemma_9(3, [(0, 5)], [1]) == 3 * 25 + 3 * 5 * 9 + 61
    # even powers on both sides of 0: the larger side counts, without cancellation by the other
    assert lemma_9(4, [(-1, 3)], [1]) == 4 * 27 + 6 * 9 * 5 + 4 * 3 * 19 + 65


def test_which_scale_is_smaller_depends_on_the_bound_of_the_utility():
    """Definition 5 is smaller from p = 3 on with Lemma 9, but never with the exact Δ_u."""
    for order in (2, 3, 4):
        with_lemma_9 = gg_scale(
            order=order, epsilon=1, utility_sensitivity=lemma_9(order, [(0, 5)], [1])
        )
        definition_5 = bounded.truncated_scale(
            order=order, epsilon=1, widths=[5], sensitivities=[1]
        )
        chosen = bounded_gg(order=order, epsilon=1, low=0, high=5, sensitivity=1).scale
        assert (with_lemma_9 < definition_5) == (order == 2)
        assert chosen < min(with_lemma_9, definition_5)


def test_bad_arguments():
    for utilities in ([], [np.inf]):
        with pytest.raises(ValueError, match=r"utilities .*finite"):
            probabilities(utilities, epsilon=1, sensitivity=1)
    with pytest.raises(ValueError, match=r"order.* whole .*>= 1 .* got 1\.5"):
        lemma_9(1.5, [(0, 1)], [1])
