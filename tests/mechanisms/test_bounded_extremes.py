"""Scales for bounded statistics of widths from Δ to 1e18 Δ, against 80-digit arithmetic."""

from math import exp, inf, log

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ggexp.mechanisms import calibration
from ggexp.mechanisms.bounded import (
    bounded_gg,
    gg_scale,
    inflated_scale,
    lemma_9,
    truncated_scale,
    utility_sensitivity,
)
from ggexp.mechanisms.several_coordinates import pdp_scale
from ggexp.mechanisms.tails import log_tail_ratio

TOLERANCE = 1e-12


def powers_of_10(low, high):
    """Return a strategy for numbers whose logarithm is uniform."""
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


@pytest.mark.parametrize(
    ("order", "width", "expected"),
    [(1, w, 2) for w in (1e9, 1e15, 1e16, 1e18)] + [(2, 1e15, (4e15 + 2) ** 0.5)],
)
def test_truncated_scale_does_not_cancel(order, width, expected):
    b = truncated_scale(order=order, epsilon=1, widths=[width], sensitivities=[1])
    assert_precise(b, expected)


@pytest.mark.parametrize(
    ("order", "width", "expected"),
    [(1, w, 1) for w in (1e9, 1e15, 1e16, 1e18)]
    # for large w/b the log ratio is p (w/b)^p Δ/w (1 + (1 - 1/p) (b/w)^p ...); 80-digit result
    + [(1.5, 1e15, 131037.0697104496447)],
)
def test_inflated_scale_does_not_cancel(order, width, expected):
    assert_precise(inflated_scale(order=order, epsilon=1, width=width, sensitivity=1), expected)


@pytest.mark.parametrize("width", [1e15, 1e16, 1e18])
def test_bounded_gg_does_not_cancel(width):
    b = bounded_gg(order=2, epsilon=1, low=0, high=width, sensitivity=1).scale
    assert_precise(b, mpmath.sqrt(2 * (2 * mpmath.mpf(width) - 1)))


@given(**POINTS)
def test_truncated_scale_and_bounded_gg_are_exact(order, epsilon, ratio, step):
    width = max(step, step * ratio)
    with mpmath.workdps(80):
        p, w, d = (mpmath.mpf(value) for value in (order, width, step))
        expected = (2 / mpmath.mpf(epsilon) * ((w + d) ** p - w**p)) ** (1 / p)
        exponential = (2 / mpmath.mpf(epsilon) * (w**p - (w - d) ** p)) ** (1 / p)
    b = truncated_scale(order=order, epsilon=epsilon, widths=[width], sensitivities=[step])
    assert_precise(b, expected)
    chosen = bounded_gg(order=order, epsilon=epsilon, low=0, high=width, sensitivity=step).scale
    assert_precise(chosen, exponential)


@given(**POINTS, ratio_2=RATIOS, share=st.floats(1e-3, 1))
def test_truncated_scale_of_two_coordinates_is_exact(order, epsilon, ratio, step, ratio_2, share):
    steps = [step, share * step]
    widths = [max(step, step * ratio), max(steps[1], steps[1] * ratio_2)]
    joint = max(steps) * 1.1
    with mpmath.workdps(80):
        p = mpmath.mpf(order)
        loss = sum(
            (mpmath.mpf(w) + d) ** p - mpmath.mpf(w) ** p - mpmath.mpf(d) ** p
            for w, d in zip(widths, steps, strict=True)
        )
        expected = (2 / mpmath.mpf(epsilon) * (loss + mpmath.mpf(joint) ** p)) ** (1 / p)
    b = truncated_scale(
        order=order, epsilon=epsilon, widths=widths, sensitivities=steps, sensitivity_p=joint
    )
    assert_precise(b, expected)


def exact_log_ratio(order, width, step, b):
    """Return ln Pr(e > w - Δ) - ln Pr(e > w) for e from GG(0, b, p), to 40 digits or more."""
    with mpmath.workdps(80):
        p = mpmath.mpf(order)
        inner_tail, outer_tail = (
            mpmath.gammainc(1 / p, (mpmath.mpf(x) / b) ** p, regularized=True)
            for x in (mpmath.mpf(width) - step, width)
        )
        return mpmath.log(inner_tail / outer_tail)


@settings(max_examples=30)
@given(**POINTS)
@example(order=1.5, epsilon=1, ratio=1e15, step=1.0)
@example(order=50, epsilon=1000, ratio=1.0, step=1.0)
def test_inflated_scale_is_exact(order, epsilon, ratio, step):
    width = max(step, step * ratio)
    b = inflated_scale(order=order, epsilon=epsilon, width=width, sensitivity=step)
    with mpmath.workdps(80):
        smaller, larger = (b * (1 + mpmath.mpf(sign) * TOLERANCE) for sign in (-1, 1))
        assert exact_log_ratio(order, width, step, smaller) > epsilon
        assert exact_log_ratio(order, width, step, larger) < epsilon


