"""The guessing advantage that ε allows, against independent computations."""

from math import exp, tanh

import mpmath
import numpy as np
import pytest
from formulas import printed_epsilon

from ggexp.companions.approximate_guesses import epsilon_for
from ggexp.guarantees import advantage
from ggexp.mechanisms.budget import Budget

COLOURS = (0.2, 0.1, 0.25, 0.4, 0.05)  #: prior probabilities of the colours of the paper's cats


def advantage_by_bayes(epsilon, v):
    """The advantage after randomized response, by Bayes' theorem with its four probabilities."""
    with mpmath.workdps(400):
        v, e = mpmath.mpf(v), mpmath.exp(mpmath.mpf(epsilon))
        truth, lie = e / (1 + e), 1 / (1 + e)
        yes, no = truth * v / (truth * v + lie * (1 - v)), lie * v / (lie * v + truth * (1 - v))
        return float(max(yes - v, v - no))


@pytest.mark.parametrize(("epsilon", "expected"), [(0.5, 0.1244), (1, 0.2449), (2, 0.4621)])
def test_the_worst_prior(epsilon, expected):
    result = advantage.of(epsilon=epsilon, prior=None)
    assert result == pytest.approx(expected, abs=5e-5)
    assert result == pytest.approx(tanh(epsilon / 4), rel=1e-14)
    scanned = [advantage.of(epsilon=epsilon, prior=v) for v in np.linspace(0, 1, 10_001)]
    assert max(scanned) == pytest.approx(result, rel=1e-7)
    assert max(scanned) <= result
    at_worst_prior = advantage.of(epsilon=epsilon, prior=1 / (1 + exp(epsilon / 2)))
    assert at_worst_prior == pytest.approx(result, rel=1e-14)


@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1])
def test_the_mean_change_is_smaller_than_that_of_a_single_release(epsilon, delta):
    """After (ε, δ)-randomized response, which is the worst release under (ε, δ)-aDP."""
    kept, odds = 1 - delta, exp(-epsilon)
    p = np.array([delta, 0, kept / (1 + odds), kept * odds / (1 + odds)])
    q = p[[1, 0, 3, 2]]
    means = []
    for v in np.linspace(0.001, 0.999, 999):
        total = v * p + (1 - v) * q
        possible = total > 0
        posterior = v * p[possible] / total[possible]
        means.append(float(total[possible] @ np.abs(posterior - v)))
        assert means[-1] <= advantage.mean(Budget(epsilon, delta), prior=v) + 1e-12
    guess = np.maximum(p, q).sum() / 2
    assert max(means) == means[499] == pytest.approx(guess - 0.5, abs=1e-12)
    assert advantage.best_guess(Budget(epsilon, delta)) == pytest.approx(guess, abs=1e-12)
    if delta == 0:
        assert max(means) == pytest.approx(tanh(epsilon / 2) / 2, abs=1e-12)
        assert max(means) < advantage.of(epsilon=epsilon, prior=None)


@pytest.mark.parametrize("prior", [1e-12, 0.2, 0.5, 0.9])
def test_randomized_response_attains_it(prior):
    for epsilon in (1e-9, 0.5, 10, 700):
        result = advantage.of(epsilon=epsilon, prior=prior)
        assert result == pytest.approx(advantage_by_bayes(epsilon, prior), rel=1e-11)


@pytest.mark.parametrize("prior", [1e-12, 0.05, 0.45, 0.9])
def test_epsilon_is_the_papers_formula_for_both_sides(prior):
    for delta in (1e-9, 0.3, 0.93):
        result = epsilon_for(advantage=delta, prior=prior)
        expected = min(printed_epsilon(delta, v) for v in (prior, 1 - mpmath.mpf(prior)))
        assert result == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-6, 5])
@pytest.mark.parametrize("prior", [None, 0.2, [0.1, 0.3, 0.6]])
@pytest.mark.parametrize("radius", [1, 0.1])
def test_epsilon_for_is_the_inverse(epsilon, prior, radius):
    result = advantage.of(epsilon=epsilon, prior=prior, radius=radius)
    assert result == advantage.of(epsilon=epsilon * radius, prior=prior)
    inverse = epsilon_for(advantage=result, prior=prior, radius=radius)
    assert inverse == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(
    ("prior", "nearest", "expected"),
    [
        ([p / 2 for p in COLOURS], 0.2, 0.5390),  # the gender and the colour
        ([(1 + p) / 2 for p in COLOURS], 0.55, 0.4013),  # the gender or the colour
        (0.525, 0.525, 0.4024),  # the gender or one colour
    ],
)
def test_the_papers_cats(prior, nearest, expected):
    result = epsilon_for(advantage=0.1, prior=prior)
    assert result == pytest.approx(expected, abs=5e-5)
    assert result == epsilon_for(advantage=0.1, prior=nearest)


@pytest.mark.parametrize("seed", range(3))
def test_of_discrete_priors_one_of_the_two_nearest_is_the_worst(seed):
    """The paper's shortcut (section 4.1): the nearest values below and above the worst prior."""
    rng = np.random.default_rng(seed)
    priors = rng.dirichlet(np.ones(rng.integers(2, 12)))
    sides = np.concatenate([priors, 1 - priors])
    for epsilon in (0.1, 1, 4):
        worst = 1 / (1 + exp(epsilon / 2))
        nearest = [sides[sides <= worst].max(initial=0)]
        nearest.append(sides[sides >= worst].min(initial=1))
        expected = max(advantage_by_bayes(epsilon, v) for v in nearest if 0 < v < 1)
        assert advantage.of(epsilon=epsilon, prior=priors) == pytest.approx(expected, rel=1e-11)
    for delta in (0.05, 0.3):
        expected = min(printed_epsilon(delta, v) for v in sides)
        result = epsilon_for(advantage=delta, prior=priors)
        assert result == pytest.approx(expected, rel=1e-9)
        nearest = sides[np.abs(sides - (1 - delta) / 2).argmin()]
        assert result == pytest.approx(printed_epsilon(delta, nearest), rel=1e-9)


def test_what_somebody_answered_is_two_records_away():
    """Counts (1, 0) against (0, 1), with Laplace noise for ε-DP if a record is added or removed."""
    epsilon = 0.7
    rng = np.random.default_rng(1)
    released = rng.uniform(-5, 5, (10_000, 2))

    def density(counts):
        return np.exp(-epsilon * np.abs(released - counts).sum(axis=1))

    odds = density([1, 0]) / density([0, 1])
    posterior = 0.4 * odds / (0.4 * odds + 0.6)
    largest = np.abs(posterior - 0.4).max()
    assert largest == pytest.approx(advantage.of(epsilon=epsilon, prior=0.4, radius=2))
    assert largest > 1.5 * advantage.of(epsilon=epsilon, prior=0.4, radius=1)


def test_bad_priors():
    for prior, got in (([0.5, -0.1], "-0.1"), ([], "none"), (float("nan"), "nan"), (1.5, "1.5")):
        with pytest.raises(ValueError, match=f"prior must be .* got {got}"):
            advantage.of(epsilon=1, prior=prior)
