"""Mutations that change, or keep, the verdict of each claim on guesses or of the first version."""

from functools import cache
from math import inf

import numpy as np
import pandas as pd
from mutations import (
    Case,
    another_seed,
    figure,
    multiplied,
    multiplied_field,
    patched,
    rule,
    scaled,
)

from ggexp.claims.evidence import Results
from ggexp.companions import cauchy, compound_guesses, continuous_guesses, lp_ball
from ggexp.companions.figures import tabulate_advantage, tabulate_first_version
from ggexp.guarantees import advantage, approximate_advantage
from ggexp.mechanisms.distribution import GeneralizedGaussian


@cache
def results():
    figures = {
        figure: tabulate_first_version.tabulate(figure, seed=1) for figure in ("f1", "f2", "f3")
    }
    figures["s6"] = tabulate_advantage.tabulate()
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures)


def mass(factor=1.0, wider=1.0):
    """Multiply the probability of a normal prior within a distance, or widen the prior."""

    def changing(original):
        return lambda self, d: min(1, factor * original(self, d / wider))

    return patched(continuous_guesses.Normal, "mass", changing)


def printed(scaled):
    """Let Eqn 1 return the ε whose product with the radius is as printed, at any radius."""
    return patched(
        continuous_guesses,
        "epsilon_within",
        lambda _: lambda **arguments: scaled / arguments["radius"],
    )


def epsilon_times(factor):
    return multiplied(advantage, "epsilon_for", factor)


def other_norm(original):
    """Use the norm of the distances instead of its dual norm."""
    return lambda epsilons, norm: original(epsilons, norm=inf if norm == 1 else norm / (norm - 1))


def eqn_2_times(factor):
    return multiplied_field(continuous_guesses, "ball_epsilon", "epsilon", factor)


def pdp_times(factor):
    return multiplied_field(approximate_advantage, "of_pdp", "advantage", factor)


def worst_prior(factor):
    return figure("s6", {"prior": "worst prior"}, advantage=lambda t: factor * t["advantage"])


def swapped(name):
    """Exchange the names of the two mechanisms, in a figure without δ."""
    names = {"laplace": "gaussian", "gaussian": "laplace"}
    return figure(name, mechanism=lambda t: t["mechanism"].map(names))


LAPLACE, GAUSSIAN = {"mechanism": "laplace"}, {"mechanism": "gaussian"}


def wider(t):
    return 3 * t["sd"]


CASES = {
    "guess-and": Case(epsilon_times(1.01), "refuted", epsilon_times(1.0003)),
    "guess-or": Case(epsilon_times(1.0016), "confirmed", epsilon_times(0.999)),
    "guess-salary-prior": Case(mass(1.28), "confirmed", mass(1.2)),
    "guess-salary": Case(printed(0.767), "confirmed", mass(wider=1.02)),
    "guess-ship-prior": Case(mass(1.1), "refuted", mass(1.01)),
    "guess-ship": Case(printed(1.25), "confirmed", mass(wider=1.02)),
    "guess-theorem-1": Case(
        multiplied(compound_guesses, "epsilon_for_all", 1.01),
        "partly",
        multiplied(compound_guesses, "epsilon_for_all", 0.99),
    ),
    "guess-theorem-2": Case(
        multiplied(continuous_guesses, "epsilon_within", 0.98),
        "confirmed",
        multiplied(continuous_guesses, "epsilon_within", 0.999),
    ),
    "guess-theorem-2-sharper": Case(
        multiplied(continuous_guesses, "epsilon_within", 2),
        "partly",
        multiplied(continuous_guesses, "epsilon_within", 1.1),
    ),
    "guess-theorem-3": Case(
        multiplied(compound_guesses, "together", 1.01),
        "partly",
        multiplied(compound_guesses, "together", 1.0001),
    ),
    "guess-theorem-4": Case(
        patched(compound_guesses, "together", other_norm),
        "partly",
        multiplied(compound_guesses, "together", 1.0001),
    ),
    "guess-norm-ball": Case(multiplied(lp_ball, "sample", 2), "partly", another_seed),
    "guess-eqn-2": Case(eqn_2_times(3), "partly", eqn_2_times(1.01)),
    "guess-eqn-2-looser": Case(eqn_2_times(1.1), "refuted", eqn_2_times(1.01)),
    "guess-cauchy": Case(
        multiplied(cauchy, "within", 1.01), "refuted", multiplied(cauchy, "within", 1.002)
    ),
    "guess-laplace-size": Case(
        multiplied(GeneralizedGaussian, "upper_point", 1.01),
        "refuted",
        multiplied(GeneralizedGaussian, "upper_point", 1 + 1e-12),
    ),
    "guess-pdp": Case(pdp_times(3), "confirmed", pdp_times(1.01)),
    "guess-average": Case(pdp_times(0), "refuted", pdp_times(1.01)),
    "guess-densities": Case(
        rule("adp-exact", scaled(80)), "confirmed", rule("adp-exact", scaled(1.01))
    ),
    "guess-worst-prior": Case(worst_prior(0.8), "refuted", another_seed),
    "guess-worst-prior-met": Case(worst_prior(1.02), "refuted", worst_prior(1.005)),
    "first-truncated-wider": Case(
        swapped("f1"), "refuted", figure("f1", GAUSSIAN, x=lambda t: 2 * t["x"])
    ),
    "first-truncated-further": Case(
        swapped("f1"), "refuted", figure("f1", LAPLACE, density=lambda t: 1.001 * t["density"])
    ),
    "first-disperses-delta": Case(
        figure("f2", GAUSSIAN, sd=lambda t: t["sd"] * t["delta"] ** 2),
        "refuted",
        figure("f2", sd=wider),
    ),
    "first-disperses-epsilon": Case(
        figure("f2", GAUSSIAN, sd=lambda t: t["sd"] * t["epsilon"] ** 2),
        "refuted",
        figure("f2", sd=wider),
    ),
    "first-comparable": Case(
        figure("f2", GAUSSIAN | {"epsilon": 2}, sd=lambda t: 0.85 * t["sd"]),
        "confirmed",
        figure("f2", GAUSSIAN, sd=lambda t: 1.01 * t["sd"]),
    ),
    "first-further": Case(
        figure("f2", LAPLACE, density=lambda t: t["density"] / 2),
        "partly",
        figure("f2", LAPLACE, density=lambda t: 1.1 * t["density"]),
    ),
    "first-bounding-evens": Case(
        figure("f3", bounded_sd=lambda t: 1.0),
        "confirmed",
        figure("f3", GAUSSIAN, bounded_sd=lambda t: 1.01 * t["bounded_sd"]),
    ),
    "first-higher-bars": Case(
        figure(
            "f3",
            GAUSSIAN,
            probability=lambda t: t["probability"] + 0.05 * (t["left"] == t["right"]),
        ),
        "confirmed",
        figure("f3", probability=lambda t: np.sqrt(t["probability"])),
    ),
}
