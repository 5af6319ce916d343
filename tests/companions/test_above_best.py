"""Figure S2: its numbers at known points, and its drawing."""

import numpy as np
import pytest
from conftest import stored
from ggexp.companions.figures.draw_above_best import draw

from ggexp.companions.figures import tabulate_above_best


@pytest.fixture(scope="module")
def table():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_above_best, "EPSILONS", np.array([0.5, 1, 2]))
        numbers = tabulate_above_best.tabulate()
    return stored(numbers)


def row(table, panel, mechanism, *point):
    return table.set_index(["panel", "mechanism", "epsilon", "delta"]).loc[
        (panel, mechanism, *point)
    ]


@pytest.mark.parametrize(
    ("point", "smallest", "truncated", "best"),
    [
        ((0.5, 0.01), 1.703, 1.784, 1.892),
        ((0.5, 0.1), 1.026, 1.109, 1.241),
        ((1, 0.05), 0.681, 0.831, 0.893),
        ((2, 0.25), 0.179, 0.397, 0.403),
    ],
)
def test_mean_absolute_values(table, point, smallest, truncated, best):
    for mechanism, value in (("truncated-laplace", truncated), ("best-order", best)):
        result = row(table, "approximate", mechanism, *point)
        assert result["value"] == pytest.approx(value, abs=5e-4)
        assert result["bound"] == pytest.approx(smallest, abs=5e-4)
        assert result["ratio"] == pytest.approx(result["value"] / result["bound"])


def test_standard_deviations(table):
    """At the paper's points truncated geometric noise is the smallest symmetric noise."""
    geometric = table[table["mechanism"] == "truncated-geometric"]
    assert len(geometric) == 12
    assert (geometric["ratio"] == 1).all()
    result = row(table, "probabilistic", "truncated-laplace", 0.5, 0.01)
    assert result["value"] == pytest.approx(2.370, abs=5e-4)
    assert result["bound"] == pytest.approx(2.409, abs=5e-4)
    assert result["ratio"] < 1


def test_no_noise_is_below_its_bound(table):
    whole_number = ("geometric", "discrete-gaussian", "truncated-geometric")
    proven = table[(table["panel"] == "approximate") | table["mechanism"].isin(whole_number)]
    assert proven["ratio"].min() > 1 - 1e-9


def test_drawn(table):
    figure = draw(table, "s2")
    assert [axes.get_title() for axes in figure.axes[:4]] == [
        f"δ = {delta:g}" for delta in tabulate_above_best.DELTAS
    ]
    curves = [[line for line in axes.lines[1:] if len(line.get_xdata())] for axes in figure.axes]
    assert [len(lines) for lines in curves] == 4 * [8] + 4 * [7]
    (legend,) = figure.legends
    assert len(legend.get_texts()) == table["mechanism"].nunique() == 9
