"""Tests of the paper's claims about the noise that a guarantee needs, by formulas and samples.

Comparisons are at the (ε, δ) of the run, unless the claim names others.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from math import sqrt

import numpy as np
import pandas as pd
from scipy.special import ndtr

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test, place
from ggexp.mechanisms import calibration, privacy_loss
from ggexp.mechanisms.distribution import GeneralizedGaussian

LEMMA_11_DELTA = 2 * float(ndtr(-sqrt(2)))  # printed in the paper as 2Φ(√2) ≈ 0.157


@claim_test
def tighter(results: Results, *, mechanisms: tuple[str, str]) -> Comparisons:
    """Test whether the noise of the first mechanism has the smaller sd, at each (ε, δ)."""
    a, b = (results.scales[results.scales["mechanism"] == name] for name in mechanisms)
    merged = a.merge(b, on=["epsilon", "delta"])
    what = "sd of {} < sd of {}".format(*mechanisms)
    for row in merged.to_dict("records"):
        yield Comparison(what, place(row["epsilon"], row["delta"]), row["sd_y"] - row["sd_x"])


@claim_test
def no_more_noise(
    results: Results, *, mechanism: str, others: Sequence[str], within: float
) -> Comparisons:
    """Test whether the sd of a mechanism's noise is at most that of all others, at each (ε, δ).

    within: relative tolerance for equal values that differ by rounding.
    """
    sds = {
        (row["mechanism"], row["epsilon"], row["delta"]): row["sd"]
        for row in results.scales.dropna(subset="delta").to_dict("records")
    }
    for other, ((name, *point), sd) in product(others, sds.items()):
        if name == mechanism and (other, *point) in sds:
            difference = (1 + within) * sds[other, *point] - sd
            yield Comparison(f"sd of {mechanism} <= sd of {other}", place(*point), difference)


@claim_test
def lemma_11() -> Comparisons:
    """Test whether Gaussian noise has a larger sd than Laplace noise for every δ below 0.157.

    For each δ the comparison is at the ε in [1e-6, 1e3] with the smallest ratio of the two.
    """
    epsilons = np.logspace(-6, 3, 91)
    what = f"2Φ(-√2) = {LEMMA_11_DELTA:.5f} rounds to 0.157"
    yield Comparison(what, "", 5e-4 - abs(LEMMA_11_DELTA - 0.157))
    for delta in (1e-9, 1e-6, 0.001, 0.01, 0.05, 0.1, 0.15, LEMMA_11_DELTA):
        ratios = [_sd(2, "pdp", e, delta) / _sd(1, "pure", e, delta) for e in epsilons]
        what = "sd of Gaussian-pDP / sd of Laplace > 1"
        yield Comparison(what, f"δ={delta:.4g}", min(ratios) - 1)


@claim_test
def lemma_11_samples(results: Results, *, draws: int) -> Comparisons:
    """Test `lemma_11` at each (ε, δ) of the run, with sds from draws of the run's noise."""
    rng = np.random.default_rng(results.seed)
    for row in _gaussian_and_laplace(results).to_dict("records"):
        if row["delta_x"] < LEMMA_11_DELTA:
            (gaussian, gaussian_error), (laplace, laplace_error) = (
                _sampled_sd(GeneralizedGaussian(order, scale), rng, draws)
                for order, scale in ((2, row["scale_x"]), (1, row["scale_y"]))
            )
            where = place(row["epsilon"], row["delta_x"])
            error = float(np.hypot(gaussian_error, laplace_error))
            what = "sd of Gaussian-pDP > sd of Laplace"
            yield Comparison(what, where, gaussian - laplace, error)


@claim_test
def beyond_lemma_11(results: Results, *, wider: bool) -> Comparisons:
    """Test whether Gaussian noise has the larger sd at some (ε, δ) with δ above 0.157.

    wider: False to test whether it has the smaller sd at some (ε, δ).
    """
    merged = _gaussian_and_laplace(results)
    merged = merged[merged["delta_x"] > LEMMA_11_DELTA]
    if merged.empty:
        return
    change = (merged["sd_x"] - merged["sd_y"]) * (1 if wider else -1)
    agreeing = merged[change > 0]
    places = [place(*point) for point in zip(agreeing["epsilon"], agreeing["delta_x"], strict=True)]
    what = f"sd of Gaussian-pDP {'>' if wider else '<'} sd of Laplace"
    listed = f": {', '.join(places)}" if places else ""
    where = f"{len(agreeing)} of {len(merged)} points{listed}"
    yield Comparison(what, where, float(change.max()))


def _gaussian_and_laplace(results: Results) -> pd.DataFrame:
    """Return the run's scales of Gaussian-pDP (columns ending in _x) beside Laplace's (in _y)."""
    scales = results.scales
    gaussian = scales[(scales["order"] == 2) & (scales["calibration"] == "pdp")]
    return gaussian.merge(scales[scales["calibration"] == "pure"], on="epsilon")


def _sampled_sd(
    noise: GeneralizedGaussian, rng: np.random.Generator, draws: int
) -> tuple[float, float]:
    """Return the standard deviation of draws around 0, and its standard error."""
    squares = noise.sample(rng, draws) ** 2
    sd = sqrt(squares.mean())
    return sd, float(squares.std()) / (2 * sd * sqrt(draws))


def _sd(order: float, rule: str, epsilon: float, delta: float) -> float:
    return calibration.calibrate(rule, order=order, epsilon=epsilon, delta=delta).sd


@claim_test
def same_noise(results: Results, *, deltas: Sequence[float], within: float) -> Comparisons:
    """Test whether exact (ε, δ)-pDP needs only slightly more Gaussian noise than exact (ε, δ)-aDP.

    deltas: small δ, each with every ε of the run. within: the share by which it may need more.
    """
    what = f"sd of Gaussian noise for pDP within {within:.0%} of aDP"
    for point in product(results.epsilons, deltas):
        yield Comparison(what, place(*point), 1 + within - _pdp_to_adp(*point))


@claim_test
def more_alike(results: Results, *, deltas: Sequence[float]) -> Comparisons:
    """Test whether the ratio of noise, exact pDP to exact aDP, is closer to 1 at a smaller δ."""
    for epsilon in results.epsilons:
        distances = [abs(_pdp_to_adp(epsilon, delta) - 1) for delta in deltas]
        for (a, first), (b, second) in pairwise(zip(deltas, distances, strict=True)):
            where = f"ε={epsilon:g}, δ={a:g} to {b:g}"
            yield Comparison("sd for pDP / sd for aDP closer to 1", where, first - second)


@claim_test
def same_delta(results: Results, *, deltas: Sequence[float], factor: float) -> Comparisons:
    """Test whether noise for exact (ε, δ)-pDP satisfies no (ε, δ')-aDP with δ' far below δ.

    factor: the largest factor by which δ' may be below δ.
    """
    for epsilon, delta in product(results.epsilons, deltas):
        b = calibration.calibrate("pdp-exact", order=2, epsilon=epsilon, delta=delta).scale
        exact = privacy_loss.delta(order=2, scale=b, epsilon=epsilon)
        what = f"δ of aDP / δ of pDP > 1/{factor:g}"
        yield Comparison(what, place(epsilon, delta), exact / delta - 1 / factor)


def _pdp_to_adp(epsilon: float, delta: float) -> float:
    """Return the sd for exact (ε, δ)-pDP, relative to the sd for exact (ε, δ)-aDP."""
    return _sd(2, "pdp-exact", epsilon, delta) / _sd(2, "adp-exact", epsilon, delta)
