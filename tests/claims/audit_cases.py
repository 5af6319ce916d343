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
    return figure("audit", f"epsilon_low = epsilon_low + {more}", **where)


CASES = {
    "audit-claims": (bounds(1, mechanism="laplace", records=0), "partly"),
    "audit-exact": (figure("audit", "exact_delta = exact_delta + 1e-12", claimed=True), "partly"),
    "audit-less-pure": (bounds(-1, made_for=1.25, mechanism="laplace"), "partly"),
    "audit-less-adp": (bounds(-2, made_for=1.25, calibration="adp-exact"), "partly"),
    "audit-less-truncated-laplace": (bounds(-20, made_for=1.25), "refuted"),
    "audit-less-pdp": (bounds(-1, made_for=1.25, order=3), "partly"),
    "audit-less-stability": (bounds(-20, released="stability", records=0), "refuted"),
    "audit-less-threshold": (bounds(-1, released="threshold"), "refuted"),
    "audit-less-truncated": (bounds(-1, released="truncated", order=1), "partly"),
    "audit-less-inflated": (bounds(-1, released="boundary-inflated"), "refuted"),
    "audit-pdp-not-pure": (bounds(-2, guarantee="ε-DP", order=2), "partly"),
}


@cache
def results():
    laplace = {"mechanism": "laplace", "order": 1, "calibration": "pure", "delta": None}
    ggm_3 = {"mechanism": "ggm-3", "order": 3, "calibration": "pdp", "delta": 0.25}
    points = [{**mechanism, "epsilon": 2} for mechanism in (laplace, ggm_3)]
    table = tabulate_audit(points, seed=7, share=0.05)
    return Results(pd.DataFrame(), pd.DataFrame(), figures={"audit": table})
