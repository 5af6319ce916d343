"""The claims about the audit: each has a change of its table that changes the verdict, and one not.

The table is an audit of 1/20 of the full size at (2, 0.25), where few releases tell much. A bound
in it is wrong with probability 0.001; the seed is fixed, so a pass stays a pass.
"""

from functools import cache

import pandas as pd
from mutations import Case, figure

from ggexp.claims.evidence import Results
from ggexp.experiment.audit_table import tabulate_audit


def bounds(more, **where):
    """Add to the lower bounds of rows of the audit."""
    return figure("audit", where, epsilon_low=lambda t: t["epsilon_low"] + more)


def both(changes, to, keeps, **where):
    return Case(bounds(changes, **where), to, bounds(keeps, **where))


CASES = {
    "audit-claims": both(1, "partly", 0.05, mechanism="laplace", records=0),
    "audit-exact": Case(
        figure("audit", {"claimed": True}, exact_delta=lambda t: t["exact_delta"] + 1e-12),
        "partly",
        figure("audit", {"claimed": True}, exact_delta=lambda t: t["exact_delta"] + 1e-16),
    ),
    "audit-less-pure": both(-1, "partly", -0.1, made_for=1.25, mechanism="laplace"),
    "audit-less-adp": both(-2, "partly", -0.1, made_for=1.25, calibration="adp-exact"),
    "audit-less-truncated-laplace": both(-20, "refuted", -0.1, made_for=1.25),
    "audit-less-pdp": both(-1, "partly", -0.01, made_for=1.25, order=3),
    "audit-less-stability": both(-20, "refuted", -0.1, released="stability", records=0),
    "audit-less-threshold": both(-1, "refuted", -0.01, released="threshold"),
    "audit-less-truncated": both(-1, "partly", -0.1, released="truncated", order=1),
    "audit-less-inflated": both(-1, "refuted", -0.01, released="boundary-inflated"),
    "audit-pdp-not-pure": both(-2, "partly", -0.1, guarantee="ε-DP", order=2),
}


@cache
def results():
    laplace = {"mechanism": "laplace", "order": 1, "calibration": "pure", "delta": None}
    ggm_3 = {"mechanism": "ggm-3", "order": 3, "calibration": "pdp", "delta": 0.25}
    points = [{**one, "epsilon": 2} for one in (laplace, ggm_3)]
    table = tabulate_audit(points, seed=7, share=0.05)
    return Results(pd.DataFrame(), pd.DataFrame(), figures={"audit": table})
