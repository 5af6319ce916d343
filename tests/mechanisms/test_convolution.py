"""Sums of losses, against binomial sums, sums over all losses, closed forms and dp-accounting."""

from math import exp, expm1, inf, sqrt

import mpmath
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from mpmath import mpf

from ggexp import Mechanism
from ggexp.companions.staircase import Staircase
from ggexp.mechanisms import convolution
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import Atoms, randomized_response
from ggexp.mechanisms.optimal_integer import Canonical, Geometric
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace


def assert_enclosed(exact, bounds, rounding=1e-9, gap=1e-6):
    """Bounds on δ enclose it up to rounding, and differ by at most a share of it."""
    assert bounds.optimistic <= exact * (1 + rounding) + 1e-15 * (rounding > 0)
    assert exact <= bounds.pessimistic * (1 + rounding)
    assert bounds.gap <= gap * exact + 1e-15


def randomized_response_delta(epsilon, delta, k, together):
    """The δ of k-fold (ε, δ)-randomized response, from its binomial distribution."""
    with mpmath.workdps(40):
        yes = 1 / (1 + mpmath.exp(-mpf(epsilon)))
        first = max(0, int((k + together / epsilon) / 2) - 1)
        total, probability = (
            mpf(0),
            mpmath.binomial(k, first) * yes**first * (1 - yes) ** (k - first),
        )
        for y in range(first, k + 1):
            excess = -mpmath.expm1(min(0, together - (2 * y - k) * mpf(epsilon)))
            total += probability * excess
            if excess and probability < total * mpf(10) ** -30:
                break
            probability *= mpf(k - y) / (y + 1) * yes / (1 - yes)
        return total + (1 - total) * (1 - (1 - mpf(delta)) ** k)


@pytest.mark.parametrize(
    ("epsilon", "delta", "k", "together"),
    [
        *[(1, 0, 30, 10), (1, 0.1, 2, 0), (0.01, 0, 10**4, 0.5)],
        *[(0.001, 0, 10**6, 0), (0.005, 0, 10**6, 10)],
    ],
)
def test_randomized_response_is_binomial(epsilon, delta, k, together):
    exact = randomized_response_delta(epsilon, delta, k, together)
    geometric = [] if delta else [Geometric(1 / epsilon).loss()]
    for loss in (randomized_response(Budget(epsilon, delta)), *geometric):
        bounds = convolution.delta([(loss, k)], together)
        assert bounds.optimistic <= exact <= bounds.pessimistic
        assert bounds.pessimistic <= bounds.optimistic + max(1e-12, 2e-16 * k)


NOISES = {
    "truncated": TruncatedLaplace(2, 9),
    "narrow": TruncatedLaplace(2, 0.8),
    "laplace": GeneralizedGaussian(1, 3),
    "order 3": GeneralizedGaussian(3, 2),
    "canonical": Mechanism(None, "adp-optimal").noise(epsilon=0.7, delta=0.01),
    "staircase": Staircase(2, 1, 0.4),
    "geometric": Geometric(1.7),
}


def delta_at(noise, epsilon):
    """δ at any ε; for ε < 0 by the symmetry of the two neighbours."""
    if epsilon < 0:
        return -expm1(epsilon) + exp(epsilon) * noise.delta(epsilon=-epsilon)
    return noise.delta(epsilon=epsilon)


