"""Mutations that change the verdict of each claim about Figures S1 to S4, S7, S9 and many releases.

The tables are coarser than those of a run. The tables of many releases of Figure S3, which would
take minutes, are made up.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from mutations import ROOT, column, figure, multiplied_field, patched

from ggexp import GeneralizedGaussian, Mechanism
from ggexp.claims.evidence import Results
from ggexp.companions.claims import noise as claims_of_noise
from ggexp.companions.figures import tabulate_noise
from ggexp.figures import tabulate_best_order
from ggexp.run.files import read_csv


@cache
def results():
    """The ε of S2 include 0.666, where truncated geometric noise is not the least at δ = 0.25."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_noise, "MANY_EPSILONS", np.array([0.1, 0.5, 0.666, 1, 5]))
        patch.setattr(tabulate_noise, "MULTIPLES", np.array([0.5, 1]))
        patch.setattr(tabulate_noise, "ALONG_EPSILON", np.array([0.1, 1, 5, 20]))
        patch.setattr(tabulate_noise, "ALONG_DELTA", np.array([0.01]))
        figures = {
            "s1": tabulate_noise.loss_curves(),
            "s4": tabulate_noise.looseness(),
            "s7": tabulate_noise.trade_off(),
        }
        figures["s2"] = tabulate_noise.above_best()
        patch.setattr(tabulate_best_order, "EPSILONS", (0.1, 1, 5))
        patch.setattr(tabulate_best_order, "DELTAS", (1e-6, 0.1, 0.4))
        patch.setattr(tabulate_best_order, "COMPOSED_EPSILONS", (1,))
        patch.setattr(
            tabulate_best_order, "best_of_many", lambda k, e, d: GeneralizedGaussian(1.9, 1)
        )
        single = tabulate_best_order.noise
        patch.setattr(tabulate_best_order, "noise", lambda order, k, e, d: single(order, 1, e, d))
        s3 = figures["s3"] = tabulate_best_order.tabulate()
    s3.loc[s3["releases"] == 100, "of_gaussian"] = [0.9985, 0.9999, 1.0]
    s3.loc[s3["releases"] == 10, "of_gaussian"] = [0.94, 0.998, 1.0]
    figures["s9"] = read_csv(ROOT / "tests/data/figure_s9.csv")
    return Results(pd.DataFrame(), pd.DataFrame(), figures=figures, seed=1)


def order(change):
    return figure("s3", order=lambda t: change(t["order"]))


def needed(factor):
    """Let a larger or smaller ε be needed: the noise has ``factor`` times the scale."""

    def changing(original):
        def mutated(**arguments):
            need = original(**arguments)
            mechanism = Mechanism(None, need.calibration)
            noise = mechanism.noise(epsilon=need.epsilon / factor, delta=arguments["delta"])
            return need._replace(noise=noise)

        return mutated

    return patched(claims_of_noise, "epsilon_for_error", changing)


def advanced(factor):
    """Multiply the ε of advanced composition."""
    return multiplied_field(claims_of_noise, "advanced_of", "epsilon", factor)


def response(factor):
    """Multiply the ε of randomized response."""

    def changing(original):
        return lambda *, epsilon, delta: original(epsilon=factor * epsilon, delta=delta)

    return patched(claims_of_noise, "randomized_response", changing)


CASES = {
    "delivered-delta": (column("s1", "exact_delta", 1.2), "partly"),
    "classical-beyond-1": (column("s4", "ratio", 2), "confirmed"),
    "zcdp-suffices": (column("s4", "ratio", 0.9), "partly"),
    "best-order-laplace": (order(lambda p: p + 0.01), "refuted"),
    "best-order-delta": (order(lambda p: 100 - p), "refuted"),
    "best-order-epsilon": (order(lambda p: 100 - p), "refuted"),
    "best-order-gain": (column("s3", "of_gaussian", 1.2), "refuted"),
    "truncated-laplace-to-1": (column("s3", "of_truncated", 0.97), "partly"),
    "truncated-laplace-to-5": (column("s3", "of_truncated", 1.2), "confirmed"),
    "gaussian-of-many": (column("s3", "of_gaussian", 0.9985), "partly"),
    "gaussian-of-ten": (figure("s3", of_gaussian=lambda t: 1.0), "confirmed"),
    "tables-best-order": (column("s9", "sd", 1.1, noise="best order", tables=10), "partly"),
    "tables-order-1.5": (column("s9", "sd", 1.1, noise="order 1.5"), "partly"),
    "tables-order-2": (column("s9", "sd", 0.9, noise="order 2"), "partly"),
    "tables-basic": (column("s9", "sd", 0.1, noise="Laplace, ε/m", tables=91), "partly"),
    "least-absolute": (column("s2", "ratio", 0.999, mechanism="discrete-gaussian"), "partly"),
    "paper-twice-the-least": (column("s2", "ratio", 0.7, mechanism="gaussian-pdp"), "partly"),
    "geometric-near-best": (column("s2", "ratio", 1.01, mechanism="geometric"), "partly"),
    "truncated-laplace-near-best": (
        column("s2", "ratio", 1.1, mechanism="truncated-laplace", delta=0.25),
        "partly",
    ),
    "continuous-far-from-best": (column("s2", "ratio", 0.9, mechanism="best-order"), "partly"),
    "truncated-geometric-least": (
        figure("s2", {"mechanism": "truncated-geometric"}, ratio=lambda t: 1.0),
        "confirmed",
    ),
    "releases-need": (needed(1.05), "partly"),
    "releases-need-delta": (needed(1.05), "partly"),
    "releases-advanced": (advanced(0.5), "refuted"),
    "releases-advanced-loose": (advanced(0.9), "partly"),
    "releases-worst": (response(0.8), "partly"),
    "releases-curves-ggm": (column("s7", "false_negative", 0.5, mechanism="ggm-3"), "refuted"),
    "releases-curves-laplace": (
        column("s7", "false_negative", 0.5, mechanism="laplace"),
        "confirmed",
    ),
    "releases-curves-ten": (
        column("s7", "false_negative", 2, mechanism="laplace", releases=10),
        "partly",
    ),
}
