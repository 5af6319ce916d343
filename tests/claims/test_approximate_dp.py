"""Claims on Figures S1, S3 and S4: a change of the tables that moves each, and one that does not.

The tables are coarser than a run's; those of many releases, which take minutes, are made up.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from ggexp import GeneralizedGaussian
from ggexp.claims.evidence import Results
from ggexp.claims.registry import TESTS, check_claims, read_claims
from ggexp.figures import tabulate_best_order, tabulate_loss_curves

HERE = "ggexp.claims.approximate_dp"
CLAIMS = {
    claim["id"]: claim
    for claim in read_claims(Path(__file__).parents[2] / "reference/guarantees.yaml")
    if TESTS[claim["test"]].__module__ == HERE
}


@pytest.fixture(scope="module")
def tables():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_loss_curves, "SHARES", np.array([0.5, 1]))
        patch.setattr(tabulate_loss_curves, "ALONG_EPSILON", np.array([0.1, 1, 5, 20]))
        patch.setattr(tabulate_loss_curves, "ALONG_DELTA", np.array([0.01]))
        patch.setattr(tabulate_best_order, "EPSILONS", (0.1, 1, 5))
        patch.setattr(tabulate_best_order, "DELTAS", (1e-6, 0.1, 0.4))
        patch.setattr(tabulate_best_order, "MANY_EPSILONS", (1,))
        patch.setattr(
            tabulate_best_order, "best_of_many", lambda k, e, d: GeneralizedGaussian(1.9, 1)
        )
        made = {
            "s1": tabulate_loss_curves.tabulate("s1", seed=1),
            "s4": tabulate_loss_curves.tabulate("s4", seed=1),
        }
        single = tabulate_best_order.noise
        patch.setattr(tabulate_best_order, "noise", lambda order, k, e, d: single(order, 1, e, d))
        s3 = tabulate_best_order.tabulate("s3", seed=1)
    s3.loc[s3["releases"] == 100, "of_gaussian"] = [0.9985, 0.9999, 1.0]
    s3.loc[s3["releases"] == 10, "of_gaussian"] = [0.94, 0.998, 1.0]
    return made | {"s3": s3}


class Case(NamedTuple):
    """A mutation that changes the verdict to another, and one that does not."""

    changes: dict
    to: str
    keeps: dict


def claimed(factor):
    """Multiply the exact δ at what is claimed."""
    return {"exact_delta": lambda t: t["exact_delta"] * factor}


def scaled(column, factor):
    return {column: lambda t: t[column] * factor}


def reversed_order(t):
    return 100 - t["order"]


def farther(t):
    return 2 * t["order"] - 1


CASES = {
    "delivered-delta": Case(claimed(4), "partly", claimed(1.5)),
    "classical-beyond-1": Case(scaled("ratio", 2), "confirmed", scaled("ratio", 1.05)),
    "zcdp-suffices": Case(scaled("ratio", 0.9), "partly", scaled("ratio", 0.98)),
    "best-order-laplace": Case(
        {"order": lambda t: t["order"] + 0.01}, "refuted", {"order": lambda t: t["order"] + 0.001}
    ),
    "best-order-delta": Case({"order": reversed_order}, "refuted", {"order": farther}),
    "best-order-epsilon": Case({"order": reversed_order}, "refuted", {"order": farther}),
    "best-order-gain": Case(scaled("of_gaussian", 1.2), "refuted", scaled("of_gaussian", 1.005)),
    "truncated-laplace-to-1": Case(
        scaled("of_truncated", 0.97), "partly", scaled("of_truncated", 1.1)
    ),
    "truncated-laplace-to-5": Case(
        scaled("of_truncated", 1.2), "confirmed", scaled("of_truncated", 0.99)
    ),
    "gaussian-of-many": Case(
        scaled("of_gaussian", 0.9985), "partly", scaled("of_gaussian", 0.9999)
    ),
    "gaussian-of-ten": Case(
        {"of_gaussian": lambda t: 1.0}, "confirmed", scaled("of_gaussian", 0.9999)
    ),
}


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


def verdict(claim, tables):
    nothing = pd.DataFrame()
    found = check_claims([claim], Results(summary=nothing, scales=nothing, figures=tables))
    return None if found.empty else found["verdict"].item()


@pytest.mark.parametrize("name", CASES)
def test_mutations(tables, name):
    claim, case = CLAIMS[name], CASES[name]
    figure = {"delivers_its_delta": "s1", "suffices": "s4"}.get(claim["test"], "s3")
    table = tables[figure]
    assert verdict(claim, {figure: table}) == claim["expected"]
    changed = verdict(claim, {figure: table.assign(**case.changes)})
    assert changed == case.to != claim["expected"]
    assert verdict(claim, {figure: table.assign(**case.keeps)}) == claim["expected"]
    assert verdict(claim, {}) is None
