"""Each claim on ε before the data and on many releases: what changes its verdict, what does not."""

from functools import cache

import pandas as pd
from mutations import Case, another_seed, figure, patched

from ggexp.claims import many_releases
from ggexp.claims.evidence import Results
from ggexp.figures import tabulate_trade_off
from ggexp.guarantees.composition import Budget


@cache
def results():
    figures = {"s7": tabulate_trade_off.tabulate()}
    return Results(summary=pd.DataFrame(), scales=pd.DataFrame(), figures=figures, seed=1)


def needed(factor):
    """Let another ε be needed: that of noise whose scale is so many times as large."""

    def changing(right):
        def changed(**given):
            found = right(**given)
            rule = many_releases.Mechanism(None, found.calibration)
            noise = rule.noise(epsilon=found.epsilon / factor, delta=given["delta"])
            return found._replace(noise=noise)

        return changed

    return patched(many_releases, "epsilon_for_error", changing)


def advanced(factor):
    """Let advanced composition say a multiple of its ε."""

    def changing(right):
        return lambda *given, **named: Budget(
            factor * right(*given, **named).epsilon, right(*given, **named).delta
        )

    return patched(many_releases, "advanced_of", changing)


def response(factor):
    """Let randomized response have a multiple of its ε."""

    def changing(right):
        return lambda *, epsilon, delta: right(epsilon=factor * epsilon, delta=delta)

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
