"""The numbers of docs/errata.md."""

from itertools import pairwise
from math import e, erf, exp, gamma, log, sqrt, tanh

import numpy as np
import pytest
from printed import check, numbers, table, text
from scipy.integrate import quad
from scipy.special import gammainc, lambertw, ndtr, ndtri
from scipy.stats import gennorm, norm

from ggexp import bounded, calibration, privacy_loss
from ggexp.guarantees import queries, renyi
from ggexp.mechanisms.bounded import truncated_scale

Z = ndtri(0.05 / 2)  # at (1, 0.05)


def lower(a, x):
    """The lower incomplete gamma function, not regularized."""
    return gammainc(a, x) * gamma(a)


def test_variance():
    b = sqrt(2)
    assert b**2 * gamma(3) / gamma(1) == pytest.approx(2 * b**2)
    assert b**2 * gamma(3 / b) / gamma(1 / b) == pytest.approx(1.643, abs=5e-4)


def test_spread_at_the_same_scale():
    def variance(p):
        return gamma(3 / p) / gamma(1 / p)

    low = ", ".join(f"{variance(p):.3g}" for p in (1, 2, 3, 4))
    says = f"is {low} b² at p = 1, 2, 3, 4 and {variance(10):.4f} b² at p = 10"
    assert says in text("errata.md")
    least = min(np.arange(1, 100), key=variance)
    assert f"it is least at p = {least}," in text("errata.md")
    assert variance(10) < variance(20) < variance(1000) < 1 / 3


def test_normalizer_and_tail_of_definitions_5_and_6():
    p, b, s, low, high = 2, 2, 1, 0, 4
    noise = gennorm(p, loc=s, scale=b)
    printed = (lower(1 / p, (high - s) / b) + lower(1 / p, (s - low) / b)) / gamma(1 / p)
    right = sum(lower(1 / p, ((c - s) / b) ** p) for c in (low, high)) / gamma(1 / p) / 2
    assert printed == pytest.approx(1.599, abs=5e-4)
    assert right == pytest.approx(noise.cdf(high) - noise.cdf(low))
    assert right == pytest.approx(0.7433, abs=5e-5)
    printed, right = (
        0.5 - lower(1 / p, x) / (2 * gamma(1 / p))
        for x in ((high - s) / b**p, ((high - s) / b) ** p)
    )
    assert printed == pytest.approx(0.1103, abs=5e-5)
    assert right == pytest.approx(noise.sf(high))
    assert right == pytest.approx(0.01695, abs=5e-6)


def test_corollary_8_needs_the_power():
    g = gennorm.isf(0.025, 2)
    printed = (4 * g + sqrt(16 * g**2 + 8)) / 2  # Pr(4 |e| + 2 > b²) = δ with |e| = b g
    assert printed == pytest.approx(5.884, abs=5e-4)
    beyond = 2 * gennorm.sf((printed**2 - 4) / 4, 2, scale=printed)  # 4 |e| + 4 > b²
    assert beyond == pytest.approx(0.0658, abs=5e-5)
    right = calibration.scale("pdp", order=2, epsilon=1, delta=0.05, sensitivity=2)
    assert right == pytest.approx(6.190, abs=5e-4)
    # appendix F at Δ_2 = 2 with the same scale: (b² ε/Δ - Δ)/2, printed with Δ²
    for step, tail in ((2, 0.05), (4, 0.0834)):
        point = (right**2 / 2 - step) / 2
        assert 2 * gennorm.sf(point, 2, scale=right) == pytest.approx(tail, abs=5e-5)


def test_tails_and_lemma_11():
    assert gennorm.sf(1, 1) == pytest.approx(exp(-1) / 2)
    assert exp(-1) == pytest.approx(0.368, abs=5e-4)
    assert 2 * ndtr(sqrt(2)) == pytest.approx(1.843, abs=5e-4)


def test_lemma_11_turns_round():
    z = ndtri(0.25 / 2)
    threshold = 4 + 2 * sqrt(2) * z
    assert f"At δ = 0.25 that is ε < {threshold:.3f}" in text("errata.md")

    def sds(epsilon):
        return (sqrt(z**2 + 2 * epsilon) - z) / (2 * epsilon), sqrt(2) / epsilon

    assert sds(threshold)[0] == pytest.approx(sds(threshold)[1])
    assert sds(0.99 * threshold)[0] < sds(0.99 * threshold)[1]
    half, one = ("{:.2f} {:.2f}".format(*sds(epsilon)).split() for epsilon in (0.5, 1))
    assert f"at ε = 0.5 the sd are {half[0]} (Gaussian) and {half[1]} (Laplace)" in text(
        "errata.md"
    )
    assert f"at ε = 1 they are {one[0]} and {one[1]}" in text("errata.md")
    # the paper's threshold is where this reaches ε = 0
    assert 4 + 2 * sqrt(2) * ndtri(ndtr(-sqrt(2))) == pytest.approx(0, abs=1e-12)


