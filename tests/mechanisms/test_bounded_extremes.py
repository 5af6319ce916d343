"""Scales for bounded statistics of widths from Δ to 1e18 Δ, against 80-digit arithmetic."""

from math import exp, log

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ggexp.mechanisms import bounded

TOLERANCE = 1e-12


def powers_of_10(low, high):
    return st.floats(log(low), log(high)).map(exp)


ORDERS = (
    st.floats(1, 50)
    | st.sampled_from([1, 1.5, 2, 3, 4, 50])
    | powers_of_10(1e-15, 1e-2).map(lambda excess: 1 + excess)
)
EPSILONS = powers_of_10(1e-6, 1e3)
# w/Δ: of the usual size, large, and close to 1
RATIOS = st.floats(1, 10) | powers_of_10(1, 1e18) | powers_of_10(1e-16, 1).map(lambda x: 1 + x)
POINTS = {"order": ORDERS, "epsilon": EPSILONS, "ratio": RATIOS, "step": powers_of_10(1e-3, 1e3)}


def assert_precise(actual, expected):
    assert abs(actual / expected - 1) < TOLERANCE, (actual, mpmath.nstr(expected, 20))


@settings(max_examples=50)
@given(**POINTS)
def test_truncated_scale_and_bounded_gg_are_exact(order, epsilon, ratio, step):
    width = max(step, step * ratio)
    with mpmath.workdps(80):
        p, w, d = (mpmath.mpf(value) for value in (order, width, step))
        expected = (2 / mpmath.mpf(epsilon) * ((w + d) ** p - w**p)) ** (1 / p)
        exponential = (2 / mpmath.mpf(epsilon) * (w**p - (w - d) ** p)) ** (1 / p)
    b = bounded.truncated_scale(order=order, epsilon=epsilon, widths=[width], sensitivities=[step])
    assert_precise(b, expected)
    chosen = bounded.bounded_gg(
        order=order, epsilon=epsilon, low=0, high=width, sensitivity=step
    ).scale
    assert_precise(chosen, exponential)


def exact_log_ratio(order, width, step, b):
    """Return ln Pr(e > w - Δ) - ln Pr(e > w) for e from GG(0, b, p), to 40 digits or more."""
    with mpmath.workdps(80):
        p = mpmath.mpf(order)
        inner_tail, outer_tail = (
            mpmath.gammainc(1 / p, (mpmath.mpf(x) / b) ** p, regularized=True)
            for x in (mpmath.mpf(width) - step, width)
        )
        return mpmath.log(inner_tail / outer_tail)


@settings(max_examples=10)
@given(**POINTS)
@example(order=1.5, epsilon=1, ratio=1e15, step=1.0)
@example(order=50, epsilon=1000, ratio=1.0, step=1.0)
def test_inflated_scale_is_exact(order, epsilon, ratio, step):
    width = max(step, step * ratio)
    b = bounded.inflated_scale(order=order, epsilon=epsilon, width=width, sensitivity=step)
    with mpmath.workdps(80):
        smaller, larger = (b * (1 + mpmath.mpf(sign) * TOLERANCE) for sign in (-1, 1))
        assert exact_log_ratio(order, width, step, smaller) > epsilon
        assert exact_log_ratio(order, width, step, larger) < epsilon


@settings(max_examples=50)
@given(order=ORDERS, ratio=RATIOS, step=powers_of_10(1e-3, 1e3))
@example(order=23.0, ratio=exp(25), step=exp(6))  # the power w^p alone overflows
def test_utility_sensitivity_is_exact_or_refused(order, ratio, step):
    width = max(step, step * ratio)
    with mpmath.workdps(80):
        p, w = mpmath.mpf(order), mpmath.mpf(width)
        expected = w**p - (w - step) ** p
    if expected > np.finfo(float).max:
        with pytest.raises(ValueError, match=r"utility_sensitivity must be .*, got inf"):
            bounded.utility_sensitivity(order, [width], [step])
        # the scale is not too large
        b = bounded.bounded_gg(order=order, epsilon=1, low=0, high=width, sensitivity=step).scale
        assert width / 10 < b < width
    else:
        assert_precise(bounded.utility_sensitivity(order, [width], [step]), expected)


def test_a_scale_of_0_or_infinity_is_refused():
    with pytest.raises(ValueError, match=r"scale.* > 0, got inf"):
        bounded.inflated_scale(order=1, epsilon=1e-320, width=1e300, sensitivity=1e300)
    with pytest.raises(ValueError, match=r"scale.* > 0, got 0\.0"):
        bounded.bounded_gg(order=1, epsilon=1e300, low=0, high=1, sensitivity=1e-30)