def delta_of_two(first, second, epsilon):
    """The δ of two releases: the mean of the first's δ(ε - L) over the atoms L of the second."""
    atoms = second.loss()
    assert isinstance(atoms, Atoms)
    return atoms.infinite + sum(
        probability * delta_at(first, epsilon - loss)
        for loss, probability in zip(atoms.losses, atoms.probabilities, strict=True)
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        *(("laplace", "staircase"), ("narrow", "staircase"), ("geometric", "staircase")),
        pytest.param("laplace", "canonical", marks=pytest.mark.slow),
        pytest.param("truncated", "canonical", marks=pytest.mark.slow),
        pytest.param("order 3", "geometric", marks=pytest.mark.slow),
    ],
)
def test_two_releases_agree_with_a_sum_over_the_losses_of_one(first, second):
    parts = [(NOISES[name].loss(), 1) for name in (first, second)]
    for epsilon in (0.0, 0.31, 0.9):
        exact = delta_of_two(NOISES[first], NOISES[second], epsilon)
        assert_enclosed(exact, convolution.delta(parts, epsilon))
        if exact <= 1.001 * convolution.infinite(parts):
            continue  # there is no smallest ε
        lower, upper = convolution.epsilon(parts, exact)
        assert lower <= epsilon + 1e-8
        assert epsilon <= upper + 1e-8


@pytest.mark.parametrize(
    ("parts", "delta"),
    [
        # losses far above ε have a large probability; the lower bound once left them out
        ([(GeneralizedGaussian(6.0).loss(0.729), 1), (randomized_response(Budget(0.1)), 1)], 0.3),
        ([(GeneralizedGaussian(10.0).loss(0.00869), 4), (Geometric(0.315).loss(), 8)], 1e-3),
    ],
)
def test_bounds_are_close_for_wide_and_narrow_losses_together(parts, delta):
    lower, upper = convolution.epsilon(parts, delta)
    assert 0.1 < lower <= upper < lower * (1 + 1e-6)
    bounds = convolution.delta(parts, upper)
    assert bounds.optimistic <= delta * (1 + 1e-9)
    assert bounds.pessimistic == pytest.approx(delta, rel=1e-5)


def test_losses_that_are_impossible_in_floating_point_under_the_neighbour():
    """The sum of one loss of order 6 and of a few atoms; probabilities underflow under Q."""
    smooth, atoms = (
        GeneralizedGaussian(6.0).loss(2.635),
        randomized_response(Budget(0.7, 1e-5)),
    )
    for epsilon in (900.0, 3300.0):
        exact = atoms.infinite
        for loss, probability in zip(atoms.losses, atoms.probabilities, strict=True):
            noise = GeneralizedGaussian(6, 1 / smooth.h)
            exact += probability * noise.delta(epsilon=epsilon - loss)
        bounds = convolution.delta([(smooth, 1), (atoms, 1)], epsilon)
        assert_enclosed(exact, bounds, rounding=0, gap=1e-3)


def test_trade_off_of_a_few_atoms_between_the_points_of_a_grid():
    """Each corner of the curve is a test that decides by the loss; none is below the curve."""
    coin, canonical = randomized_response(Budget(0.9)), Canonical(0.0477, 0.00166).loss()
    losses, p = np.zeros(1), np.ones(1)
    for loss, k in ((coin, 10), (canonical, 1)):
        for _ in range(k):
            losses = np.add.outer(losses, loss.losses).ravel()
            p = np.multiply.outer(p, loss.probabilities).ravel()
    order = np.argsort(-losses, kind="stable")
    losses, p = losses[order], p[order]
    false_positive = np.append(0, np.cumsum(p * np.exp(-losses)))
    false_negative = 1 - canonical.infinite - np.append(0, np.cumsum(p))
    curve = np.interp(false_positive, *convolution.trade_off([(coin, 10), (canonical, 1)]))
    assert (curve <= false_negative + 1e-12).all()
    assert (false_negative - curve).max() < 1e-6


def test_infinite_losses():
    canonical, truncated = (NOISES[name].loss() for name in ("canonical", "truncated"))
    for loss in (canonical, truncated):
        assert 0 < loss.infinite < 0.01
    parts = [(canonical, 3), (truncated, 2)]
    expected = 1 - (1 - canonical.infinite) ** 3 * (1 - truncated.infinite) ** 2
    assert convolution.infinite(parts) == pytest.approx(expected, rel=1e-13)
    assert convolution.delta(parts, 100) == pytest.approx((expected, expected), rel=1e-13)
    assert convolution.epsilon(parts, 0.99 * expected) == (inf, inf)
    assert convolution.epsilon(parts, 1.01 * expected).pessimistic < 10
    # no value is possible both with and without the record
    certain = TruncatedLaplace(2, 0.4).loss()
    assert convolution.delta([(certain, 1), (canonical, 2)], 1) == (1, 1)


