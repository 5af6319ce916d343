"""Mutations that change, or keep, the verdict of each claim on ε without data or many releases."""

from functools import cache

import pandas as pd
from mutations import Case, another_seed, figure, multiplied_field, patched

from ggexp.claims.evidence import Results
from ggexp.companions.claims import many_releases
from ggexp.companions.figures import tabulate_trade_off


@cache
def results():
    figures = {"s7": tabulate_trade_off.tabulate()}
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures, seed=1)


def needed(factor):
    """Let a larger or smaller ε be needed: the noise has ``factor`` times the scale."""

    def changing(original):
        def mutated(**arguments):
            need = original(**arguments)
            mechanism = many_releases.Mechanism(None, need.calibration)
            noise = mechanism.noise(epsilon=need.epsilon / factor, delta=arguments["delta"])
            return need._replace(noise=noise)

        return mutated

    return patched(many_releases, "epsilon_for_error", changing)


def advanced(factor):
    """Multiply the ε of advanced composition."""
    return multiplied_field(many_releases, "advanced_of", "epsilon", factor)


def response(factor):
    """Multiply the ε of randomized response."""

    def changing(original):
        return lambda *, epsilon, delta: original(epsilon=factor * epsilon, delta=delta)

    return patched(many_releases, "randomized_response", changing)


def curve(factor, **where):
    return figure("s7", where, false_negative=lambda t: factor * t["false_negative"])


CASES = {
    "releases-need": Case(needed(1.05), "partly", another_seed),
    "releases-need-delta": Case(needed(1.05), "partly", another_seed),
    "releases-advanced": Case(advanced(0.5), "refuted", advanced(1.1)),
    "releases-advanced-loose": Case(advanced(0.9), "partly", advanced(1.01)),
    "releases-worst": Case(response(0.8), "partly", response(1.01)),
    "releases-curves-ggm": Case(
        curve(0.5, mechanism="ggm-3"), "refuted", curve(1.01, mechanism="ggm-3")
    ),
    "releases-curves-laplace": Case(
        curve(0.5, mechanism="laplace"), "confirmed", curve(0.999, mechanism="laplace")
    ),
    "releases-curves-ten": Case(
        curve(2, mechanism="laplace", releases=10), "partly", curve(0.9, mechanism="laplace")
    ),
}
