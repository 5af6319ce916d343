"""Mutations that change the verdict of each claim about the audit.

The table is an audit with 1/20 of the usual number of releases, at (2, 0.25), where few releases
suffice. Each bound in it is wrong with probability 0.001; the seed is fixed, therefore a test that
passes always passes.
"""

from functools import cache

import pandas as pd
from mutations import figure

from ggexp.claims.evidence import Results
from ggexp.companions.audit_table import tabulate_audit


def bounds(more, **where):
    """Add a number to the lower bounds in some rows of the audit."""
    return figure("audit", where, epsilon_low=lambda t: t["epsilon_low"] + more)


def case(more, new_verdict, **where):
    return bounds(more, **where), new_verdict


CASES = {
    "audit-claims": case(1, "partly", mechanism="laplace", records=0),
    "audit-exact": (
        figure("audit", {"claimed": True}, exact_delta=lambda t: t["exact_delta"] + 1e-12),
        "partly",
    ),
    "audit-less-pure": case(-1, "partly", made_for=1.25, mechanism="laplace"),
    "audit-less-adp": case(-2, "partly", made_for=1.25, calibration="adp-exact"),
    "audit-less-truncated-laplace": case(-20, "refuted", made_for=1.25),
    "audit-less-pdp": case(-1, "partly", made_for=1.25, order=3),
    "audit-less-stability": case(-20, "refuted", released="stability", records=0),
    "audit-less-threshold": case(-1, "refuted", released="threshold"),
    "audit-less-truncated": case(-1, "partly", released="truncated", order=1),
    "audit-less-inflated": case(-1, "refuted", released="boundary-inflated"),
    "audit-pdp-not-pure": case(-2, "partly", guarantee="ε-DP", order=2),
}


@cache
def results():
    laplace = {"mechanism": "laplace", "order": 1, "calibration": "pure", "delta": None}
    ggm_3 = {"mechanism": "ggm-3", "order": 3, "calibration": "pdp", "delta": 0.25}
    points = [{**mechanism, "epsilon": 2} for mechanism in (laplace, ggm_3)]
    table = tabulate_audit(points, seed=7, share=0.05)
    return Results(pd.DataFrame(), pd.DataFrame(), figures={"audit": table})
