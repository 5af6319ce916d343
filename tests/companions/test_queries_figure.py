"""Figure S5's table against the library at single points, and its drawing."""

import numpy as np
import pandas as pd
import pytest

from ggexp.companions import queries
from ggexp.companions.figures import draw_queries, tabulate_queries
from ggexp.guarantees import composition
from ggexp.mechanisms.distribution import GeneralizedGaussian


@pytest.fixture(scope="module")
def table():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_queries, "KS", (1, 3, 10, 30))
        patch.setattr(tabulate_queries, "SIMULATED", (3, 30))
        patch.setattr(tabulate_queries, "RELEASES", (1, 10, 34, 35, 100))
        patch.setattr(tabulate_queries, "CROSSINGS", (("laplace", "gaussian"),))
        yield tabulate_queries.tabulate(seed=1)


def values(table, panel, kind, way, delta):
    selected = (table["panel"] == panel) & (table["kind"] == kind) & (table["way"] == way)
    return table[selected & (table["delta"] == delta)].set_index("k")["value"]


def test_composition(table):
    curves = {
        way: values(table, "composition", "curve", way, 1e-6) for way in draw_queries.ACCOUNTANTS
    }
    assert curves["basic"][100] == pytest.approx(10)
    assert curves["advanced"][100] == pytest.approx(6.3082, abs=5e-5)
    assert curves["advanced"][34] == curves["basic"][34]
    assert curves["advanced"][35] < curves["basic"][35]
    assert curves["zcdp"][100] == composition.zcdp(rho=0.005, delta=1e-6, k=100)
    exact = composition.Composition([(GeneralizedGaussian(1, 10), 100)]).sufficient_epsilon(
        delta=1e-6
    )
    assert curves["exact"][100] == exact


def test_queries(table):
    for way in queries.WAYS:
        for delta in tabulate_queries.DELTAS:
            curve = values(table, "queries", "curve", way, delta)
            assert list(curve.index) == [1, 3, 10, 30]
            expected = queries.largest_error(way, epsilon=1, delta=delta, k=10)
            assert curve[10] == pytest.approx(expected, rel=1e-12)
            points = table[(table["kind"] == "simulated") & (table["way"] == way)]
            points = points[points["delta"] == delta].set_index("k")
            deviations = (points["value"] - curve[points.index]) / points["se"]
            assert (deviations.abs() < 5).all()
            assert (points["se"] < 0.03 * points["value"]).all()
    crossings = table[table["kind"] == "crossing"]
    assert list(zip(crossings["delta"], crossings["k"], strict=True)) == [(1e-6, 12), (1e-3, 7)]


def test_the_seed_changes_only_the_simulated_points(table):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("KS", (3,)),
            ("SIMULATED", (3,)),
            ("RELEASES", (1,)),
            ("CROSSINGS", ()),
        ):
            patch.setattr(tabulate_queries, name, value)
        first, again, reseeded = (tabulate_queries.tabulate(seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    simulated = first["kind"] == "simulated"
    pd.testing.assert_frame_equal(first[~simulated], reseeded[~simulated])
    assert (first["value"] != reseeded["value"])[simulated].all()


@pytest.mark.slow
def test_it_is_drawn_from_the_table(table):
    figure = draw_queries.draw(table, "s5")
    left, *right = figure.axes
    assert len(left.lines) == 4
    drawn = left.lines[1]
    advanced = values(table, "composition", "curve", "advanced", 1e-6)
    assert np.array_equal(drawn.get_ydata(), advanced)
    assert [axes.get_title() for axes in right] == [
        r"$\epsilon=1$, $\delta=10^{-6}$",
        r"$\epsilon=1$, $\delta=10^{-3}$",
    ]
    for axes in right:
        assert len(axes.lines) == 2 * len(queries.WAYS)  # curves and points
    assert [text.get_text() for axes in right for text in axes.texts] == ["$k=12$", "$k=7$"]
