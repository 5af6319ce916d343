"""Numbers about errors in the lectures and in the paper on guessing: docs/errata.md."""

from math import e, erf, exp, log, sqrt, tanh

import numpy as np
from scipy.special import lambertw, ndtr
from scipy.stats import norm

from facts import fact
from facts.guessing import SALARIES, SHIPS, after_laplace
from facts.library import scale, sd
from ggexp import privacy_loss
from ggexp.companions import renyi


@fact
def lecture():
    """At δ = 0.01: the bound √(2δ), the probability that it bounds, and the exact δ; also 2/e."""
    bound = 2 * exp(-log(2 / 0.01) / 2)
    assert np.isclose(bound, sqrt(2 * 0.01))
    b = scale("adp-lecture", 2, 1, 0.01)
    sds = [sd("adp-lecture", 2, 1, 0.01), sd("pure", 1, 1, 0.01)]
    assert np.isclose((sds[0] / sds[1]) ** 2, log(2 / 0.01))
    return {
        "variances": [value**2 for value in sds],
        "sds": sds,
        "bound": bound,
        "probability": 2 * ndtr(-sqrt(log(2 / 0.01))),
        "delta": privacy_loss.delta(order=2, scale=b, epsilon=1),
        "largest-delta": (2, 2 / e),
    }


@fact
def cs208():
    """Rényi divergences, a loss under approximate DP, and sds of noise on points and on a mean."""
    noises = {"gaussian": (2, sqrt(2)), "laplace": (1, 1)}
    divergences = {
        name: [renyi.divergence(order=order, scale=b, alpha=a) for a in (10, 100, 1000)]
        for name, (order, b) in noises.items()
    }
    # the smallest Gaussian noise for (1, 0.05)-DP; the loss is (2x + 1) / (2σ²) for normal x
    sigma = scale("adp-exact", 2, 1, 0.05) / sqrt(2)
    loss = ndtr(-(sigma**2 - 0.5) / sigma)
    n, sigma = 1000, 2 * sqrt(2 * log(1.25 / 1e-6)) / 0.5
    noise = np.random.default_rng(1).normal(0, sigma, (2000, n)).mean(axis=1)
    assert abs(noise.std() / (sigma / sqrt(n)) - 1) < 5 / sqrt(4000)  # 5 standard errors
    return {**divergences, "loss": loss, "points": (sigma / sqrt(n), sigma / n)}


def f(v, delta, q=1.0):
    return -log(v / (q - v) * (1 / (delta + v) - 1))


@fact
def priors():
    """Section 4.1: the worst prior, the derivative, advantages at two priors, wrong distances."""
    p, q, delta, h = 0.2, 0.6, 0.1, 1e-6
    first = 1 / ((p + delta) - (p + delta) ** 2)
    slope = (f(p + h, delta, q) - f(p - h, delta, q)) / (2 * h)
    printed, correct = first - 1 / ((q - p) - (q - p) ** 2), first - q / (p * (q - p))

    def advantage(p):
        return 1 / (1 + exp(-1) * (1 - p) / p) - p

    two = [advantage(1 / (1 + exp(sign * 0.5))) for sign in (-1, 1)]
    assert np.isclose(two[1], tanh(0.25))
    location, prior = np.array([-1, 0, 1.5]), np.array([0.44, 0.01, 0.55])
    epsilon = f(0.45, 0.1) / 1.5
    posterior = prior * np.exp(-epsilon * location)
    return {
        "worst": (*(f(v, 0.1) for v in (0.3, 0.45, 0.6)), 0.3, 0.45, 0.6),
        "derivative": (slope, printed, correct),
        "two": two,
        "distances": (epsilon, 0.1, 0.45, posterior[:2].sum() / posterior.sum()),
    }


@fact
def examples_of_guesses():
    """Theorem 2, and the examples of section 6 as printed."""
    within_1, within_2 = (erf(x / sqrt(2)) for x in (1, 2))
    reached = after_laplace(0.0038, SALARIES, 100), after_laplace(0.063, SHIPS, 10)
    at_mean = max(after_laplace(0.00222, SALARIES, 100, 0, peak) for peak in (0, 50, 100))
    off_mean = max(after_laplace(0.00222, SALARIES, 100, 225, peak) for peak in (225, 275, 325))
    return {
        "theorem-2": (2, within_1, within_2 - within_1),  # for a standard normal value, at a = 2
        "or": -log(0.475 / 0.425 * 0.425 / 0.575),
        "or-priors": (0.475, f(0.475, 0.1), 0.45, f(0.45, 0.1)),
        "prior": erf(100 / 333.3),
        "salaries": (2.154, f(0.42, 0.1, 0.6)),
        "ships": (2.226, f(0.22, 0.1, 0.43)),
        "advantages": (0.0038, 0.063, *reached),
        "off-the-mean": (at_mean, off_mean, 225),
    }


@fact
def fall_of_a_guess():
    """A prior, and its decrease at Theorem 2's ε for a cat's gender or colour, ln 1.5."""
    return 0.55, 0.55 - 0.55 / (0.55 + 0.45 * 1.5)


@fact
def lambert_w_of_1():
    """W, the number of Newton's steps to it, and the result of 8 steps of the printed recursion."""
    printed, newton = [1.0, 1.0], [1.0]
    for _ in range(8):
        w, before = printed[-1], printed[-2]
        printed.append(before - (before * exp(w) - 1) / ((w + 1) * exp(w)))
        w = newton[-1]
        newton.append(w - (w * exp(w) - 1) / ((w + 1) * exp(w)))
    w = lambertw(1).real
    steps = next(k for k, value in enumerate(newton) if abs(value - w) < 5e-7)
    return 1, w, steps, printed[-1], 8


@fact
def pdp_by_pairs():
    """The probability that the bound on the first of three data sets fails, divided by δ.

    All pairs of the data sets satisfy (1, δ)-pDP.
    """
    delta, eta = 0.01, 0.01 / e
    data = np.array([[1 - 2 * delta, delta, delta], [1 - eta, 0, eta], [1 - eta, eta, 0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        for i, probabilities in enumerate(data):
            for other in np.delete(data, i, axis=0):
                loss = np.nan_to_num(np.abs(np.log(probabilities / other)), nan=0, posinf=9)
                assert probabilities[loss > 1 + 1e-9].sum() <= delta
    prior = np.array([0.4, 0.3, 0.3])
    posterior = prior[0] * data[0] / (prior @ data)
    bound = 1 / (1 + exp(-1) * 0.6 / 0.4)
    return data[0][posterior > bound].sum() / delta


@fact
def excess_of_densities():
    """The largest f - e^ε f′ for normal noise at (1, 0.05), in records and in hundreds of them."""
    sigma = scale("adp-exact", 2, 1, 0.05) / sqrt(2)
    y = np.linspace(-20, 20, 400_001)
    largest = []
    for unit in (1, 100):
        noise = norm(scale=sigma / unit)
        largest.append((noise.pdf(y / unit) - e * noise.pdf((y - 1) / unit)).max())
    return largest
