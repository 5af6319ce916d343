"""The claims about the audit: each has a change of its table that changes the verdict, and one not.

The table is an audit of 1/20 of the full size at (2, 0.25), where few releases tell much. A bound
in it is wrong with probability 0.001; the seed is fixed, so a pass stays a pass.
"""

from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from ggexp import Mechanism
from ggexp.claims.evidence import Results
from ggexp.claims.registry import check_claims, read_claims
from ggexp.experiment.sanitize import sanitize_times
from ggexp.guarantees.audit_table import tabulate_audit

ROOT = Path(__file__).parents[2]
CLAIMS = {
    claim["id"]: claim
    for claim in read_claims(ROOT / "reference/guarantees.yaml")
    if claim["id"].startswith("audit-")
}


class Case(NamedTuple):
    """Rows of the audit, by their columns, to whose bounds the numbers are added."""

    rows: dict
    changes: float
    to: str
    keeps: float


CASES = {
    "audit-claims": Case({"mechanism": "laplace", "records": 0}, 1, "partly", 0.05),
    "audit-cut-pure": Case({"scale_factor": 0.8, "mechanism": "laplace"}, -1, "refuted", -0.1),
    "audit-cut-adp": Case({"scale_factor": 0.8, "calibration": "adp-exact"}, -2, "refuted", -0.1),
    "audit-cut-pdp": Case({"scale_factor": 0.8, "order": 3}, -1, "partly", -0.1),
    "audit-pdp-not-pure": Case({"guarantee": "ε-DP", "order": 2}, -2, "partly", -0.1),
}


@pytest.fixture(scope="module")
def table():
    points = []
    for name, order, rule, delta in (("laplace", 1, "pure", None), ("ggm-3", 3, "pdp", 0.25)):
        b = Mechanism(order, rule).scale(epsilon=2, delta=delta)
        named = {"mechanism": name, "order": order, "calibration": rule}
        points.append({**named, "epsilon": 2, "delta": delta, "scale": b})
    return tabulate_audit(points, sanitize_times, seed=7, share=0.05)


def verdict(claim, table):
    empty = pd.DataFrame()
    (row,) = check_claims(
        [claim], Results(summary=empty, scales=empty, figures={"audit": table})
    ).to_dict("records")
    return row["verdict"]


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


@pytest.mark.parametrize("name", CLAIMS)
def test_mutations(table, name):
    claim, case = CLAIMS[name], CASES[name]
    assert verdict(claim, table) == claim["expected"]
    here = pd.concat([table[key] == value for key, value in case.rows.items()], axis=1).all(axis=1)
    for added, expected in ((case.changes, case.to), (case.keeps, claim["expected"])):
        changed = table.copy()
        changed.loc[here, "epsilon_low"] += added
        assert verdict(claim, changed) == expected


def test_without_an_audit_nothing_is_said_of_it():
    results = Results(summary=pd.DataFrame(), scales=pd.DataFrame())
    assert check_claims(CLAIMS.values(), results).empty
