"""Comparison of mechanisms with the best possible noise, and bounds on it (Figure S2)."""

from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest
from conftest import load_study

from facts import fact
from facts.library import DELTAS, EPSILONS
from ggexp import best_order
from ggexp.companions import least_pdp
from ggexp.companions.figures import tabulate_above_best
from ggexp.companions.optimality import variance


@fact
def least_absolute():
    """E|e| of the optimum, and the ratios of other mechanisms to it."""
    shown = ("geometric", "discrete-gaussian", "truncated-laplace", "best-order", "laplace")
    names = (*shown, "gaussian-pdp", "ggm-3")
    rows = []
    for point in [(0.1, 0.01), (0.1, 0.25), (0.5, 0.01), (2, 0.25), (5, 0.01)]:
        values = {
            name: (value, smallest)
            for name, value, smallest in tabulate_above_best.mean_absolutes(*point)
        }
        rows.append(
            [point, values["laplace"][1], *(values[name][0] / values[name][1] for name in names)]
        )
    return rows


@fact
@pytest.mark.slow
def least_real():
    """Bounds on the smallest sd of real-valued noise, and the excess of other noise in percent."""
    study = load_study("least_noise")
    rows = []
    for point in [(0.02, 1e-9), (0.1, 0.25), (0.5, 0.1), (1, 1e-6), (2, 0.25), (3, 0.1)]:
        (below, above), _ = study.refined(*point)
        assert above < below * (1 + study.WITHIN)
        sds = study.truncated_laplace_sd(*point), best_order(epsilon=point[0], delta=point[1]).sd
        rows.append([point, below, above, *(100 * sd / above - 100 for sd in sds)])
    return rows


@fact
def least_pdp_noise():
    """Symmetric noise with two more modes, compared with truncated geometric noise and a bound."""
    for epsilon in EPSILONS:
        proofs = [least_pdp.certify(Fraction(exp(epsilon)), Fraction(d), variance) for d in DELTAS]
        assert all(proof.bound == proof.cost for proof in proofs)

    r, delta = exp(0.666), 0.25
    # 0 and 1 have the probabilities rx and x; 2, 3, … have y, ry, y, y/r, …; and x + y = δ
    multiples = np.array([1.0, *(r ** (1 - np.arange(60.0)))])
    y = (1 - delta * (r + 2)) / (2 * multiples.sum() - r - 2)
    half = np.array([r * (delta - y), delta - y, *(y * multiples)])
    p = np.concatenate([half[:0:-1], half])
    assert p.sum() == pytest.approx(1)
    assert np.argmax(multiples) == 1
    allowed = Fraction(r) * (1 + Fraction(1, 10**12))
    assert least_pdp.delta_of([*map(Fraction, p)], allowed) == pytest.approx(delta, rel=1e-12)
    proof = least_pdp.certify(Fraction(r), Fraction(delta), variance)
    values = np.arange(1 - half.size, half.size)
    return {"two-more-modes": (sqrt(values**2 @ p), sqrt(proof.cost), sqrt(proof.bound))}
