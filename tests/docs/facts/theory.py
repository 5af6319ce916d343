"""Theory of the paper compared with ours (Figures 1 to 5, lemmas): docs/reproduction.md."""

from collections import Counter

import numpy as np
from conftest import ROOT

from facts import fact
from facts.library import sd
from ggexp.claims.check import GROUPS, VERDICTS, read_claims

CLAIMS = {
    claim["id"]: claim
    for claim in read_claims(ROOT / "reference/claims.yaml")
    if not claim["id"].startswith(
        ("equal-", "empty-", "replaced-")
    )  # these claims have their own pages
}


@fact
def statements():
    """The numbers of the paper's claims and of each verdict that occurs, by group; and ours."""
    tallies = {}
    for group in GROUPS:
        counts = Counter(claim["expected"] for claim in CLAIMS.values() if claim["group"] == group)
        shown = [counts[verdict] for verdict in VERDICTS if counts[verdict]]
        tallies[group.split()[0].lower()] = (counts.total(), *shown)
    paper = sum(total for total, *_ in tallies.values())
    return tallies | {"ours": len(CLAIMS) - paper}


@fact
def figure_3(full_run):
    """The range of ratios, which decrease with δ up to ε = 0.7."""
    ratios = full_run.figures[3]["ratio"]
    points = [(0.7, delta) for delta in np.arange(0.0025, 0.5, 0.0025)]
    at_0_7 = [sd("pdp", 2, *point) / sd("adp-classical", 2, *point) for point in points]
    assert (np.diff(at_0_7) < 0).all()
    return {"range": (ratios.min(), ratios.max())}
