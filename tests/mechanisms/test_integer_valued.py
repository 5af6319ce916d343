"""Integer-valued noise: reference values, sums over all outcomes, and its samplers."""

from math import exp, sqrt

import numpy as np
import pytest
from scipy import stats

from ggexp import Mechanism, calibration
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.optimal_integer import Canonical, Geometric

POINTS = [(e, d) for e in (0.5, 1, 2) for d in (0.01, 0.05, 0.1, 0.25)]
FAMILIES = [
    *(Geometric(0.5), Geometric(3.0)),
    *(Canonical(0.5, 0.1), Canonical(2, 0.25), Canonical(0.1, 1e-6)),
    *(DiscreteGeneralizedGaussian(2, 1.7), DiscreteGeneralizedGaussian(3.3, 4.2)),
]


def probabilities(noise, largest=400):
    """Return Pr(K = k) for k = -largest, …, largest, from the formulas in double precision."""
    k = np.arange(-largest, largest + 1)
    if noise.family == "geometric":
        a = exp(-1 / noise.scale)
        return (1 - a) / (1 + a) * a ** np.abs(k)
    if noise.family == "discrete generalized Gaussian":
        weights = np.exp(-(np.abs(k / noise.scale) ** noise.order))
        return weights / weights.sum()
    tails = [(1 - noise.excess) / (1 + exp(noise.log_ratio))]
    while tails[-1] > 0:
        tails.append(max(0, (tails[-1] - noise.excess) / exp(noise.log_ratio)))
    p = -np.diff(tails)
    side = np.zeros(largest)
    side[: p.size] = p[:largest]
    return np.concatenate([side[::-1], [1 - 2 * tails[0]], side])


@pytest.mark.parametrize("noise", FAMILIES, ids=str)
def test_moments_and_tails_are_those_of_the_formula(noise):
    p, k = probabilities(noise), np.arange(-400, 401)
    assert noise.sd == pytest.approx(sqrt(p @ k**2), rel=1e-9)
    assert noise.mean_absolute == pytest.approx(p @ abs(k), rel=1e-9)
    for x in (-7, -3.5, -1, -0.5, 0, 0.5, 1, 2, 9.25):
        assert noise.upper_tail(x) == pytest.approx(p[k > x].sum(), rel=1e-9, abs=1e-15)
    for tail in (0.95, 0.6, 0.4, 0.05, 1e-4):
        t = noise.upper_point(tail)
        assert p[k > t].sum() <= tail * (1 + 1e-9)
        assert p[k > t - 1].sum() > tail


@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("noise", FAMILIES, ids=str)
def test_deltas_are_sums_over_all_outcomes(noise, shift):
    p = probabilities(noise)
    q = np.concatenate([np.zeros(shift), p[:-shift]])
    for epsilon in (0.03, 0.4, 1.1, 3):
        delta = np.maximum(0, p - exp(epsilon) * q).sum()
        assert noise.delta(epsilon=epsilon, sensitivity=shift) == pytest.approx(delta, rel=1e-8)
        with np.errstate(divide="ignore", invalid="ignore"):
            loss = np.log(p / q)
        pdp = p[(p > 0) & (abs(loss) > epsilon)].sum()
        assert noise.pdp_delta(epsilon=epsilon, sensitivity=shift) == pytest.approx(pdp, rel=1e-8)


@pytest.mark.parametrize("order", [1, 4])
@pytest.mark.parametrize(("epsilon", "delta"), POINTS[::5])
def test_scales_are_the_smallest_sufficient_scales(order, epsilon, delta):
    """Smaller scales with an E|K| above that of canonical noise are not sufficient."""
    for name, exact in (("adp-exact-integer", "delta"), ("pdp-exact-integer", "pdp_delta")):
        noise = calibration.calibrate(name, order=order, epsilon=epsilon, delta=delta)
        assert getattr(noise, exact)(epsilon=epsilon) <= delta
        for share in (1 - 1e-8, 0.995, 0.98, 0.95):
            smaller = DiscreteGeneralizedGaussian(order, noise.scale * share)
            if smaller.mean_absolute > Canonical(epsilon, delta).mean_absolute:
                assert getattr(smaller, exact)(epsilon=epsilon) > delta


