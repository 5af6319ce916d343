"""The guessing advantage under (ε, δ), against distributions whose privacy is known."""

from math import exp, expm1, inf

import pytest
from scipy.optimize import brentq

from ggexp.companions.approximate_guesses import (
    epsilon_for,
    epsilon_for_mean,
    of_adp,
    of_pdp,
    probability_of_adp,
)
from ggexp.guarantees import advantage
from ggexp.guarantees.advantage import mean
from ggexp.mechanisms.budget import Budget


def test_pdp_bounds_the_advantage_with_its_probability_and_the_mean():
    result = of_pdp(epsilon=1, delta=0.05, prior=0.5)
    assert result == (advantage.of(epsilon=1, prior=0.5), 0.95)
    assert result.average == pytest.approx(0.95 * result.advantage + 0.05)
    assert of_pdp(epsilon=1, delta=0.25, prior=None, alternatives=5).probability == 0
    assert mean(Budget(1), prior=0.3) == advantage.of(epsilon=1, prior=0.3)


@pytest.mark.parametrize(
    ("epsilon", "delta", "probability"), [(0.1, 0.01, 0.9), (3, 1e-6, 0.99), (1, 0.1, 0.5)]
)
def test_adp_is_tight_on_two_telling_outcomes(epsilon, delta, probability):
    """Two data sets, with a revealing outcome for each; all other outcomes reveal nothing."""
    result = of_adp(epsilon=epsilon, delta=delta, prior=None, probability=probability)
    assert result.probability == probability
    larger = epsilon_for(advantage=result.advantage, prior=None)
    telling = delta / -expm1(epsilon - larger)
    hockey_stick = telling - exp(epsilon) * telling * exp(-larger)
    assert hockey_stick == pytest.approx(delta)
    assert telling * (1 + exp(-larger)) == pytest.approx(1 - probability)


@pytest.mark.parametrize(("prior", "alternatives"), [(None, 1), (0.3, 3), ([0.1, 0.6], 3)])
def test_a_fixed_advantage_is_a_fixed_probability_turned(prior, alternatives):
    given = {"epsilon": 0.7, "delta": 0.01, "prior": prior, "alternatives": alternatives}
    for probability in (0.1, 0.95):
        result = of_adp(**given, probability=probability)
        inverse = probability_of_adp(**given, advantage=result.advantage)
        assert inverse == pytest.approx(probability, rel=1e-9)


def test_probabilities_0_and_1():
    given = {"epsilon": 1, "delta": 0.01, "prior": 0.5}
    assert probability_of_adp(**given, advantage=advantage.of(epsilon=1, prior=0.5)) == 0
    assert probability_of_adp(**given, advantage=0.5) == 1
    with_many_alternatives = probability_of_adp(**given, advantage=0.4, alternatives=100)
    assert with_many_alternatives == 0


@pytest.mark.parametrize(("prior", "delta"), [(None, 1e-6), (0.05, 0), (0.5, 0.05)])
def test_back_from_a_mean_advantage(prior, delta):
    """Appendix B.2, by a root of the mean. Each δ below the advantage has an ε."""
    result = epsilon_for_mean(advantage=0.2, delta=delta, prior=prior)

    def excess(epsilon):
        return mean(Budget(epsilon, delta), prior=prior) - 0.2

    assert result == pytest.approx(brentq(excess, 0, 50), rel=1e-9)
    # the paper's 1 + (ε' - 1) δ', where δ' is the probability that the bound holds
    average = of_pdp(epsilon=result, delta=max(delta, 1e-15), prior=prior).average
    assert average == pytest.approx(0.2)
    smaller = [epsilon_for_mean(advantage=0.2, delta=d, prior=prior) for d in (0, 0.1, 0.19)]
    assert smaller == sorted(smaller, reverse=True)
    assert epsilon_for_mean(advantage=0.6, delta=0.1, prior=0.5) == inf


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"probability .*0\.1.*1 alternatives, got 0\.9"):
        of_adp(epsilon=1, delta=0.1, prior=None, probability=0.9)
    with pytest.raises(ValueError, match=r"delta .*advantage 0\.1, got 0\.1"):
        epsilon_for_mean(advantage=0.1, delta=0.1, prior=None)
