"""Theory of the paper compared with ours (Figures 1 to 5, lemmas): docs/reproduction.md."""

from collections import Counter

import numpy as np
from conftest import ROOT
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri

from facts import fact
from facts.library import sd
from ggexp.claims.check import GROUPS, TESTS, VERDICTS, read_claims

CLAIMS = {
    claim["id"]: claim
    for claim in read_claims(ROOT / "reference/claims.yaml")
    if not claim["id"].startswith(
        ("equal-", "empty-", "replaced-")
    )  # these claims have their own pages
}


@fact
def statements():
    """The numbers of the paper's claims and of each verdict that occurs, by group; ours and all."""
    tallies = {}
    for group in GROUPS:
        counts = Counter(claim["expected"] for claim in CLAIMS.values() if claim["group"] == group)
        shown = [counts[verdict] for verdict in VERDICTS if counts[verdict]]
        tallies[group.split()[0].lower()] = (counts.total(), *shown)
    paper = sum(total for total, *_ in tallies.values())
    return tallies | {"ours": len(CLAIMS) - paper, "all": len(CLAIMS)}


@fact
def figure_3(full_run):
    """The range of ratios, which decrease with δ up to ε = 0.7."""
    ratios = full_run.figures[3]["ratio"]
    points = [(0.7, delta) for delta in np.arange(0.0025, 0.5, 0.0025)]
    at_0_7 = [sd("pdp", 2, *point) / sd("adp-classical", 2, *point) for point in points]
    assert (np.diff(at_0_7) < 0).all()
    return {"range": (ratios.min(), ratios.max())}


@fact
def figure_4():
    """The lowest points of the curves, as t and ratio."""
    deltas = (0.01, 0.05, 0.1, 0.2)
    rows = [[(), *deltas]]
    for epsilon in (0.1, 1, 2):
        row = [epsilon]
        for delta in deltas:
            sigma = sd("pdp", 2, epsilon, delta)

            def ratio(t, epsilon=epsilon, sigma=sigma):
                return np.exp(-epsilon * t) / (2 * ndtr(-t / sigma))

            bounds, options = (0.01, 8 * sigma), {"xatol": 1e-9}
            lowest = minimize_scalar(ratio, bounds=bounds, method="bounded", options=options)
            row.append((lowest.x, lowest.fun))
        rows.append(row)
    return {"table": rows}


@fact
def figure_5(full_run):
    """The t above which Gaussian noise costs less than Laplace noise at ε = 1; δ and the tail."""

    def excess(t, delta):
        sigma = -t / ndtri(np.exp(-t) / 2)
        return 1 / (2 * sigma**2) - ndtri(delta / 2) / sigma - 1

    found = {
        str(delta): (t := brentq(excess, 1, 30, args=(delta,)), delta, np.exp(-t))
        for delta in (0.01, 0.2)
    }
    curves = full_run.figures[5]
    assert curves[curves["epsilon"] == 1]["t"].max() < found["0.01"][0]
    return found


@fact
def inequalities():
    """The orders at which Lemma 9 holds with equality."""
    comparisons = TESTS["lemma_9"](orders=[1, 2, 3, 4, 5])
    is_equal = [comparison.difference < 1e-8 for comparison in comparisons]
    assert is_equal == [True, True, False, True, True, True]
    assert all("[-5, 5]" in comparison.where for comparison in comparisons[3:])
    return {"lemma-9": (1, 3)}