@pytest.mark.parametrize("noise", FAMILIES, ids=str)
def test_draws(noise):
    """A χ² test of the values; it would fail for one seed in 10^6."""
    draws = noise.sample(np.random.default_rng(1), 100_000)
    assert chi_square(noise, draws) > 1e-6
    wrong = Geometric(1.03 * noise.sd)
    assert chi_square(noise, wrong.sample(np.random.default_rng(1), 100_000)) < 1e-6
    above = noise.sample_above(0, np.random.default_rng(2), 100_000)
    assert above.min() == 1
    assert chi_square(noise, above * np.random.default_rng(3).choice((-1, 1), above.size)) < 1e-6
    signed = np.concatenate(
        [above, -above, np.zeros(round(2e5 / (1 / noise.probabilities[0] - 1)))]
    )
    assert chi_square(noise, signed) > 1e-6
    if noise.family != "geometric":  # geometric noise exceeds every threshold
        with pytest.raises(ValueError, match="threshold"):
            noise.sample_above(1e9, np.random.default_rng(2), 1)


def chi_square(noise, draws):
    """Return the p-value of the draws; all rare values are counted together."""
    k = np.arange(-400, 401)
    expected = probabilities(noise) * draws.size
    common = expected > 20
    observed = np.array([(draws == value).sum() for value in k[common]])
    rare = max(expected[~common].sum(), 1e-9)
    observed, expected = [*observed, draws.size - observed.sum()], [*expected[common], rare]
    if rare < 20:
        observed, expected = observed[:-1], expected[:-1]
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    return stats.chi2.sf(statistic, len(expected) - 1)


def test_only_geometric_noise_may_have_more_than_a_million_values():
    with pytest.raises(ValueError, match="1,000,000"):
        Canonical(1e-9, 1e-12).sd  # noqa: B018
    noise = Mechanism(None, "pure-integer").noise(epsilon=1e-9)
    assert noise.sd == pytest.approx(sqrt(2) * 1e9)
    assert noise.mean_absolute == pytest.approx(1e9)
    assert noise.delta(epsilon=1e-9) == 0
    assert noise.delta(epsilon=0) == pytest.approx(noise.pdp_delta(epsilon=1e-12) / 2e9, rel=0.01)
    assert noise.upper_tail(noise.upper_point(1e-6)) == pytest.approx(1e-6, rel=1e-6)
    draws = noise.sample(np.random.default_rng(1), 10_000)
    assert abs(draws).mean() == pytest.approx(1e9, rel=0.06)  # six standard errors


@pytest.mark.parametrize("scale", [0.3, 1.0, 25.0])
def test_geometric_integer_laplace_and_optimal_noise_without_delta_are_one_distribution(scale):
    geometric, laplace = Geometric(scale), DiscreteGeneralizedGaussian(1, scale)
    size = min(geometric.logs.size, laplace.logs.size)
    np.testing.assert_allclose(geometric.logs[:size], laplace.logs[:size], rtol=1e-12)
    for first, second in zip(geometric.exact_tails(99), laplace.exact_tails(99), strict=False):
        assert max(first.low, second.low) <= min(first.high, second.high)
    optimal = Canonical(1 / scale, 1e-15)
    assert optimal.mean_absolute == pytest.approx(geometric.mean_absolute, rel=1e-10)


@pytest.mark.parametrize(
    ("sensitivity", "high", "smaller", "geometric"), [(1, 1, 0.851, 0.851), (2, 1, 1.863, 1.919)]
)
def test_smaller_noise_than_geometric_noise_exists_only_if_the_sensitivity_exceeds_1(
    sensitivity, high, smaller, geometric
):
    """Integer-valued staircase noise: stairs of Δ values, the first ``high`` of them higher."""
    k = np.arange(-300, 301)
    stair, part = np.divmod(np.abs(k), sensitivity)
    p = np.exp(-(stair + (part >= high)).astype(float))
    p /= p.sum()
    ratios = p[sensitivity:] / p[:-sensitivity]
    assert max(ratios.max(), (1 / ratios).max()) == pytest.approx(exp(1))  # it satisfies 1-DP
    assert p @ np.abs(k) == pytest.approx(smaller, abs=5e-4)
    noise = calibration.calibrate("pure-integer", order=None, epsilon=1, sensitivity=sensitivity)
    assert noise.mean_absolute == pytest.approx(geometric, abs=5e-4)
    canonical = calibration.calibrate(
        "adp-optimal", order=None, epsilon=1, delta=1e-9, sensitivity=sensitivity
    )
    assert canonical.mean_absolute == pytest.approx(geometric, abs=5e-4)
