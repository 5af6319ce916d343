"""The theory of the paper beside ours (Figures 1 to 5, lemmas): docs/reproduction.md."""

from collections import Counter
from itertools import combinations
from math import floor, sqrt

import numpy as np
from conftest import ROOT
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr, ndtri
from scipy.stats import gennorm, norm

from facts import fact
from facts.library import sd
from ggexp.claims.check import TESTS, VERDICTS, check_claims, read_claims

CLAIMS = {
    claim["id"]: claim
    for claim in read_claims(ROOT / "reference/claims.yaml")
    if not claim["id"].startswith(("equal-", "empty-"))  # those have pages of their own
}


def evidence(results, name):
    """The evidence of a claim in a run."""
    (row,) = check_claims([CLAIMS[name]], results).to_dict("records")
    return row["evidence"]


@fact
def statements():
    """Of the paper and of ours, and the verdicts on the paper's, in order of `VERDICTS`."""
    found = Counter(one["expected"] for one in CLAIMS.values() if one["stated_by"] == "the paper")
    paper, ours = found.total(), len(CLAIMS) - found.total()
    assert set(found) <= set(VERDICTS) - {"undecided"}
    shown = [found[one] for one in ("confirmed", "partly", "refuted", "by construction")]
    return {"verdicts": (paper, *shown), "ours": ours, "all": len(CLAIMS)}


@fact
def noisy_max():
    """The log ratio for the counts 0 and 58, or 59, with Gaussian-pDP noise at (0.5, 0.01)."""
    spread = sd("pdp", 2, 0.5, 0.01) * sqrt(2)
    return norm.logsf(58 / spread) - norm.logsf(59 / spread)


@fact
def figure_1():
    """Total variation distances at the same scale."""
    x = np.linspace(0, 40, 400_001)
    curves = {order: gennorm.pdf(x, order) for order in (1, 2, 3, 4, 10)}
    apart = {
        pair: np.trapezoid(np.abs(curves[pair[0]] - curves[pair[1]]), x)
        for pair in combinations(curves, 2)
    }
    return {
        "from-laplace": min(one for pair, one in apart.items() if 1 in pair),
        "of-the-others": max(one for pair, one in apart.items() if 1 not in pair),
    }


@fact
def figure_2(full_run):
    """Pairs of neighbouring points, and the one where the scale falls with the order."""
    curves, names = full_run.figures[2], ("order", "epsilon", "delta")
    pairs = {
        along: sum(len(one) - 1 for _, one in curves.groupby([n for n in names if n != along]))
        for along in names
    }
    said = evidence(full_run, "figure-2-order")
    assert said.startswith(f"{pairs['order'] - 1} of {pairs['order']} ")
    at = curves.set_index(list(names))
    fall = at["scale"][3, 0.25, 0.25] - at["scale"][4, 0.25, 0.25]
    assert f"by {fall:.3g} ± " in said
    return {
        "comparisons": (pairs["epsilon"], pairs["delta"]),
        "rises": (pairs["order"] - 1, pairs["order"]),
        "fall": (0.25, 0.25, 3, 4, fall, float(said.rpartition(" ± ")[2].rstrip("."))),
    }


@fact
def figure_3(full_run):
    """The range of ratios, which fall with larger δ up to ε = 0.7."""
    ratios = full_run.figures[3]["ratio"]
    at = [(0.7, delta) for delta in np.arange(0.0025, 0.5, 0.0025)]
    assert (np.diff([sd("pdp", 2, *one) / sd("adp-classical", 2, *one) for one in at]) < 0).all()
    return {"range": (ratios.min(), ratios.max())}


@fact
def figure_4(full_run):
    """The lowest points, as t and ratio; how many curves end above 1."""
    deltas = (0.01, 0.05, 0.1, 0.2)
    rows = [[(), *deltas]]
    for epsilon in (0.1, 1, 2):
        row = [epsilon]
        for delta in deltas:
            sigma = sd("pdp", 2, epsilon, delta)

            def ratio(t, epsilon=epsilon, sigma=sigma):
                return np.exp(-epsilon * t) / (2 * ndtr(-t / sigma))

            ends, near = (0.01, 8 * sigma), {"xatol": 1e-9}
            found = minimize_scalar(ratio, bounds=ends, method="bounded", options=near)
            row.append((found.x, found.fun))
        rows.append(row)
    curves = full_run.figures[4]
    ends = curves[~curves["unlikely"]].groupby(["epsilon", "delta"])["ratio"].last()
    assert set(ends[ends < 1].index) == {(0.1, 0.01), (1, 0.01), (2, 0.01), (2, 0.05)}
    return {"table": rows, "above-1": ((ends > 1).sum(), len(ends))}


@fact
def figure_5(full_run):
    """The t from which Gaussian noise costs less than Laplace noise at ε = 1, by δ; the tail."""

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
def inequalities(full_run):
    """Definition 5 leaves this percentage of ε; the orders from which Lemma 9 is met."""
    room = TESTS["definition_5"](full_run, orders=[1, 2, 3, 4])
    equal = TESTS["lemma_9"](orders=[1, 2, 3, 4, 5])
    assert [one.difference < 1e-8 for one in equal] == [True, True, False, True, True, True]
    assert all("[-5, 5]" in one.where for one in equal[3:])
    unspent = floor(100 * min(one.difference for one in room))
    return {"unspent": unspent, "lemma-9": (1, 3)}