@pytest.mark.parametrize(
    ("family", "order", "tiny", "small"),
    [
        (GeneralizedGaussian, 3, 0.15, 0.3),
        (GeneralizedGaussian, 20, 0.4, 0.5),
        (DiscreteGeneralizedGaussian, 2, 0.2, 0.5),
        (DiscreteGeneralizedGaussian, 20, 0.6, 0.95),
    ],
)
def test_noise_so_small_that_one_release_hides_nothing(family, order, tiny, small):
    assert convolution.delta([(family(order, tiny).loss(), 3)], 0.7) == pytest.approx((1, 1))
    one = family(order, small).delta(epsilon=0.7)
    assert one < convolution.delta([(family(order, small).loss(), 3)], 0.7).optimistic < 1


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_one_release_is_the_noise_itself(noise):
    parts = [(noise.loss(), 1)]
    for epsilon in (0.0, 0.2, 0.5):
        assert_enclosed(noise.delta(epsilon=epsilon), convolution.delta(parts, epsilon))


def test_bounds_of_small_losses_are_close():
    """Three releases of normal noise are one release with a smaller scale."""
    noise, together = GeneralizedGaussian(2, 300), GeneralizedGaussian(2, 300 / sqrt(3))
    for epsilon in (0.0, 0.001):
        bounds = convolution.delta([(noise.loss(), 3)], epsilon)
        assert_enclosed(together.delta(epsilon=epsilon), bounds, rounding=0)


def test_the_end_of_a_sum_of_few_atoms():
    """Regression: points beyond the largest loss were cut off, and the upper bound was too low."""
    noises = [(Geometric(11.157549485081006), 1, 25), (Geometric(0.8980731016744387), 2, 28)]
    losses, probabilities = np.zeros(1), np.ones(1)
    for noise, shift, k in noises:
        loss = noise.loss(shift)
        masses, power = np.zeros(2 * shift + 1), np.ones(1)
        masses[::2] = loss.probabilities
        for _ in range(k):
            power = np.convolve(power, masses)
        losses = np.add.outer(losses, loss.unit * np.arange(-k * shift, k * shift + 1)).ravel()
        probabilities = np.multiply.outer(probabilities, power).ravel()
    parts = [(noise.loss(shift), k) for noise, shift, k in noises]
    for epsilon in (55, 63.461321313922376, 64.5):
        exact = probabilities @ -np.expm1(np.minimum(0, epsilon - losses))
        assert_enclosed(exact, convolution.delta(parts, epsilon), rounding=1e-12, gap=inf)


MIXTURES = pd.read_csv(ROOT / "tests/data/mixtures.csv").groupby("mixture")


@pytest.mark.slow
def test_mixtures_are_within_dp_accountings_bounds():
    """Against numbers of dp-accounting (tests/data/README.md); their errors are about 1e-12."""
    assert len(MIXTURES) == 48
    for _, rows in [*MIXTURES][::3]:
        parts = []
        for row in rows.itertuples():
            is_geometric = row.order == 1
            noise = (
                Geometric(row.scale) if is_geometric else DiscreteGeneralizedGaussian(2, row.scale)
            )
            parts.append((noise.loss(row.sensitivity), row.count))
        theirs = rows.iloc[0]
        bounds = convolution.delta(parts, theirs.epsilon)
        assert (
            theirs.lower - 1e-12 <= bounds.optimistic <= bounds.pessimistic <= theirs.upper + 1e-12
        )
        lower, upper = convolution.epsilon(parts, theirs.upper)
        assert upper - lower < 1e-6 * upper