def test_pdp_and_adp_at_small_delta():
    header, noise, deltas = table("errata.md", "| δ | 0.1 | 0.01 | 10⁻⁶")
    assert header[1:] == ["0.1", "0.01", "10⁻⁶", "10⁻¹²", "10⁻¹⁰⁰"]
    found = []
    for delta in (0.1, 0.01, 1e-6, 1e-12, 1e-100):
        b, of_adp = (
            calibration.scale(rule, order=2, epsilon=1, delta=delta)
            for rule in ("pdp-exact", "adp-exact")
        )
        found.append((b / of_adp, privacy_loss.delta(order=2, scale=b, epsilon=1) / delta))
    for row, values in zip((noise, deltas), zip(*found, strict=True), strict=True):
        check(numbers(*row[1:]), values)


def test_f_14_and_g_15():
    root = sqrt(Z**2 + 2)
    assert (root - Z) / sqrt(2) == pytest.approx(3.095, abs=5e-4)
    assert root / sqrt(2) - Z == pytest.approx(3.669, abs=5e-4)
    square = (root - Z) ** 2 / 8
    assert square == pytest.approx(2.395, abs=5e-4)
    assert Z**2 / 4 + 1 - Z * root == pytest.approx(6.697, abs=5e-4)
    assert (Z**2 + 1 - Z * root) / 4 == pytest.approx(square)


def test_appendix_e_and_lemma_9():
    m, step = 5, 1
    s = np.linspace(-m, m, 101)
    near = np.abs(s[:, None] - s) <= step + 1e-12
    second = np.abs(s[:, None] ** 2 - s**2)[near].max()
    assert second == pytest.approx(2 * m * step - step**2)
    assert second + 2 * step * m == pytest.approx(19)
    assert bounded.lemma_9(2, [(-m, m)], [step]) == 20
    assert bounded.utility_sensitivity(2, [2 * m], [step]) == 19
    for order, (exact, papers, definition_5) in {
        2: (9, 10, 11),
        3: (61, 271, 91),
        4: (369, 3439, 671),
    }.items():
        assert bounded.utility_sensitivity(order, [5], [1]) == pytest.approx(exact, rel=1e-15)
        assert bounded.lemma_9(order, [(0, 5)], [1]) == papers
        b = truncated_scale(order=order, epsilon=1, widths=[5], sensitivities=[1])
        assert b**order / 2 == pytest.approx(definition_5)


@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"),
    [
        (1, 0.05, (3.095, 4.662, 5.867, 10.022)),
        (0.5, 0.25, (3.782, 4.360, 4.558, 4.472)),
        (0.25, 0.25, (7.073, 7.699, 7.644, 6.012)),
        (0.1, 0.4, (12.690, 10.985, 9.105, 4.421)),
    ],
)
def test_the_scale_against_the_order(epsilon, delta, expected):
    for order, b in zip((2, 3, 4, 10), expected, strict=True):
        scale = calibration.scale("pdp", order=order, epsilon=epsilon, delta=delta)
        assert scale == pytest.approx(b, abs=6e-4)


@pytest.mark.filterwarnings("ignore:the proof of 'adp-classical'")
@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        (0.5, (0.000054, 0.00045, 0.0012, 0.0051)),
        (1, (0.00014, 0.0011, 0.0031, 0.013)),
        (2, (0.00043, 0.0036, 0.0095, 0.039)),
        (5, (0.0038, 0.029, 0.070, 0.24)),
        (6, (0.0067, 0.048, 0.112, 0.34)),
    ],
)
def test_the_classical_bound_outside_its_proof(epsilon, expected):
    for delta, printed in zip((0.01, 0.05, 0.1, 0.25), expected, strict=True):
        b = calibration.scale("adp-classical", order=2, epsilon=epsilon, delta=delta)
        exact = privacy_loss.delta(order=2, scale=b, epsilon=epsilon)
        assert exact == pytest.approx(printed, rel=0.05)
        assert (exact > delta) == (epsilon == 6 and delta >= 0.1)


