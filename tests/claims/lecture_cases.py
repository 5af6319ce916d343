"""Mutations that change the verdict of each claim of the lectures or on many queries."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from mutations import column, figure, multiplied, multiplied_field, patched, rule, scaled, together
from scipy.special import ndtr

from ggexp.claims.evidence import Results
from ggexp.companions import renyi
from ggexp.companions.claims import cs208, lectures
from ggexp.companions.figures import tabulate_queries
from ggexp.guarantees import composition
from ggexp.mechanisms import calibration, sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian


@cache
def results():
    with pytest.MonkeyPatch.context() as patch:  # fewer points
        patch.setattr(tabulate_queries, "KS", (3, 8, 12, 30))
        patch.setattr(tabulate_queries, "SIMULATED", (3, 30))
        patch.setattr(tabulate_queries, "RELEASES", (35, 200))
        patch.setattr(tabulate_queries, "QUERIES", (50, 200, 1000))
        figures = {"s5": tabulate_queries.many_queries(seed=1)}
        patch.setattr(tabulate_queries, "DELTAS", (1e-6,))
        figures["s8"] = tabulate_queries.boundary()
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures, seed=1)


def crossing(more, **where):
    return figure("s5", {"kind": "crossing", **where}, k=lambda t: t["k"] + more)


class Rng:
    """A generator whose noise is multiplied or shifted, or whose normal noise is Laplace noise."""

    def __init__(self, rng, factor=1.0, shift=0.0, laplace_noise=False):
        self.rng, self.factor, self.shift = rng, factor, shift
        self.laplace_noise = laplace_noise
        self.integers = rng.integers

    def laplace(self, location, scale, size):
        return self.factor * self.rng.laplace(location, scale, size) + self.shift

    def normal(self, location, scale, size):
        draw = self.rng.laplace if self.laplace_noise else self.rng.normal
        return self.factor * draw(location, scale, size) + self.shift


def noise(**changes):
    return patched(
        np.random, "default_rng", lambda function: lambda seed: Rng(function(seed), **changes)
    )


def bounded(function):
    """Let a Rényi divergence stop growing with α."""
    return lambda *, alpha, **named: function(alpha=min(alpha, 50), **named)


def growing(function):
    return lambda *, alpha, **named: alpha * function(alpha=alpha, **named)


def advanced(factor):
    """Multiply the ε of advanced composition."""
    return multiplied_field(composition, "advanced_of", "epsilon", factor)


def bound(factor):
    """Multiply the bound of truncated noise."""

    def changed(noise):
        return replace(noise, bound=factor * noise.bound)

    return patched(
        calibration, "calibrate", lambda f: lambda *given, **named: changed(f(*given, **named))
    )


def steeper(power):
    """Multiply σ by a power of the sensitivity, relative to the sensitivity 2 of a point."""
    return patched(
        cs208,
        "_sigma",
        lambda function: lambda *arguments: function(*arguments) * (arguments[-1] / 2) ** power,
    )


def of_a_point(function):
    """Use the σ of a point for the mean too."""
    return lambda rule, epsilon, delta, sensitivity: function(rule, epsilon, delta, 2.0)


CASES = {
    "queries-crossing": (
        column("s5", "value", 2, panel="queries", kind="curve", way="gaussian", delta=1e-6),
        "partly",
    ),
    "queries-crossing-larger-delta": (crossing(-1, way="gaussian", delta=1e-3), "partly"),
    "queries-accountant": (crossing(20, way="gaussian-exact"), "refuted"),
    "queries-condition": (
        column("s5", "value", 2, panel="queries", kind="curve", way="laplace"),
        "confirmed",
    ),
    "queries-growth": (
        column("s5", "value", 3, panel="queries", kind="curve", way="gaussian"),
        "partly",
    ),
    "queries-simulated": (column("s5", "value", 1.1, panel="queries", kind="simulated"), "refuted"),
    "composition-exact": (column("s5", "value", 1.05, panel="composition", way="exact"), "partly"),
    "lecture-good-set": (
        together(
            multiplied(lectures, "upper_tail", 0.1), multiplied(lectures, "_sums_over_sets", 10)
        ),
        "refuted",
    ),
    "lecture-truncated-laplace": (bound(0.9), "partly"),
    "lecture-sensitivities": (
        patched(sensitivity, "of_coordinates", lambda function: lambda p, s: p * function(p, s)),
        "partly",
    ),
    "lecture-gaussian": (rule("adp-lecture", scaled(0.2)), "partly"),
    "lecture-converse": (rule("adp-exact", scaled(3)), "refuted"),
    "lecture-normal-vector": (noise(laplace_noise=True), "refuted"),
    "cs208-approximate": (rule("adp-exact", scaled(3)), "confirmed"),
    "cs208-zcdp-tail": (multiplied(lectures, "_smallest_rho", 0.9), "partly"),
    "cs208-zcdp-pure": (patched(renyi, "divergence", bounded), "confirmed"),
    "cs208-renyi-pure": (patched(renyi, "divergence", growing), "partly"),
    "cs208-gaussian": (rule("adp-classical", scaled(0.2)), "partly"),
    "cs208-normal-tail": (patched(lectures, "ndtr", lambda _: lambda t: ndtr(t / 2)), "refuted"),
    "cs208-mean": (multiplied(cs208, "_largest_change", 2), "refuted"),
    "cs208-advanced": (advanced(0.5), "refuted"),
    "cs208-advanced-from": (advanced(1.2), "partly"),
    "cs208-points": (patched(cs208, "_sigma", of_a_point), "refuted"),
    "cs208-points-ratio": (steeper(-0.5), "confirmed"),
    "cs208-points-ratio-right": (steeper(0.5), "refuted"),
    "cs208-squares": (multiplied(cs208, "_largest_change", 1.5), "refuted"),
    "cs208-gram-entries": (multiplied(np, "column_stack", 2), "refuted"),
    "cs208-gram-psd": (multiplied(renyi, "zcdp_scale", 0), "undecided"),
    "cs208-histogram": (multiplied(np, "bincount", 2), "refuted"),
    "cs208-histogram-queries": (multiplied(cs208, "of_histogram", 1.3), "partly"),
    "cs208-choice": (figure("s8", value=lambda t: t["value"] ** 2), "refuted"),
    "cs208-choice-gaussian": (
        column("s8", "value", 1.5, panel="boundary", way="gaussian-exact"),
        "partly",
    ),
    "cs208-end-bins": (
        patched(cs208, "_upper_tail_of_four", lambda function: lambda x: function(x / 2)),
        "partly",
    ),
    "cs208-max-divergence": (
        together(
            multiplied(GeneralizedGaussian, "epsilon", 1.1),
            multiplied(lectures, "_smallest_epsilon", 1.1),
        ),
        "refuted",
    ),
    "cs208-clamping": (noise(shift=-3), "partly"),
}
