"""What (ε, δ) means to a guesser, against distributions whose privacy is known."""

from math import exp, expm1, inf, log, sqrt, tanh

import numpy as np
import pytest
from scipy.stats import gennorm, norm

from ggexp import calibration
from ggexp.guarantees import advantage
from ggexp.guarantees.relaxed import epsilon_at, mean, noise_reach, of_adp, of_pdp


def share_beyond(scale, epsilon, prior, draws=400_000):
    """The share of releases of a true bit after which its posterior has moved by more than ε's."""
    noise = np.random.default_rng(20261122).normal(scale=scale / sqrt(2), size=draws)
    loss = (2 * noise + 1) / scale**2  # the log odds of 1 against 0 after a release of 1 + noise
    posterior = prior / (prior + (1 - prior) * np.exp(-loss))
    return (np.abs(posterior - prior) > advantage.of(epsilon=epsilon, prior=prior)).mean()


def test_pdp_is_kept_with_its_probability_by_simulation():
    b = calibration.scale("pdp-exact", order=2, epsilon=1, delta=0.05)
    found = of_pdp(epsilon=1, delta=0.05, prior=0.5)
    assert found == (advantage.of(epsilon=1, prior=0.5), 0.95)
    error = 5 * sqrt(0.05 * 0.95 / 400_000)  # false alarm 6e-7
    assert abs(share_beyond(b, 1, 0.5) - 0.05) < error
    assert share_beyond(0.8 * b, 1, 0.5) > 0.05 + error


def test_average_is_a_bound_on_the_mean():
    found = of_pdp(epsilon=1, delta=0.05, prior=0.5)
    assert found.average == pytest.approx(0.95 * found.advantage + 0.05)
    assert of_pdp(epsilon=1, delta=0.25, prior=None, alternatives=5).probability == 0


def test_the_mean_under_approximate_dp_is_bounded():
    """Of random mechanisms with five outcomes, and of the one that tells all with probability δ."""
    rng = np.random.default_rng(20261123)
    for _ in range(300):
        one, other = rng.dirichlet(np.full(5, 0.5), size=2)
        prior, epsilon = rng.uniform(), rng.uniform(0, 3)
        delta = max(
            np.maximum(p - exp(epsilon) * q, 0).sum() for p, q in ((one, other), (other, one))
        )
        marginal = prior * one + (1 - prior) * other
        change = np.abs(prior * one - prior * marginal).sum()
        assert change <= mean(epsilon=epsilon, delta=min(delta, 1 - 1e-12), prior=prior) + 1e-12
    epsilon, delta = 1.0, 0.25
    right = (1 - delta) * exp(epsilon) / (1 + exp(epsilon))
    one = np.array([delta, right, 1 - delta - right, 0])
    change = np.abs(one - one[::-1]).sum() / 4  # of a prior of 1/2
    assert change == pytest.approx((delta + (1 - delta) * tanh(epsilon / 2)) / 2)
    assert change <= mean(epsilon=epsilon, delta=delta, prior=0.5)
    assert mean(epsilon=epsilon, delta=0, prior=0.3) == advantage.of(epsilon=epsilon, prior=0.3)


def three_data(epsilon, delta):
    """Probabilities of three outcomes under the true data and two alternatives: pDP by pairs."""
    little = exp(-epsilon) * delta
    true = [1 - 2 * delta, delta, delta]
    return np.array([true, [1 - little, 0, little], [1 - little, little, 0]])


def test_several_alternatives_add_up():
    """The paper's 1 - δ is of one pair; here both alternatives have an outcome of their own."""
    epsilon, delta = 1, 0.01
    outcomes = three_data(epsilon, delta)
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, j in ((0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)):
            loss = np.nan_to_num(np.abs(np.log(outcomes[i] / outcomes[j])), nan=0, posinf=inf)
            assert outcomes[i][loss > epsilon + 1e-9].sum() <= delta
    prior = np.array([0.4, 0.3, 0.3])
    posterior = prior[0] * outcomes[0] / (prior @ outcomes)
    bound = advantage.of(epsilon=epsilon, prior=0.4)
    beyond = outcomes[0][np.abs(posterior - 0.4) > bound].sum()
    assert beyond == pytest.approx(2 * delta)
    kept = of_pdp(epsilon=epsilon, delta=delta, prior=0.4, alternatives=2).probability
    assert 1 - beyond == pytest.approx(kept)