@pytest.mark.filterwarnings("ignore:the proof of 'adp-classical'")
@pytest.mark.parametrize(
    ("epsilon", "delta", "expected"),
    [
        (0.5, 0.01, (6.2150, 5.3390, 5.1755, 3.1469)),
        (1, 0.05, (2.5373, 2.1884, 2.0186, 1.3328)),
        (2, 0.25, (0.8971, 0.8644, 0.7141, 0.5577)),
    ],
)
def test_pdp_is_smaller_only_because_the_classical_bound_is_loose(epsilon, delta, expected):
    names = ("adp-classical", "pdp", "pdp-exact", "adp-exact")
    for name, sigma in zip(names, expected, strict=True):
        b = calibration.scale(name, order=2, epsilon=epsilon, delta=delta)
        assert b / sqrt(2) == pytest.approx(sigma, abs=1e-4)


def test_figure_3_turns_round_at_epsilon_0_9():
    deltas = np.linspace(0.3, 0.5, 2001)[:-1]
    z = ndtri(deltas / 2)
    ratio = (np.sqrt(z**2 + 1.8) - z) / (2 * np.sqrt(2 * np.log(1.25 / deltas)))
    assert deltas[ratio.argmin()] == pytest.approx(0.443, abs=1e-3)
    assert (ratio.min(), ratio[-1]) == pytest.approx((0.8028, 0.8038), abs=5e-5)


@pytest.mark.parametrize(("n", "cost"), [(1, 0.5), (10, 0.906), (1000, 0.999)])
def test_corollary_12(n, cost):
    half = exp(0.5)
    assert log(half * (1 + n * half) / (half + n)) == pytest.approx(cost, abs=5e-4)


def test_lecture():
    bound = log(2 / 0.01)
    assert 2 * exp(-bound / 2) == pytest.approx(sqrt(2 * 0.01))
    assert 2 * ndtr(-sqrt(bound)) == pytest.approx(0.0213, abs=5e-5)
    b = calibration.scale("adp-lecture", order=2, epsilon=1, delta=0.01)
    assert privacy_loss.delta(order=2, scale=b, epsilon=1) == pytest.approx(7.6e-5, rel=0.01)
    assert 2 / e == pytest.approx(0.736, abs=5e-4)


def f(v, delta, q=1.0):
    return -log(v / (q - v) * (1 / (delta + v) - 1))


def test_guessing_advantage():
    assert [f(p, 0.1) for p in (0.3, 0.45, 0.6)] == pytest.approx(
        [0.4418, 0.4013, 0.4418], abs=5e-5
    )
    assert f(0.475, 0.1) == pytest.approx(0.4024, abs=5e-5)
    assert -log(0.475 / 0.425 * 0.425 / 0.575) == pytest.approx(0.191, abs=5e-4)
    p, q, delta, h = 0.2, 0.6, 0.1, 1e-6
    first = 1 / ((p + delta) - (p + delta) ** 2)
    slope = (f(p + h, delta, q) - f(p - h, delta, q)) / (2 * h)
    assert slope == pytest.approx(first - q / (p * (q - p)), rel=1e-6)
    assert slope == pytest.approx(-2.738, abs=5e-4)
    assert first - 1 / ((q - p) - (q - p) ** 2) == pytest.approx(0.595, abs=5e-4)

    def advantage(p):
        return 1 / (1 + exp(-1) * (1 - p) / p) - p

    assert advantage(1 / (1 + exp(-0.5))) == pytest.approx(0.195, abs=5e-4)
    assert advantage(1 / (1 + exp(0.5))) == pytest.approx(tanh(0.25))
    assert erf(100 / 333.3) == pytest.approx(0.3287, abs=5e-5)
    assert f(0.42, 0.1, 0.6) == pytest.approx(-0.767, abs=5e-4)
    assert f(0.22, 0.1, 0.43) == pytest.approx(-0.800, abs=5e-4)


def posterior_change(epsilon, sd, within, truth=0.0, peak=0.0):
    """How Laplace noise of ε per unit changes a guess within a precision of a normal value."""
    ends = (truth - within, truth + within)
    cuts = sorted({-9 * sd, *ends, peak, 9 * sd})
    density = norm(scale=sd).pdf
    parts = {
        (a, b): quad(lambda x: exp(-epsilon * abs(x - peak)) * density(x), a, b)[0]
        for a, b in pairwise(cuts)
    }
    hit = sum(part for (a, b), part in parts.items() if ends[0] <= a and b <= ends[1])
    return hit / sum(parts.values()) - norm.cdf(ends[1] / sd) + norm.cdf(ends[0] / sd)


