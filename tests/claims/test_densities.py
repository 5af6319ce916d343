"""Numbers computed from the curves of Figure 1, compared with closed forms."""

from math import gamma, sqrt

import numpy as np
import pandas as pd
import pytest
from mutations import claims
from scipy.integrate import quad
from scipy.stats import gennorm

from ggexp.claims import densities
from ggexp.claims.check import compare
from ggexp.claims.evidence import Results
from ggexp.figures import tabulate_theory

#: Tests of claims that read Figure 1.
ABOUT_THE_FIGURE = {"less_spread", "unlike_the_rest", "nearest_the_mean"}


@pytest.fixture(scope="module")
def results():
    return Results(
        pd.DataFrame(), pd.DataFrame(), figures={1: tabulate_theory.tabulate("01", seed=1)}
    )


def test_spread_of_the_curves(results):
    sds = []
    for order in tabulate_theory.ORDERS:
        noise = gennorm(order, scale=sqrt(2))
        mass = noise.cdf(5) - noise.cdf(-5)
        square = 2 * quad(lambda x, noise=noise: x**2 * noise.pdf(x), 0, 5)[0]
        sds.append(sqrt(square / mass))
    differences = [comparison.difference for comparison in densities.less_spread(results)]
    assert differences == pytest.approx(-np.diff(sds), abs=1e-4)


def test_spread_in_general(results):
    (comparison,) = densities.less_spread_in_general(orders=[10, 100])
    expected = [sqrt(gamma(3 / p) / gamma(1 / p)) for p in (10, 100)]
    assert comparison.difference == pytest.approx(expected[0] - expected[1])
    assert comparison.difference < 0  # the sd increases again, towards 1/√3


def test_laplace_differs_from_the_other_orders(results):
    def distance(p, q):
        first, second = (gennorm(order, scale=sqrt(2)) for order in (p, q))
        area = quad(lambda x: abs(first.pdf(x) - second.pdf(x)), 0, 40, limit=400, points=[1, 1.4])
        return area[0]

    comparisons = densities.unlike_the_rest(results, order=1)
    assert [comparison.where for comparison in comparisons] == ["p=2", "p=3", "p=4", "p=10"]
    widest = max(distance(p, q) for p in (2, 3, 4) for q in (3, 4, 10))
    expected = [distance(1, p) - widest for p in (2, 3, 4, 10)]
    assert [c.difference for c in comparisons] == pytest.approx(expected, abs=1e-3)


def test_mass_near_the_mean(results):
    comparisons = densities.nearest_the_mean(results, within=[0.5], orders=[1])
    masses = [
        1 - 2 * gennorm.sf(0.5, p, scale=sqrt(gamma(1 / p) / gamma(3 / p)))
        for p in tabulate_theory.ORDERS
    ]
    expected = [masses[0] - mass for mass in masses[1:]]
    assert [c.difference for c in comparisons] == pytest.approx(expected, abs=1e-3)


def test_claims_about_the_figure_are_omitted_without_it():
    empty = Results(pd.DataFrame(), pd.DataFrame())
    omitted = {
        claim["test"]
        for claim in claims("claims.yaml").values()
        if claim["test"] in ABOUT_THE_FIGURE and compare(claim, empty) == []
    }
    assert omitted == ABOUT_THE_FIGURE