def larger_epsilon(epsilon, delta, probability):
    """The ε' of an advantage that is kept, found back from it."""
    found = of_adp(epsilon=epsilon, delta=delta, prior=None, probability=probability)
    assert found.probability == probability
    return advantage.epsilon_for(advantage=found.advantage, prior=None)


@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
@pytest.mark.parametrize(("delta", "probability"), [(0.01, 0.9), (1e-6, 0.99), (0.1, 0.5)])
def test_adp_is_tight_on_two_telling_outcomes(epsilon, delta, probability):
    """A pair of data with an outcome telling of each; the rest tells nothing."""
    larger = larger_epsilon(epsilon, delta, probability)
    telling = delta / -expm1(epsilon - larger)
    hockey_stick = telling - exp(epsilon) * telling * exp(-larger)
    assert hockey_stick == pytest.approx(delta)
    assert telling * (1 + exp(-larger)) == pytest.approx(1 - probability)


@pytest.mark.parametrize("probability", [0.5, 0.9, 0.94])
def test_gaussian_noise_of_adp_keeps_more_than_that(probability):
    b = calibration.scale("adp-exact", order=2, epsilon=1, delta=0.05)
    larger = larger_epsilon(1, 0.05, probability)
    rho = 1 / b**2  # the loss is normal with mean ρ and variance 2ρ
    beyond = norm.sf(larger, rho, sqrt(2 * rho)) + norm.cdf(-larger, rho, sqrt(2 * rho))
    assert beyond <= 1 - probability
    # the (ε, δ) themselves would not do: ε is exceeded more often than δ
    assert norm.sf(1, rho, sqrt(2 * rho)) == pytest.approx(0.169, abs=5e-4)


def test_of_outcomes_with_probabilities():
    """Appendix B on normal noise rounded to multiples of 1/2, with the δ that it has at ε = 0.5."""
    edges = np.arange(-8.25, 9, 0.5)
    one, other = (np.diff(norm.cdf(edges, mean, 2)) for mean in (0, 1))
    epsilon = 0.5
    delta = np.maximum(one - exp(epsilon) * other, 0).sum()
    assert 0.01 < delta < 0.2
    for p, q in zip(one, other, strict=True):
        assert log(p / q) <= epsilon_at(epsilon=epsilon, delta=delta, probability=q)
    assert epsilon_at(epsilon=0, delta=1, probability=1) == pytest.approx(log(2))
    assert epsilon_at(epsilon=1, delta=0, probability=0) == 1
    assert epsilon_at(epsilon=1, delta=1e-9, probability=0) == inf
    # the other form of the paper, with the largest probability under the true data
    chi, largest = 0.02, exp(0.5) * 0.02 + 0.01
    found = epsilon_at(epsilon=0.5, delta=0.01, probability=chi)
    assert found == pytest.approx(0.5 - log(1 - 0.01 / largest))


@pytest.mark.parametrize("order", [1, 2, 3.5])
def test_size_of_noise(order):
    reach = noise_reach(scale=2, probability=0.78, order=order)
    assert gennorm.cdf(reach, order, scale=2) - gennorm.cdf(-reach, order, scale=2) == (
        pytest.approx(0.78)
    )
    if order == 1:
        assert reach == pytest.approx(2 * log(1 / 0.22))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: of_pdp(epsilon=1, delta=0, prior=None), "delta must be .*, got 0"),
        (
            lambda: of_pdp(epsilon=1, delta=0.1, prior=None, alternatives=0),
            "alternatives must be .* >= 1, got 0",
        ),
        (
            lambda: of_adp(epsilon=1, delta=0.1, prior=None, probability=0.9),
            "probability must leave more than delta = 0.1 to each of 1 alternatives, got 0.9",
        ),
        (
            lambda: of_adp(epsilon=-1, delta=0.1, prior=None, probability=0.5),
            "epsilon must be .* got -1",
        ),
        (lambda: epsilon_at(epsilon=1, delta=2, probability=0.5), "delta must be .*, got 2"),
        (lambda: epsilon_at(epsilon=1, delta=0, probability=-1), "probability must be .*, got -1"),
        (lambda: noise_reach(scale=0, probability=0.5), "scale must be .* got 0"),
        (lambda: noise_reach(scale=1, probability=1), "probability must be .* got 1"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
