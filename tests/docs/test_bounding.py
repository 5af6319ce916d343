"""The numbers of docs/bounding.md."""

from functools import cache
from math import exp, log

import numpy as np
import pytest
from printed import check, numbers, table, text
from scipy.integrate import quad
from scipy.stats import gennorm

from ggexp import bounded, calibration, privacy_loss
from ggexp.mechanisms.post_hoc import clamped_pdp_delta, redrawn_pdp_delta

PAGE = "bounding.md"
SIZES = (70, 1841, 20_009)
WIDTH = 20


@cache
def largest_share(rule, order, epsilon, delta):
    """The largest Pr(|loss| > ε) : δ of redrawn counts below 60."""
    b = calibration.scale(rule, order=order, epsilon=epsilon, delta=delta)
    return max(
        redrawn_pdp_delta(order=order, scale=b, epsilon=epsilon, count=count, bound=bound) / delta
        for bound in SIZES
        for count in range(60)
    )


def test_redrawing():
    header, *rows = table(PAGE, "Pr(¦loss¦ > ε) : δ")
    points = [tuple(map(float, numbers(cell))) for cell in header[1:]]
    for row in rows:
        order = float(row[0].removeprefix("p = "))
        check(numbers(*row[1:]), [largest_share("pdp", order, *point) for point in points])


def test_redrawing_at_the_points_of_the_experiments():
    points = [(e, d) for e in (0.5, 1, 2) for d in (0.01, 0.05, 0.1, 0.25)]
    shares = {
        (order, *point): largest_share("pdp", order, *point)
        for order in (2, 3, 4)
        for point in points
    }
    assert "with 0.786 δ at most" in text(PAGE)
    assert max(shares.values()) == pytest.approx(0.786, abs=5e-4)
    for (order, epsilon, delta), share in shares.items():
        # far from the bounds: Pr(e > t) + Pr(e > t + 1) of the noise itself
        b = calibration.scale("pdp", order=order, epsilon=epsilon, delta=delta)
        t = gennorm.isf(delta / 2, order, scale=b)
        free = gennorm.sf(t, order, scale=b) + gennorm.sf(t + 1, order, scale=b)
        assert share == pytest.approx(free / delta, rel=1e-6)


def test_redrawing_in_general():
    b = calibration.scale("pdp", order=3, epsilon=0.1, delta=0.5)
    found = redrawn_pdp_delta(order=3, scale=b, epsilon=0.1, count=0, bound=1841)
    assert found == pytest.approx(0.561, abs=5e-4)
    factor = gennorm.logsf(0, 3, loc=1, scale=b) - gennorm.logsf(0, 3, scale=b)
    assert factor == pytest.approx(0.129, abs=5e-4)
    assert "0.561 > 0.5" in text(PAGE)
    assert "ln Z(1)/Z(0) = 0.129" in text(PAGE)


def test_laplace_redrawn():
    header, true, clamped = table(PAGE, "ε claimed")
    epsilons = [float(one) for one in header[1:]]
    check(true[1:], [log(2 * exp(epsilon) - 1) for epsilon in epsilons])
    check(clamped[1:], epsilons)


def test_clamping():
    b = calibration.scale("pdp", order=2, epsilon=0.5, delta=0.01)
    noise = gennorm(2, scale=b)
    reach = 0.5 * b**2 / 2
    low, high = 12.5 - reach, 12.5 + reach
    before = noise.cdf(low - 12) + noise.sf(high - 12)
    after = clamped_pdp_delta(order=2, scale=b, epsilon=0.5, count=12)
    exact = privacy_loss.delta(order=2, scale=b, epsilon=0.5)
    sentence = (
        f"so b = {b:.3f}: before, outcomes below {low:.2f} or above {high:.2f} exceed ε, with "
        f"probability {before:.4f}. After clamping"
    )
    assert sentence in text(PAGE)
    assert f"and the probability is {after:.4f}." in text(PAGE)
    assert f"that release has exact δ = {exact:.5f} at ε = 0.5." in text(PAGE)


def error(order, b, count, inflated):
    """The root mean squared error of a release in [0, 20], by quadrature."""
    noise = gennorm(order, loc=count, scale=b)
    square = sum(
        quad(lambda x: (x - count) ** 2 * noise.pdf(x), *ends)[0]
        for ends in ((0, count), (count, WIDTH))
    )
    if inflated:
        square += count**2 * noise.cdf(0) + (WIDTH - count) ** 2 * noise.sf(WIDTH)
    else:
        square /= noise.cdf(WIDTH) - noise.cdf(0)
    return square**0.5


def scales(order):
    """Of Definition 5, of the exponential mechanism with Lemma 9 and with the exact Δ_u, of BIT."""
    utilities = (
        bounded.lemma_9(order, [(0, WIDTH)], [1]),
        bounded.utility_sensitivity(order, [WIDTH], [1]),
    )
    return (
        bounded.truncated_scale(order=order, epsilon=1, widths=[WIDTH], sensitivities=[1]),
        *(bounded.gg_scale(order=order, epsilon=1, utility_sensitivity=u) for u in utilities),
        bounded.inflated_scale(order=order, epsilon=1, width=WIDTH, sensitivity=1),
    )


def test_what_epsilon_dp_costs():
    _, *rows = table(PAGE, "exponential, Lemma 9")
    assert [row[0] for row in rows] == ["1", "2", "3", "4"]
    for row in rows:
        order = int(row[0])
        definition_5, lemma_9, exact, inflated = scales(order)
        values = [definition_5, lemma_9, exact]
        values += [error(order, exact, count, inflated=False) for count in (10, 1)]
        values += [inflated, *(error(order, inflated, count, inflated=True) for count in (10, 1))]
        check(numbers(*row[1:]), values)


def test_true_costs():
    s = np.linspace(0, WIDTH, 201)  # the worst pairs are a step apart
    x = np.linspace(0, WIDTH, 2001)
    costs = []
    for order in (1, 2, 3, 4):
        noise = gennorm(order, loc=s[:, None], scale=scales(order)[2])
        logs = noise.logpdf(x) - np.log(noise.cdf(WIDTH) - noise.cdf(0))
        costs.append(max(np.abs(logs[k:] - logs[: len(s) - k]).max() for k in range(1, 11)))
    printed = ", ".join(f"{cost:.2f}" for cost in costs)
    assert f"the true cost at the exact-Δ_u scale is {printed}, not 1." in text(PAGE)


def test_bounded_noise():
    bounds = [bounded.truncated_laplace(epsilon=e, delta=0.01).high for e in (0.5, 1, 2)]
    printed = ", ".join(f"{bound:.2f}" for bound in bounds)
    assert f"At δ = 0.01 and ε = 0.5, 1, 2: A = {printed}." in text(PAGE)
