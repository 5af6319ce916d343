"""The claims about the audit: each has a change of its table that changes the verdict, and one not.

The table is an audit of 1/20 of the full size at (2, 0.25), where few releases tell much. A bound
in it is wrong with probability 0.001; the seed is fixed, so a pass stays a pass.
"""

import pandas as pd
import pytest
from mutations import Case, check, claims, figure

from ggexp import Mechanism
from ggexp.claims.evidence import Results
from ggexp.claims.registry import check_claims
from ggexp.experiment.sanitize import sanitize_times
from ggexp.experiment.sparse import stability_threshold, stability_times
from ggexp.guarantees.audit_table import Releases, tabulate_audit

CLAIMS = claims("guarantees.yaml", "audit-")


def bounds(more, **where):
    """Add to the lower bounds of rows of the audit."""
    return figure("audit", where, epsilon_low=lambda t: t["epsilon_low"] + more)


def both(changes, to, keeps, **where):
    return Case(bounds(changes, **where), to, bounds(keeps, **where))


CASES = {
    "audit-claims": both(1, "partly", 0.05, mechanism="laplace", records=0),
    "audit-cut-pure": both(-1, "refuted", -0.1, scale_factor=0.8, mechanism="laplace"),
    "audit-cut-adp": both(-2, "refuted", -0.1, scale_factor=0.8, calibration="adp-exact"),
    "audit-cut-pdp": both(-1, "partly", -0.1, scale_factor=0.8, order=3),
    "audit-cut-stability": both(-20, "refuted", -0.1, released="stability", records=0),
    "audit-pdp-not-pure": both(-2, "partly", -0.1, guarantee="ε-DP", order=2),
}


@pytest.fixture(scope="module")
def results():
    points = []
    for name, order, rule, delta in (("laplace", 1, "pure", None), ("ggm-3", 3, "pdp", 0.25)):
        b = Mechanism(order, rule).scale(epsilon=2, delta=delta)
        named = {"mechanism": name, "order": order, "calibration": rule}
        points.append({**named, "epsilon": 2, "delta": delta, "scale": b})
    releases = Releases(sanitize_times, stability_times, stability_threshold)
    table = tabulate_audit(points, releases, seed=7, share=0.05)
    return Results(pd.DataFrame(), pd.DataFrame(), figures={"audit": table})


def test_every_claim_has_its_mutations():
    assert CASES.keys() == CLAIMS.keys()


@pytest.mark.parametrize("name", CLAIMS)
def test_mutations(results, monkeypatch, name):
    check(CLAIMS[name], CASES[name], results, monkeypatch)


def test_without_an_audit_nothing_is_said_of_it():
    results = Results(summary=pd.DataFrame(), scales=pd.DataFrame())
    assert check_claims(CLAIMS.values(), results).empty
