"""Mutations that change the verdict of each claim on guesses or of the first version."""

from functools import cache
from math import inf

import pandas as pd
from mutations import figure, given, multiplied, patched, returned, rule, scaled

from ggexp.claims.evidence import Results
from ggexp.companions import approximate_guesses, guesses, lp_ball
from ggexp.companions.claims import compound_guesses as claims_of_guesses
from ggexp.companions.figures import tabulate_noise
from ggexp.mechanisms.distribution import GeneralizedGaussian


@cache
def results():
    figures = {"f1": tabulate_noise.truncated_densities(), "f2": tabulate_noise.densities()}
    figures |= {"f3": tabulate_noise.histograms(seed=1)}
    figures["s6"] = tabulate_noise.guessing_advantage()
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures)


def mass(factor):
    """Multiply the probability of a normal prior within a distance."""
    return returned(guesses.Normal, "mass", lambda mass: min(1, factor * mass))


def printed(scaled):
    """Let Eqn 1 return the ε whose product with the radius is as printed, at any radius."""
    return patched(
        guesses, "epsilon_within", lambda _: lambda **arguments: scaled / arguments["radius"]
    )


def dual(norm):
    return inf if norm == 1 else norm / (norm - 1)


def swapped(table):
    """Exchange the names of the two mechanisms, in a figure without δ."""
    names = {"laplace": "gaussian", "gaussian": "laplace"}
    return table.assign(mechanism=table["mechanism"].map(names))


GAUSSIAN, WORST = {"mechanism": "gaussian"}, {"prior": "worst prior"}
HIGHER = "probability = probability + 0.05 * (left == right)"

CASES = {
    "guess-and": (multiplied(approximate_guesses, "epsilon_for", 1.01), "refuted"),
    "guess-or": (multiplied(approximate_guesses, "epsilon_for", 1.0016), "confirmed"),
    "guess-salary-prior": (mass(1.28), "confirmed"),
    "guess-salary": (printed(0.767), "confirmed"),
    "guess-ship-prior": (mass(1.1), "refuted"),
    "guess-ship": (printed(1.25), "confirmed"),
    "guess-theorem-1": (multiplied(guesses, "epsilon_for_all", 1.01), "partly"),
    "guess-theorem-2": (multiplied(guesses, "epsilon_within", 0.98), "confirmed"),
    "guess-theorem-2-sharper": (multiplied(guesses, "epsilon_within", 2), "partly"),
    "guess-theorem-3": (multiplied(guesses, "together", 1.01), "partly"),
    "guess-theorem-4": (given(guesses, "together", norm=dual), "partly"),
    "guess-norm-ball": (multiplied(lp_ball, "sample", 2), "partly"),
    "guess-eqn-2": (multiplied(guesses, "ball_epsilon", 3, "epsilon"), "partly"),
    "guess-eqn-2-looser": (multiplied(guesses, "ball_epsilon", 1.1, "epsilon"), "refuted"),
    "guess-cauchy": (multiplied(claims_of_guesses, "cauchy_within", 1.01), "refuted"),
    "guess-laplace-size": (multiplied(GeneralizedGaussian, "upper_point", 1.01), "refuted"),
    "guess-pdp": (multiplied(approximate_guesses, "of_pdp", 3, "advantage"), "confirmed"),
    "guess-average": (multiplied(approximate_guesses, "of_pdp", 0, "advantage"), "refuted"),
    "guess-densities": (rule("adp-exact", scaled(80)), "confirmed"),
    "guess-worst-prior": (figure("s6", "advantage = 0.8 * advantage", **WORST), "refuted"),
    "guess-worst-prior-met": (figure("s6", "advantage = 1.02 * advantage", **WORST), "refuted"),
    "first-truncated-wider": (figure("f1", swapped), "refuted"),
    "first-truncated-further": (figure("f1", swapped), "refuted"),
    "first-disperses-delta": (figure("f2", "sd = sd * delta ** 2", **GAUSSIAN), "refuted"),
    "first-disperses-epsilon": (figure("f2", "sd = sd * epsilon ** 2", **GAUSSIAN), "refuted"),
    "first-comparable": (figure("f2", "sd = 0.85 * sd", **GAUSSIAN, epsilon=2), "confirmed"),
    "first-further": (figure("f2", "density = density / 2", mechanism="laplace"), "partly"),
    "first-bounding-evens": (figure("f3", "bounded_sd = 1.0"), "confirmed"),
    "first-higher-bars": (figure("f3", HIGHER, **GAUSSIAN), "confirmed"),
}
