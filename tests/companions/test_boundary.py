"""Figure S8's table against the library at single points, and its drawing."""

import numpy as np
import pytest

from ggexp.companions import histogram_queries
from ggexp.companions.figures import draw_boundary, tabulate_boundary


@pytest.fixture(scope="module")
def table():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_boundary, "KS", (1, 10))
        yield tabulate_boundary.tabulate()


def test_errors_meet_on_the_boundary(table):
    errors, boundary = (table[table["panel"] == panel] for panel in ("error", "boundary"))
    setting = {"epsilon": 1, "failure": 0.05}
    for way, histogram in tabulate_boundary.COMPARED_WITH.items():
        for row in boundary[(boundary["way"] == way) & (boundary["k"] == 10)].itertuples():
            error = tabulate_boundary.HISTOGRAMS[histogram](**setting, cells=row.value, k=10)
            selected = (errors["way"] == way) & (errors["delta"] == row.delta) & (errors["k"] == 10)
            assert errors.loc[selected, "value"].item() == pytest.approx(error, rel=1e-5)
    (value,) = errors.loc[(errors["way"] == "histogram") & (errors["k"] == 10), "value"]
    assert value == histogram_queries.of_histogram(**setting, cells=1000, k=10)


def test_for_a_single_query_no_histogram_is_better_than_laplace_noise(table):
    first = table[(table["panel"] == "boundary") & (table["k"] == 1)].set_index(["way", "delta"])
    assert (first.loc[["advanced", "laplace-exact"], "value"] == 0).all()


def test_it_is_drawn_from_the_table(table):
    figure = draw_boundary.draw(table, "s8")
    left, *right = figure.axes
    assert len(left.lines) == 5
    histogram = table[(table["panel"] == "error") & (table["way"] == "histogram")]
    assert np.array_equal(left.lines[1].get_ydata(), histogram["value"])
    for axes, delta in zip(right, (1e-6, 1e-3), strict=True):
        curve = table[(table["panel"] == "boundary") & (table["way"] == "gaussian-exact")]
        drawn = curve.loc[(curve["delta"] == delta) & (curve["value"] > 0), "value"]
        assert np.array_equal(axes.lines[-1].get_ydata(), drawn)
    assert left.get_title() == r"1,000 bins, $\delta=10^{-6}$"
