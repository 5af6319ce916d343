"""Figures S1 and S4: their numbers compared with scipy's distributions, and their drawings."""

from itertools import pairwise
from math import exp, log, sqrt

import pytest
from conftest import stored
from scipy.integrate import quad
from scipy.stats import gennorm, norm

from ggexp import privacy_loss
from ggexp.companions.figures import tabulate_loss_curves
from ggexp.companions.figures.draw_loss_curves import draw

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tables():
    return {figure: stored(tabulate_loss_curves.tabulate(figure)) for figure in ("s1", "s4")}


def claimed(table):
    return table[table["at_epsilon"] == table["epsilon"]]


def test_values_at_all_claimed_points(tables):
    table = claimed(tables["s1"])
    assert len(table) == 4 * 12
    row = table.set_index(["mechanism", "epsilon", "delta"])["exact_delta"]
    assert row["gaussian-pdp", 0.5, 0.01] == pytest.approx(2.806e-4, abs=5e-8)
    assert (row["laplace"] == 0).all()


def delta_by_quadrature(order, scale, epsilon):
    """∫ max(0, f(x) - e^ε f(x + 1)) dx over scipy's density."""

    def excess(x):
        f = gennorm(order, scale=scale).pdf
        return max(0.0, float(f(x) - exp(epsilon) * f(x + 1)))

    ends = [-20 * scale, -1, 0, scale, 2 * scale, 4 * scale, 20 * scale]
    return sum(quad(excess, a, b, limit=200)[0] for a, b in pairwise(ends))


@pytest.mark.parametrize("index", [200, 1000, 1900, 2500, 3300])
def test_curves_by_quadrature(tables, index):
    row = tables["s1"].iloc[index]
    expected = delta_by_quadrature(row["order"], row["scale"], row["at_epsilon"])
    assert row["exact_delta"] == pytest.approx(expected, rel=1e-4, abs=1e-9)


def test_scales_over_the_exact_one(tables):
    """By the analytic Gaussian mechanism's formula (Balle and Wang 2018), with scipy's normal."""
    table = tables["s4"]
    normal = table[(table["order"] == 2) & (table["panel"] == "epsilon")]
    sigma_of = {
        "adp-classical": lambda e, d: sqrt(2 * log(1.25 / d)) / e,
        "adp-lecture": lambda e, d: sqrt(2 * log(2 / d)) / e,
    }
    for rule, sigma_at in sigma_of.items():
        rows = normal[normal["calibration"] == rule].iloc[::7]
        for epsilon, delta, ratio, exact_delta in rows[
            ["epsilon", "delta", "ratio", "exact_delta"]
        ].to_numpy():
            sigma = sigma_at(epsilon, delta)

            def delta_at(sigma, epsilon=epsilon):
                a, b = 1 / (2 * sigma), epsilon * sigma
                return norm.cdf(a - b) - exp(epsilon) * norm.cdf(-a - b)

            assert exact_delta == pytest.approx(delta_at(sigma), rel=1e-6, abs=1e-12)
            assert delta_at(sigma / ratio) == pytest.approx(delta, rel=1e-6)


def test_too_little_noise_is_a_larger_delta(tables):
    table = tables["s4"]
    assert ((table["ratio"] < 1) == (table["exact_delta"] > table["delta"])).all()
    assert set(table.loc[table["ratio"] < 1, "calibration"]) == {"adp-classical", "adp-lecture"}


def test_the_classical_scale_fails_from_epsilon_5_point_8_at_delta_a_tenth():
    def exact(epsilon):
        b = 2 * sqrt(log(12.5)) / epsilon
        return privacy_loss.delta(order=2, scale=b, epsilon=epsilon)

    assert exact(5.7) < 0.1 < exact(5.8)


def test_drawn(tables):
    s1, s4 = draw(tables["s1"], "s1"), draw(tables["s4"], "s4")
    assert [len(axes.lines) for axes in s1.axes] == 12 * [5]
    assert [len(axes.lines) for axes in s4.axes] == 8 * [6]
    assert s4.axes[0].get_title() == "δ = 10⁻⁶"
    assert len(s1.legends) == len(s4.legends) == 1