def test_guessing_within_a_precision():
    place, prior = np.array([-1, 0, 1.5]), np.array([0.44, 0.01, 0.55])
    epsilon = f(0.45, 0.1) / 1.5
    assert epsilon == pytest.approx(0.268, abs=5e-4)
    posterior = prior * np.exp(-epsilon * place)
    assert posterior[:2].sum() / posterior.sum() == pytest.approx(0.614, abs=5e-4)
    one, two = (erf(x / sqrt(2)) for x in (1, 2))
    assert (one, two - one) == pytest.approx((0.683, 0.272), abs=5e-4)
    assert posterior_change(0.0038, 235.7, 100) == pytest.approx(0.167, abs=5e-4)
    assert posterior_change(0.063, sqrt(1250), 10) == pytest.approx(0.312, abs=5e-4)
    off = {peak: posterior_change(0.00222, 235.7, 100, 225, peak) for peak in (225, 275, 325)}
    assert max(off.values()) == pytest.approx(0.115, abs=5e-4)
    at_mean = max(posterior_change(0.00222, 235.7, 100, 0, peak) for peak in (0, 50, 100))
    assert at_mean == pytest.approx(0.100, abs=5e-4)


def test_guessing_with_a_delta():
    delta, eta = 0.01, 0.01 / e
    data = np.array([[1 - 2 * delta, delta, delta], [1 - eta, 0, eta], [1 - eta, eta, 0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, one in enumerate(data):
            for other in np.delete(data, i, axis=0):
                loss = np.nan_to_num(np.abs(np.log(one / other)), nan=0, posinf=9)
                assert one[loss > 1 + 1e-9].sum() <= delta
    prior = np.array([0.4, 0.3, 0.3])
    posterior = prior[0] * data[0] / (prior @ data)
    bound = 1 / (1 + exp(-1) * 0.6 / 0.4)
    assert data[0][posterior > bound].sum() == pytest.approx(2 * delta)
    sigma = calibration.scale("adp-exact", order=2, epsilon=1, delta=0.05) / sqrt(2)
    y = np.linspace(-20, 20, 400_001)
    for unit, expected in ((1, 0.0325), (100, 3.25)):
        noise = norm(scale=sigma / unit)
        excess = noise.pdf(y / unit) - e * noise.pdf((y - 1) / unit)
        assert excess.max() == pytest.approx(expected, rel=2e-3)


def test_lambert_w():
    printed, newton = [1.0, 1.0], [1.0]
    for _ in range(8):
        w, before = printed[-1], printed[-2]
        printed.append(before - (before * exp(w) - 1) / ((w + 1) * exp(w)))
        w = newton[-1]
        newton.append(w - (w * exp(w) - 1) / ((w + 1) * exp(w)))
    assert newton[4] == pytest.approx(lambertw(1).real, abs=1e-6)
    assert printed[-1] == pytest.approx(0.580, abs=5e-4)


def test_mean_of_the_gg_distribution():
    b, mean = sqrt(2), 3
    moment = quad(lambda x: x * gennorm.pdf(x, 2, loc=mean, scale=b), -20, 26, points=[mean])[0]
    assert moment == pytest.approx(3)


def test_the_lectures_condition_for_gaussian_noise():
    for delta, found, said in ((1e-6, 12, 8), (1e-3, 7, 5)):
        assert queries.crossing("laplace", "gaussian", epsilon=1, delta=delta) == found
        assert next(k for k in range(1, 99) if k * log(k) >= log(1 / delta)) == said
    assert "from k = 12 on at δ = 10⁻⁶ and from k = 7 on at δ = 10⁻³" in text("errata.md")
    assert "where the condition says 8 and 5" in text("errata.md")


def test_no_pure_dp_as_alpha_grows():
    for order, scale, expected in ((2, sqrt(2), (5, 50, 500)), (1, 1, (0.929, 0.993, 0.999))):
        for alpha, divergence in zip((10, 100, 1000), expected, strict=True):
            found = renyi.divergence(order=order, scale=scale, alpha=alpha)
            assert found == pytest.approx(divergence, abs=5e-4)


def test_the_loss_of_approximate_dp():
    b = calibration.scale("adp-exact", order=2, epsilon=1, delta=0.05)
    sigma = b / sqrt(2)
    # L = (2x + 1) / (2σ²) of normal x
    assert ndtr(-(sigma**2 - 0.5) / sigma) == pytest.approx(0.169, abs=5e-4)


def test_noise_on_each_point():
    b, n, epsilon, delta = 1, 1000, 0.5, 1e-6
    sigma = 2 * b * sqrt(2 * log(1.25 / delta)) / epsilon
    assert sigma / sqrt(n) == pytest.approx(0.670, abs=5e-4)
    assert sigma / n == pytest.approx(0.0212, abs=5e-5)
    assert sigma / n == pytest.approx(0.021195, abs=5e-7)
    noise = np.random.default_rng(1).normal(0, sigma, (2000, n)).mean(axis=1)
    # its sd has a relative error of 1/√4000
    assert noise.std() == pytest.approx(sigma / sqrt(n), rel=5 / sqrt(4000))
