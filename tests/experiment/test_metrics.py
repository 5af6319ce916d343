"""Metrics, compared with numbers by hand and scipy's rel_entr."""

import re
from math import log

import numpy as np
import pytest
from scipy.special import rel_entr

from ggexp.experiment.metrics import kl_dirichlet, l1


def test_l1_by_hand():
    assert l1([3, 5, 2], [4.5, 0, 2]) == 6.5
    assert l1(np.arange(4), np.arange(4)) == 0


def test_kl_is_rs_kl_dirichlet_by_hand():
    # entropy::KL.Dirichlet(c(1, 3), c(2, 2), 0.5, 0.5): frequencies (1.5, 3.5)/5 and (2.5, 2.5)/5
    forward, reverse = kl_dirichlet([1, 3], [2, 2], 0.5)
    assert forward == pytest.approx(0.3 * log(0.3 / 0.5) + 0.7 * log(0.7 / 0.5), rel=1e-14)
    assert reverse == pytest.approx(0.5 * log(0.5 / 0.3) + 0.5 * log(0.5 / 0.7), rel=1e-14)
    # (δ, -δ) added to equal frequencies 1/2: KL = 4δ²/2 + O(δ⁴)
    forward, reverse = kl_dirichlet([99.5, 99.5], [99.5 + 2e-7, 99.5 - 2e-7])
    assert forward == pytest.approx(2 * 1e-9**2, rel=1e-6)
    assert reverse == pytest.approx(2 * 1e-9**2, rel=1e-6)


@pytest.mark.parametrize(("pseudo_count", "spread"), [(1e-6, 100), (0.5, 1e-3), (1, 1), (10, 100)])
def test_kl_is_scipys_rel_entr(pseudo_count, spread):
    rng = np.random.default_rng(11)
    original = rng.poisson(5, 200)
    sanitized = np.maximum(0, original + spread * rng.standard_normal(200))
    f = [(y + pseudo_count) / (y + pseudo_count).sum() for y in (original, sanitized)]
    expected = rel_entr(f[0], f[1]).sum(), rel_entr(f[1], f[0]).sum()
    assert kl_dirichlet(original, sanitized, pseudo_count) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("pseudo_count", [1e-300, 1e-9, 0.5])
def test_kl_of_counts_that_vanish_and_appear(pseudo_count):
    a, n = pseudo_count, 2.0**53
    forward, reverse = kl_dirichlet([n, 0], [0, n], a)
    expected = (
        (log(n + a) - log(a)) * n / (n + 2 * a)
    )  # with a instead of 0, and a total of n + 2 a
    assert forward == pytest.approx(expected, rel=1e-12)
    assert reverse == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("measure", [l1, kl_dirichlet])
def test_invalid_arguments_are_refused(measure):
    for original, sanitized, shapes in (
        ([1, 2, 3], [1], "(3,), got (1,)"),  # numpy would broadcast it
        (np.ones((2, 2)), [1, 2], "(2, 2), got (2,)"),
        ([1, 2, 3], [1, 2], "(3,), got (2,)"),  # numpy refuses it
    ):
        with pytest.raises(ValueError, match=f"sanitized .*original, {re.escape(shapes)}$"):
            measure(original, sanitized)
    for value in (float("nan"), -float("inf")):
        message = f"{{}} .*finite.* got {value} at {{}}"
        with pytest.raises(ValueError, match=message.format("original", 1)):
            measure([1, value, 3], [1, 2, 3])
        with pytest.raises(ValueError, match=r"sanitized .*finite.* got .* at \(1, 0\)"):
            measure(np.ones((2, 2)), [[1, 2], [value, 3]])
    for value in (0, float("nan")):
        with pytest.raises(ValueError, match=f"pseudo_count.* > 0, got {value}"):
            kl_dirichlet([1, 2], [2, 1], value)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_counts_far_below_0_have_no_divergence():
    with pytest.raises(ValueError, match=r"original .*sanitized .*>= 0"):
        kl_dirichlet([1, 2, 3], [1, -2, 3])
