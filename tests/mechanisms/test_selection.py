"""The exponential mechanism and the largest noisy count: probabilities, and utilities."""

from math import erfc, exp

import numpy as np
import pytest

from ggexp import bounded
from ggexp.claims import inequalities
from ggexp.mechanisms.bounded import bounded_gg, gg_scale, lemma_9, utility_sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.selection import noisy_argmax, probabilities, wrong_probability


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


@pytest.mark.parametrize("gap", [0.5, 12, 200])
def test_two_counts(gap):
    """The difference of two Laplace draws exceeds g with probability ½ e^(-g/b) (1 + g/(2b)).

    The difference of two normal draws is normal: the probability is Φ(-g / (σ√2)).
    """
    x = gap / 2.5
    wrong = wrong_probability([0, gap], GeneralizedGaussian(1, 2.5))
    assert wrong == pytest.approx(exp(-x) * (1 + x / 2) / 2, rel=1e-7, abs=0)
    if gap < 100:
        wrong = wrong_probability([gap, 0], GeneralizedGaussian(2, 2.5 * 2**0.5))
        assert wrong == pytest.approx(erfc(x / 2) / 2, rel=1e-7, abs=0)


@pytest.mark.parametrize("order", [1, 3])
def test_the_probability_is_the_frequency_of_draws(order):
    """The difference exceeds 5 standard errors with probability 6e-7, and at each wrong scale."""
    counts, noise, draws = [10, 8, 8, 0, 0], GeneralizedGaussian(order, 3.0), 40_000
    indices = noisy_argmax(counts, noise, np.random.default_rng(order), size=draws)
    assert indices.shape == (draws,)

    def standard_errors(scale):
        wrong = wrong_probability(counts, GeneralizedGaussian(order, scale))
        return abs((indices != 0).mean() - wrong) / (wrong * (1 - wrong) / draws) ** 0.5

    assert standard_errors(3.0) < 5
    assert standard_errors(2.7) > 5
    assert standard_errors(3.3) > 5


@pytest.mark.parametrize("counts", [[], [[1, 2]], [1, np.nan]])
def test_bad_counts(counts):
    with pytest.raises(ValueError, match="counts must be"):
        wrong_probability(counts, GeneralizedGaussian(1))
    with pytest.raises(ValueError, match="counts must be"):
        noisy_argmax(counts, GeneralizedGaussian(1), np.random.default_rng(0), size=1)
