"""Results for mutations of claims that are not on the results of a run (mutations.yaml)."""

from functools import cache, partial

import pandas as pd
from made_figures import made_table
from mutations import tables_of

from ggexp.claims.evidence import Results
from ggexp.companions.audit_table import Point, tabulate_audit

RULES = [
    ("laplace", 1, "pure", None),
    ("gaussian-pdp", 2, "pdp", 0.05),
    ("gaussian-adp", 2, "adp-classical", 0.05),
    ("ggm-3", 3, "pdp", 0.05),
]
SCALES = pd.DataFrame(RULES, columns=["mechanism", "order", "calibration", "delta"])


def of_figures(*names, **figures):
    figures |= {name: made_table(name) for name in names}
    return Results(pd.DataFrame(), pd.DataFrame(), figures=figures, seed=1)


guessing = partial(of_figures, "f1", "f2", "f3", "s6")
lectures = partial(of_figures, "s5", "s8")
noise = partial(of_figures, "s1", "s2", "s3", "s4", "s7", "s9")


@cache
def audit():
    """Return an audit with 1/20 of the releases, at (2, 0.25), where few releases suffice.

    Each bound in it is wrong with probability 0.001.
    """
    points = [Point("laplace", 1, "pure", 2, None), Point("ggm-3", 3, "pdp", 2, 0.25)]
    return of_figures(audit=tabulate_audit(points, seed=7, share=0.05))


@cache
def synthetic():
    tables = tables_of("synthetic")
    return Results(
        summary=tables["releases"],
        scales=SCALES.merge(pd.DataFrame({"epsilon": [0.5, 1, 2]}), how="cross"),
        baseline=tables["baseline"],
        figures={name: tables[name] for name in ("records", "count_bias", "modes")},
    )
