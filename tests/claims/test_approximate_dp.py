"""Claims on Figures S1, S3 and S4: what changes the verdict of each, and what does not.

The tables are coarser than a run's; those of many releases, which take minutes, are made up.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from mutations import Case, check, claims, figure

from ggexp import GeneralizedGaussian
from ggexp.claims.check import compare
from ggexp.claims.evidence import Results
from ggexp.claims.registry import TESTS
from ggexp.figures import tabulate_best_order, tabulate_loss_curves

HERE = "ggexp.claims.approximate_dp"
CLAIMS = {
    name: claim
    for name, claim in claims("guarantees.yaml").items()
    if TESTS[claim["test"]].__module__ == HERE
}


@pytest.fixture(scope="module")
def results():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_loss_curves, "SHARES", np.array([0.5, 1]))
        patch.setattr(tabulate_loss_curves, "ALONG_EPSILON", np.array([0.1, 1, 5, 20]))
        patch.setattr(tabulate_loss_curves, "ALONG_DELTA", np.array([0.01]))
        patch.setattr(tabulate_best_order, "EPSILONS", (0.1, 1, 5))
        patch.setattr(tabulate_best_order, "DELTAS", (1e-6, 0.1, 0.4))
        patch.setattr(tabulate_best_order, "COMPOSED_EPSILONS", (1,))
        patch.setattr(
            tabulate_best_order, "best_of_many", lambda k, e, d: GeneralizedGaussian(1.9, 1)
        )
        made = {
            "s1": tabulate_loss_curves.tabulate("s1"),
            "s4": tabulate_loss_curves.tabulate("s4"),
        }
        single = tabulate_best_order.noise
        patch.setattr(tabulate_best_order, "noise", lambda order, k, e, d: single(order, 1, e, d))
        s3 = tabulate_best_order.tabulate()
    s3.loc[s3["releases"] == 100, "of_gaussian"] = [0.9985, 0.9999, 1.0]
    s3.loc[s3["releases"] == 10, "of_gaussian"] = [0.94, 0.998, 1.0]
    return Results(pd.DataFrame(), pd.DataFrame(), figures=made | {"s3": s3})


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


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


@pytest.mark.parametrize("name", CASES)
def test_mutations(results, monkeypatch, name):
    check(CLAIMS[name], CASES[name], results, monkeypatch)


@pytest.mark.parametrize("name", CASES)
def test_a_run_without_the_figure_leaves_the_claim_out(results, name):
    assert compare(CLAIMS[name], replace(results, figures={})) == []


def test_a_claim_is_about_its_range_alone(results):
    """The range of a claim on Figure S3 counts, and no point outside it, such as (5, 1e-9)."""
    beyond = {"releases": 100, "epsilon": 5, "delta": 1e-9, "of_gaussian": 0.9966}
    table = pd.concat([results.figures["s3"], pd.DataFrame([beyond])], ignore_index=True)
    wider = replace(results, figures={"s3": table})
    claim = CLAIMS["gaussian-of-many"]
    assert compare(claim, wider) == compare(claim, results)
    parameters = claim["parameters"] | {"deltas": [1e-9, 0.1]}
    assert len(compare(claim | {"parameters": parameters}, wider)) == len(compare(claim, wider)) + 1
