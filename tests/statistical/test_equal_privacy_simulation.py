"""Mean l1 and KL at equal privacy against an independent simulation in plain numpy.

As in test_simulation.py, both sides have 2,000 repeats from unrelated streams. A difference of two
means exceeds 5.5 of its standard errors with probability 4e-8; the probability of a false alarm in
any of the 24 comparisons is 1e-6. The scales here are found by a separate search: δ is integrated
from the difference of the densities. A scale or a bound that is off by 30 % must be detected.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import gennorm
from test_simulation import MILDEW

from ggexp.experiment.design import Design
from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.releases.sanitize import release

pytestmark = pytest.mark.slow

REPEATS = 2000
MAX_STANDARD_ERRORS = 5.5
CZECH = pd.read_csv(ROOT / "data/czech.csv")["count"].to_numpy()
TABLES = {"mildew": MILDEW, "czech": CZECH}
MECHANISMS = {
    "gg-1.5": {"order": 1.5, "calibration": "adp-exact"},
    "gg-best": {"order": "best", "calibration": "adp-exact"},
    "truncated-laplace": {"order": 1, "calibration": "adp-truncated"},
}
#: (ε, δ) -> best order, checked in the last test.
BEST_ORDERS = {(0.5, 0.1): 1.985, (2, 0.25): 1.375}


def ggexp_results(counts, dataset, name, epsilon, delta):
    design = Design.from_config(
        {
            **{"seed": 2016, "repeats": REPEATS, "neighbours": "add-remove"},
            **{"datasets": [dataset], "histograms": {dataset: {"mechanisms": [name]}}},
            **{"mechanisms": MECHANISMS, "epsilon": [epsilon], "delta": [delta]},
        }
    )
    (noisy,) = design.points[dataset]
    rows = []
    for repeat in range(REPEATS):
        released = release(counts, noisy, seed=2016, repeat=repeat)
        rows.append((l1(counts, released), *kl_dirichlet(counts, released)))
    return np.array(rows)


def plain_results(counts, noise):
    """Return the metrics of all repeats, computed on one array by their definitions."""
    n = counts.sum()
    released = np.minimum(np.maximum(counts + noise, 0), n)
    released *= n / released.sum(axis=1, keepdims=True)
    f1 = (counts + 0.5) / (n + counts.size / 2)
    f2 = (released + 0.5) / (n + counts.size / 2)
    kl, reverse = f1 * np.log(f1 / f2), f2 * np.log(f2 / f1)
    return np.stack([np.abs(released - counts).sum(axis=1), kl.sum(axis=1), reverse.sum(axis=1)], 1)


@cache
def scale_of(order, epsilon, delta):
    """Return the b at which ∫ max(0, f(x) - e^ε f(x + 1)) dx = δ for the density f (exact aDP)."""

    def excess(b):
        f = gennorm(order, scale=b).pdf
        width = 40 * b if order < 1.2 else 12 * b
        integral = quad(
            lambda x: max(0.0, f(x) - np.exp(epsilon) * f(x + 1)),
            *(-1 - width, width),
            points=[-1, 0],
            limit=400,
        )[0]
        return integral - delta

    return brentq(excess, 0.1, 20, xtol=1e-5)


def draw_noise(name, epsilon, delta, *, spread=1.0, within=1.0):
    rng = np.random.default_rng(77)
    size = (REPEATS, MILDEW.size)
    if name == "truncated-laplace":
        bound = within * np.log(1 + np.expm1(epsilon) / (2 * delta)) / epsilon
        noise = rng.laplace(0, 1 / epsilon, size)
        while (outside := np.abs(noise) > bound).any():  # redraw until all are within the bound
            noise[outside] = rng.laplace(0, 1 / epsilon, outside.sum())
        return noise
    order = 1.5 if name == "gg-1.5" else BEST_ORDERS[epsilon, delta]
    b = spread * scale_of(order, epsilon, delta)
    return gennorm.rvs(order, scale=b, size=size, random_state=rng)


def z_values(a, b):
    error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / REPEATS)
    return np.abs(a.mean(axis=0) - b.mean(axis=0)) / error


@pytest.mark.parametrize("point", BEST_ORDERS, ids=str)
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("dataset", TABLES)
def test_means_agree_with_a_simulation_of_its_own(dataset, name, point):
    counts = TABLES[dataset]
    results = ggexp_results(counts, dataset, name, *point)
    assert (
        z_values(results, plain_results(counts, draw_noise(name, *point))) < MAX_STANDARD_ERRORS
    ).all()
    for factor in (1.3, 1 / 1.3):
        if name == "truncated-laplace":
            wrong = plain_results(counts, draw_noise(name, *point, within=factor))
        else:
            wrong = plain_results(counts, draw_noise(name, *point, spread=factor))
        assert (z_values(results, wrong) > MAX_STANDARD_ERRORS).all()


@pytest.mark.parametrize("point", BEST_ORDERS, ids=str)
def test_the_best_orders_are_optimal(point):
    def sd(order):
        return gennorm.std(order, scale=scale_of(order, *point))

    order = BEST_ORDERS[point]
    assert sd(order) < min(sd(order - 0.1), sd(order + 0.1))
