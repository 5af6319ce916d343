"""Sanitizing: the paper's bounds and rescaling, and special cases such as all counts 0."""

from types import SimpleNamespace

import numpy as np
import pytest

from ggexp import GeneralizedGaussian, Mechanism
from ggexp.releases.simulate import simulate


def release(counts, *noise):
    drawn = SimpleNamespace(sample=lambda _, size: np.array(noise, dtype=float)[:size])
    return simulate(np.array(counts), drawn, np.random.default_rng(0))


def test_bounds_then_rescaling_by_hand():
    # 3 + 1 = 4, 5 - 9 → 0, 2 + 30 → n = 10, 0 - 1 → 0: sum 14
    expected = [4 * 10 / 14, 0, 10 * 10 / 14, 0]
    np.testing.assert_allclose(release([3, 5, 2, 0], 1, -9, 30, -1), expected, rtol=1e-15)


def test_zeros_are_spread_evenly_and_tiny_counts_do_not_overflow():
    np.testing.assert_array_equal(release([6, 1, 1], -9, -9, -9), [8 / 3] * 3)
    np.testing.assert_array_equal(release([0, 8], 5e-324, -9), [8, 0])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e12])
@pytest.mark.parametrize("counts", [[70, *[0] * 63], [0, 1], [10**9, 1, 0], [0] * 5], ids=str)
def test_every_release_is_within_bounds_and_sums_to_n(scale, counts):
    counts = np.array(counts)
    original, rng = counts.copy(), np.random.default_rng(7)
    for _ in range(50):
        released = simulate(counts, GeneralizedGaussian(3, scale), rng)
        assert np.isfinite(released).all()
        assert (released >= 0).all()
        assert (released <= counts.sum() * (1 + 1e-12)).all()
        assert released.sum() == pytest.approx(counts.sum(), rel=1e-12)
    np.testing.assert_array_equal(counts, original)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, float("nan")], "finite.* got nan at 1"),
        ([3, -5], "negative.* -2.0"),
        ([], r"vector .*shape \(0,\)"),
        ([[3, 5], [2, 0]], r"vector .*shape \(2, 2\)"),
    ],
)
def test_invalid_counts_are_refused(counts, message):
    with pytest.raises(ValueError, match=f"^counts .*{message}"):
        simulate(np.array(counts), GeneralizedGaussian(1), np.random.default_rng(0))


def test_a_mechanism_refuses_values_that_are_not_finite():
    mechanism, rng = Mechanism(1, "pure"), np.random.default_rng(1)
    for values, wrong in (([1, np.nan], "nan at 1"), (np.nan, "nan at 0"), ([np.inf], "inf at 0")):
        with pytest.raises(ValueError, match=f"values .*finite.* got {wrong}"):
            mechanism.release(values, rng, epsilon=1)
