"""Mutations that change, or keep, the verdict of each claim of the lectures or on many queries."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from mutations import (
    Case,
    another_seed,
    figure,
    multiplied,
    multiplied_field,
    patched,
    rule,
    scaled,
    together,
)
from scipy.special import ndtr

from ggexp.claims.evidence import Results
from ggexp.companions import histogram_queries, renyi
from ggexp.companions.claims import definitions, exercises, histograms, lectures
from ggexp.companions.figures import tabulate_boundary, tabulate_queries
from ggexp.guarantees import composition
from ggexp.mechanisms import calibration, privacy_loss, sensitivity


@cache
def results():
    with pytest.MonkeyPatch.context() as patch:  # fewer points
        patch.setattr(tabulate_queries, "KS", (3, 8, 12, 30))
        patch.setattr(tabulate_queries, "SIMULATED", (3, 30))
        patch.setattr(tabulate_queries, "RELEASES", (35, 200))
        patch.setattr(tabulate_boundary, "KS", (50, 200, 1000))
        patch.setattr(tabulate_boundary, "DELTAS", (1e-6,))
        figures = {"s5": tabulate_queries.tabulate(seed=1), "s8": tabulate_boundary.tabulate()}
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures, seed=1)


def queries(factor, **where):
    """Multiply the largest errors, expected and simulated."""
    return figure("s5", {"panel": "queries", **where}, value=lambda t: factor * t["value"])


def crossing(more, **where):
    return figure("s5", {"kind": "crossing", **where}, k=lambda t: t["k"] + more)


def composed(factor, **where):
    return figure("s5", {"panel": "composition", **where}, value=lambda t: factor * t["value"])


def boundaries(factor, **where):
    return figure("s8", {"panel": "boundary", **where}, value=lambda t: factor * t["value"])


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
        exercises,
        "_sigma",
        lambda function: lambda *arguments: function(*arguments) * (arguments[-1] / 2) ** power,
    )


def of_a_point(function):
    """Use the σ of a point for the mean too."""
    return lambda rule, epsilon, delta, sensitivity: function(rule, epsilon, delta, 2.0)


CASES = {
    "queries-crossing": Case(
        queries(2, kind="curve", way="gaussian", delta=1e-6), "partly", queries(2)
    ),
    "queries-crossing-larger-delta": Case(
        crossing(-1, way="gaussian", delta=1e-3), "partly", queries(2)
    ),
    "queries-accountant": Case(
        crossing(20, way="gaussian-exact"), "refuted", crossing(1, way="gaussian-exact")
    ),
    "queries-condition": Case(queries(2, kind="curve", way="laplace"), "confirmed", queries(2)),
    "queries-growth": Case(
        queries(3, kind="curve", way="gaussian"),
        "partly",
        queries(1.1, kind="curve", way="gaussian"),
    ),
    "queries-simulated": Case(
        queries(1.1, kind="simulated"),
        "refuted",
        figure("s5", {"kind": "simulated"}, se=lambda t: 2 * t["se"]),
    ),
    "composition-exact": Case(composed(1.05, way="exact"), "partly", composed(1.1, way="advanced")),
    "lecture-good-set": Case(
        together(
            multiplied(definitions, "upper_tail", 0.1),
            multiplied(definitions, "_sums_over_sets", 10),
        ),
        "refuted",
        another_seed,
    ),
    "lecture-truncated-laplace": Case(bound(0.9), "partly", bound(1.001)),
    "lecture-sensitivities": Case(
        patched(sensitivity, "of_coordinates", lambda function: lambda p, s: p * function(p, s)),
        "partly",
        another_seed,
    ),
    "lecture-gaussian": Case(
        rule("adp-lecture", scaled(0.2)), "partly", rule("adp-lecture", scaled(1.1))
    ),
    "lecture-converse": Case(
        rule("adp-exact", scaled(3)), "refuted", rule("adp-exact", scaled(1.01))
    ),
    "lecture-normal-vector": Case(noise(laplace_noise=True), "refuted", another_seed),
    "cs208-approximate": Case(
        rule("adp-exact", scaled(3)), "confirmed", rule("adp-exact", scaled(1.01))
    ),
    "cs208-zcdp-tail": Case(multiplied(lectures, "_smallest_rho", 0.9), "partly", another_seed),
    "cs208-zcdp-pure": Case(
        patched(renyi, "divergence", bounded),
        "confirmed",
        patched(renyi, "divergence", growing),
    ),
    "cs208-renyi-pure": Case(
        patched(renyi, "divergence", growing), "partly", multiplied(renyi, "divergence", 0.9)
    ),
    "cs208-gaussian": Case(
        rule("adp-classical", scaled(0.2)), "partly", rule("adp-classical", scaled(1.1))
    ),
    "cs208-normal-tail": Case(
        patched(lectures, "ndtr", lambda _: lambda t: ndtr(t / 2)),
        "refuted",
        multiplied(lectures, "ndtr", 0.9),
    ),
    "cs208-mean": Case(
        multiplied(exercises, "_largest_change", 2),
        "refuted",
        multiplied(exercises, "_largest_change", 0.9),
    ),
    "cs208-advanced": Case(
        advanced(0.5),
        "refuted",
        advanced(1.1),
    ),
    "cs208-advanced-from": Case(
        advanced(1.2),
        "partly",
        advanced(1.001),
    ),
    "cs208-points": Case(patched(exercises, "_sigma", of_a_point), "refuted", another_seed),
    "cs208-points-ratio": Case(steeper(-0.5), "confirmed", another_seed),
    "cs208-points-ratio-right": Case(steeper(0.5), "refuted", another_seed),
    "cs208-squares": Case(
        multiplied(exercises, "_largest_change", 1.5),
        "refuted",
        multiplied(renyi, "divergence", 0.9),
    ),
    "cs208-gram-entries": Case(multiplied(np, "column_stack", 2), "refuted", another_seed),
    "cs208-gram-psd": Case(multiplied(calibration, "zcdp_scale", 0), "undecided", another_seed),
    "cs208-histogram": Case(
        multiplied(np, "bincount", 2), "refuted", multiplied(np, "bincount", 0.5)
    ),
    "cs208-histogram-queries": Case(
        multiplied(histogram_queries, "of_histogram", 1.3),
        "partly",
        multiplied(histogram_queries, "of_histogram", 0.99),
    ),
    "cs208-choice": Case(figure("s8", value=lambda t: t["value"] ** 2), "refuted", boundaries(1.1)),
    "cs208-choice-gaussian": Case(
        boundaries(1.5, way="gaussian-exact"), "partly", boundaries(1.01, way="gaussian-exact")
    ),
    "cs208-end-bins": Case(
        patched(histograms, "_upper_tail_of_four", lambda function: lambda x: function(x / 2)),
        "partly",
        patched(histograms, "_upper_tail_of_four", lambda function: lambda x: function(1.01 * x)),
    ),
    "cs208-max-divergence": Case(
        together(
            multiplied(privacy_loss, "epsilon", 1.1),
            multiplied(definitions, "_smallest_epsilon", 1.1),
        ),
        "refuted",
        another_seed,
    ),
    "cs208-clamping": Case(noise(shift=-3), "partly", another_seed),
}
