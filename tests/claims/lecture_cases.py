"""Mutations that change the verdict of each claim of the lectures or on many queries."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from mutations import figure, given, multiplied, patched, returned, rule, scaled, together
from scipy.special import ndtr

from ggexp.claims.evidence import Results
from ggexp.companions import renyi
from ggexp.companions.claims import cs208, lectures
from ggexp.companions.figures import tabulate_queries
from ggexp.guarantees import composition
from ggexp.mechanisms import calibration, sensitivity
from ggexp.mechanisms.distribution import GeneralizedGaussian

#: Fewer points of Figures S5 and S8.
GRIDS = {"KS": (3, 8, 12, 30), "SIMULATED": (3, 30), "RELEASES": (35, 200)}
GRIDS |= {"QUERIES": (50, 200, 1000)}


@cache
def results():
    with pytest.MonkeyPatch.context() as patch:
        for name, values in GRIDS.items():
            patch.setattr(tabulate_queries, name, values)
        figures = {"s5": tabulate_queries.many_queries(seed=1)}
        patch.setattr(tabulate_queries, "DELTAS", (1e-6,))
        figures["s8"] = tabulate_queries.boundary()
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures, seed=1)


def value(factor, **where):
    return figure("s5", f"value = {factor} * value", **where)


def crossing(more, **where):
    return figure("s5", f"k = k + {more}", kind="crossing", **where)


class Rng:
    """A generator whose noise is shifted, or whose normal noise is Laplace noise."""

    def __init__(self, rng, shift=0.0, laplace_noise=False):
        self.rng, self.shift, self.laplace_noise = rng, shift, laplace_noise
        self.integers = rng.integers

    def laplace(self, location, scale, size):
        return self.rng.laplace(location, scale, size) + self.shift

    def normal(self, location, scale, size):
        draw = self.rng.laplace if self.laplace_noise else self.rng.normal
        return draw(location, scale, size) + self.shift


def noise(**changes):
    return returned(np.random, "default_rng", lambda rng: Rng(rng, **changes))


def growing(function):
    return lambda *, alpha, **named: alpha * function(alpha=alpha, **named)


def advanced(factor):
    return multiplied(composition, "advanced_of", factor, "epsilon")


def less_bounded(noise):
    return replace(noise, bound=0.9 * noise.bound)


def steeper(power):
    """Multiply σ by a power of the sensitivity, relative to the sensitivity 2 of a point."""

    def changing(function):
        return lambda *arguments: function(*arguments) * (arguments[-1] / 2) ** power

    return patched(cs208, "_sigma", changing)


def of_a_point(function):
    """Use the σ of a point for the mean too."""
    return lambda rule, epsilon, delta, sensitivity: function(rule, epsilon, delta, 2.0)


def longer_norms(original):
    """Let norms increase with the order."""
    return lambda order, coordinates: order * original(order, coordinates)


CURVE = {"panel": "queries", "kind": "curve"}
GOOD_SET = together(
    multiplied(lectures, "upper_tail", 0.1), multiplied(lectures, "_sums_over_sets", 10)
)
MAX_DIVERGENCE = together(
    multiplied(GeneralizedGaussian, "epsilon", 1.1), multiplied(lectures, "_smallest_epsilon", 1.1)
)
END_BINS = patched(cs208, "_upper_tail_of_four", lambda function: lambda x: function(x / 2))
CHOICE = figure("s8", "value = 1.5 * value", panel="boundary", way="gaussian-exact")
CASES = {
    "queries-crossing": (value(2, **CURVE, way="gaussian", delta=1e-6), "partly"),
    "queries-crossing-larger-delta": (crossing(-1, way="gaussian", delta=1e-3), "partly"),
    "queries-accountant": (crossing(20, way="gaussian-exact"), "refuted"),
    "queries-condition": (value(2, **CURVE, way="laplace"), "confirmed"),
    "queries-growth": (value(3, **CURVE, way="gaussian"), "partly"),
    "queries-simulated": (value(1.1, panel="queries", kind="simulated"), "refuted"),
    "composition-exact": (value(1.05, panel="composition", way="exact"), "partly"),
    "lecture-good-set": (GOOD_SET, "refuted"),
    "lecture-truncated-laplace": (returned(calibration, "calibrate", less_bounded), "partly"),
    "lecture-sensitivities": (patched(sensitivity, "of_coordinates", longer_norms), "partly"),
    "lecture-gaussian": (rule("adp-lecture", scaled(0.2)), "partly"),
    "lecture-converse": (rule("adp-exact", scaled(3)), "refuted"),
    "lecture-normal-vector": (noise(laplace_noise=True), "refuted"),
    "cs208-approximate": (rule("adp-exact", scaled(3)), "confirmed"),
    "cs208-zcdp-tail": (multiplied(lectures, "_smallest_rho", 0.9), "partly"),
    "cs208-zcdp-pure": (given(renyi, "divergence", alpha=lambda x: min(x, 50)), "confirmed"),
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
    "cs208-choice": (figure("s8", "value = value ** 2"), "refuted"),
    "cs208-choice-gaussian": (CHOICE, "partly"),
    "cs208-end-bins": (END_BINS, "partly"),
    "cs208-max-divergence": (MAX_DIVERGENCE, "refuted"),
    "cs208-clamping": (noise(shift=-3), "partly"),
}
