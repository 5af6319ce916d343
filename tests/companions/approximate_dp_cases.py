"""Mutations that change, or keep, the verdict of each claim about Figures S1, S3 and S4.

The tables are coarser than those of a run. The tables of many releases, which would take minutes,
are made up.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from mutations import Case, figure

from ggexp import GeneralizedGaussian
from ggexp.claims.evidence import Results
from ggexp.companions.figures import tabulate_loss_curves
from ggexp.figures import tabulate_best_order


@cache
def results():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_loss_curves, "MULTIPLES", np.array([0.5, 1]))
        patch.setattr(tabulate_loss_curves, "ALONG_EPSILON", np.array([0.1, 1, 5, 20]))
        patch.setattr(tabulate_loss_curves, "ALONG_DELTA", np.array([0.01]))
        patch.setattr(tabulate_best_order, "EPSILONS", (0.1, 1, 5))
        patch.setattr(tabulate_best_order, "DELTAS", (1e-6, 0.1, 0.4))
        patch.setattr(tabulate_best_order, "COMPOSED_EPSILONS", (1,))
        patch.setattr(
            tabulate_best_order, "best_of_many", lambda k, e, d: GeneralizedGaussian(1.9, 1)
        )
        figures = {
            "s1": tabulate_loss_curves.tabulate("s1"),
            "s4": tabulate_loss_curves.tabulate("s4"),
        }
        single = tabulate_best_order.noise
        patch.setattr(tabulate_best_order, "noise", lambda order, k, e, d: single(order, 1, e, d))
        s3 = tabulate_best_order.tabulate()
    s3.loc[s3["releases"] == 100, "of_gaussian"] = [0.9985, 0.9999, 1.0]
    s3.loc[s3["releases"] == 10, "of_gaussian"] = [0.94, 0.998, 1.0]
    return Results(pd.DataFrame(), pd.DataFrame(), figures=figures | {"s3": s3})


def times(name, column, factor):
    return figure(name, **{column: lambda t: factor * t[column]})


def order(change):
    return figure("s3", order=lambda t: change(t["order"]))


CASES = {
    "delivered-delta": Case(
        times("s1", "exact_delta", 1.2), "partly", times("s1", "exact_delta", 1.1)
    ),
    "classical-beyond-1": Case(times("s4", "ratio", 2), "confirmed", times("s4", "ratio", 1.05)),
    "zcdp-suffices": Case(times("s4", "ratio", 0.9), "partly", times("s4", "ratio", 0.98)),
    "best-order-laplace": Case(order(lambda p: p + 0.01), "refuted", order(lambda p: p + 0.001)),
    "best-order-delta": Case(order(lambda p: 100 - p), "refuted", order(lambda p: 2 * p - 1)),
    "best-order-epsilon": Case(order(lambda p: 100 - p), "refuted", order(lambda p: 2 * p - 1)),
    "best-order-gain": Case(
        times("s3", "of_gaussian", 1.2), "refuted", times("s3", "of_gaussian", 1.005)
    ),
    "truncated-laplace-to-1": Case(
        times("s3", "of_truncated", 0.97), "partly", times("s3", "of_truncated", 1.1)
    ),
    "truncated-laplace-to-5": Case(
        times("s3", "of_truncated", 1.2), "confirmed", times("s3", "of_truncated", 0.99)
    ),
    "gaussian-of-many": Case(
        times("s3", "of_gaussian", 0.9985), "partly", times("s3", "of_gaussian", 0.9999)
    ),
    "gaussian-of-ten": Case(
        figure("s3", of_gaussian=lambda t: 1.0), "confirmed", times("s3", "of_gaussian", 0.9999)
    ),
}
