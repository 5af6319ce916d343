"""Mutations that change the verdict of each claim on guesses or of the first version."""

from functools import cache
from math import inf

import pandas as pd
from mutations import column, figure, multiplied, multiplied_field, patched, rule, scaled

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


def mass(factor=1.0, wider=1.0):
    """Multiply the probability of a normal prior within a distance, or widen the prior."""

    def changing(original):
        return lambda self, d: min(1, factor * original(self, d / wider))

    return patched(guesses.Normal, "mass", changing)


def printed(scaled):
    """Let Eqn 1 return the ε whose product with the radius is as printed, at any radius."""
    return patched(
        guesses, "epsilon_within", lambda _: lambda **arguments: scaled / arguments["radius"]
    )


def other_norm(original):
    """Use the norm of the distances instead of its dual norm."""
    return lambda epsilons, norm: original(epsilons, norm=inf if norm == 1 else norm / (norm - 1))


def swapped(name):
    """Exchange the names of the two mechanisms, in a figure without δ."""
    names = {"laplace": "gaussian", "gaussian": "laplace"}
    return figure(name, mechanism=lambda t: t["mechanism"].map(names))


LAPLACE, GAUSSIAN = {"mechanism": "laplace"}, {"mechanism": "gaussian"}


def wider(t):
    return 3 * t["sd"]


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
    "guess-theorem-4": (patched(guesses, "together", other_norm), "partly"),
    "guess-norm-ball": (multiplied(lp_ball, "sample", 2), "partly"),
    "guess-eqn-2": (multiplied_field(guesses, "ball_epsilon", "epsilon", 3), "partly"),
    "guess-eqn-2-looser": (multiplied_field(guesses, "ball_epsilon", "epsilon", 1.1), "refuted"),
    "guess-cauchy": (multiplied(claims_of_guesses, "cauchy_within", 1.01), "refuted"),
    "guess-laplace-size": (multiplied(GeneralizedGaussian, "upper_point", 1.01), "refuted"),
    "guess-pdp": (multiplied_field(approximate_guesses, "of_pdp", "advantage", 3), "confirmed"),
    "guess-average": (multiplied_field(approximate_guesses, "of_pdp", "advantage", 0), "refuted"),
    "guess-densities": (rule("adp-exact", scaled(80)), "confirmed"),
    "guess-worst-prior": (column("s6", "advantage", 0.8, prior="worst prior"), "refuted"),
    "guess-worst-prior-met": (column("s6", "advantage", 1.02, prior="worst prior"), "refuted"),
    "first-truncated-wider": (swapped("f1"), "refuted"),
    "first-truncated-further": (swapped("f1"), "refuted"),
    "first-disperses-delta": (
        figure("f2", GAUSSIAN, sd=lambda t: t["sd"] * t["delta"] ** 2),
        "refuted",
    ),
    "first-disperses-epsilon": (
        figure("f2", GAUSSIAN, sd=lambda t: t["sd"] * t["epsilon"] ** 2),
        "refuted",
    ),
    "first-comparable": (
        figure("f2", GAUSSIAN | {"epsilon": 2}, sd=lambda t: 0.85 * t["sd"]),
        "confirmed",
    ),
    "first-further": (figure("f2", LAPLACE, density=lambda t: t["density"] / 2), "partly"),
    "first-bounding-evens": (figure("f3", bounded_sd=lambda t: 1.0), "confirmed"),
    "first-higher-bars": (
        figure(
            "f3",
            GAUSSIAN,
            probability=lambda t: t["probability"] + 0.05 * (t["left"] == t["right"]),
        ),
        "confirmed",
    ),
}