@given(order=ORDERS, ratio=RATIOS, step=powers_of_10(1e-3, 1e3))
@example(order=23.0, ratio=exp(25), step=exp(6))  # the power w^p alone overflows
def test_utility_sensitivity_is_exact_or_refused(order, ratio, step):
    width = max(step, step * ratio)
    with mpmath.workdps(80):
        p, w = mpmath.mpf(order), mpmath.mpf(width)
        expected = w**p - (w - step) ** p
    if expected > np.finfo(float).max:
        with pytest.raises(ValueError, match=r"utility_sensitivity must be .*, got inf"):
            utility_sensitivity(order, [width], [step])
    else:
        assert_precise(utility_sensitivity(order, [width], [step]), expected)


@pytest.mark.slow
@given(
    order=st.integers(1, 12),
    low=st.just(0.0) | powers_of_10(1e-3, 1e18).map(lambda x: -x) | powers_of_10(1e-3, 1e18),
    ratio=RATIOS,
)
@example(order=3, low=0.0, ratio=1e18)
def test_lemma_9_is_exact(order, low, ratio):
    high = max(low + 1, low + ratio)
    assume(low < high)
    step = min(1.0, high - low)
    with mpmath.workdps(400):
        c0, c1, d, w = (mpmath.mpf(x) for x in (low, high, step, high - low))
        largest = max(abs(c0), abs(c1))

        def power_sensitivity(j):
            if j % 2:
                return max(c1**j - (c1 - d) ** j, (c0 + d) ** j - c0**j)
            return largest**j - max(largest - d, 0) ** j

        if order <= 2:
            expected = order * w ** (order - 1) * d
        else:
            expected = sum(
                mpmath.binomial(order, j) * largest ** (order - j) * power_sensitivity(j)
                for j in range(1, order + 1)
            )
    assert_precise(lemma_9(order, [(low, high)], [step]), expected)


def test_a_utility_sensitivity_that_overflows_is_refused_but_its_scale_is_not():
    for call in (
        lambda: utility_sensitivity(50, [1e18], [1]),
        lambda: lemma_9(50, [(0, 1e18)], [1]),
    ):
        with pytest.raises(ValueError, match=r"utility_sensitivity must be .*, got inf"):
            call()
    assert 1e18 / 3 < bounded_gg(order=50, epsilon=1, low=0, high=1e18, sensitivity=1).scale < 1e18


ORDER_3 = {"order": 3, "epsilon": 1.0}


@pytest.mark.parametrize(
    "function",
    [
        lambda: truncated_scale(order=1, epsilon=1e300, widths=[1], sensitivities=[1e-30]),
        lambda: truncated_scale(order=1, epsilon=1e-320, widths=[1], sensitivities=[1]),
        lambda: inflated_scale(order=1, epsilon=1e300, width=1, sensitivity=1e-30),
        lambda: inflated_scale(order=1, epsilon=1e-320, width=1e300, sensitivity=1e300),
        lambda: gg_scale(order=1, epsilon=1e300, utility_sensitivity=1e-30),
        lambda: gg_scale(order=1, epsilon=1e-320, utility_sensitivity=1),
        lambda: bounded_gg(order=1, epsilon=1e300, low=0, high=1, sensitivity=1e-30),
        lambda: calibration.zcdp_scale(1e300, 1e-200),
        lambda: calibration.zcdp_scale(1e-300, 1e200),
        lambda: pdp_scale(
            order=1, sensitivities=[1], epsilon=1e-320, delta=0.1, rng=np.random.default_rng(0)
        ),
    ],
)
def test_a_scale_of_0_or_infinity_is_refused(function):
    with pytest.raises(ValueError, match=r"scale.* > 0, got (0\.0|inf)"):
        function()


@pytest.mark.parametrize("order", [1.01, 2, 10, 50])
@pytest.mark.parametrize("power", [1e-3, 1, 30, 1000])
@pytest.mark.parametrize("share", [1e-18, 0.1, 0.999, 1])
def test_log_tail_ratio_is_exact(order, power, share):
    x = power ** (1 / order)
    with mpmath.workdps(80):
        inner_point = mpmath.mpf(x) * (1 - mpmath.mpf(share))
        expected = exact_log_ratio(order, x, x - inner_point, 1)
    assert 0 < log_tail_ratio(order, x, share) < inf
    assert_precise(log_tail_ratio(order, x, share), expected)
