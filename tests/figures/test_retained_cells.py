"""The figure of the cells that releases of a large histogram retain."""

import numpy as np
import pandas as pd
import pytest
from conftest import stored

from ggexp.figures.draw_retained_cells import draw
from ggexp.figures.tabulate_retained_cells import tabulate

TALLY = pd.DataFrame({"quantity": ["training", "cells"], "count": [20_000, 1_600]})
BASELINE = pd.DataFrame({"model": ["original", "majority"], "accuracy": [0.82, 0.75]})
DELTAS = [0.01, 0.25]
LAPLACE = [("laplace", None)]
BOTH = [*LAPLACE, *(("ggm-3", delta) for delta in DELTAS)]


def summary(points, **means):
    """A summary of metrics, with these means at ε = 1, and twice as large means at ε = 2."""
    rows = [
        {"dataset": "own", "mechanism": name, "epsilon": epsilon, "delta": delta}
        | {"metric": metric, "repeats": 5, "mean": epsilon * mean, "sd": mean / 9, "se": mean / 20}
        for name, delta in points
        for epsilon in (1.0, 2.0)
        for metric, mean in means.items()
    ]
    return pd.DataFrame(rows)


def panels(retained, *trained):
    """The panels of the figure, by the label of their row."""
    rows, label = {}, ""
    for axes in draw(stored(tabulate(retained, TALLY, *trained)), "own").axes:
        label = axes.get_ylabel() or label
        rows.setdefault(label, []).append(axes)
    return [*rows.values()]


def test_a_row_for_each_metric_that_was_measured():
    retained = summary(BOTH, l1=9_000, kept=300, added=7)
    assert [len(row) for row in panels(retained)] == [2, 2]
    accuracies = summary(BOTH, accuracy=0.4)
    assert [len(row) for row in panels(retained, accuracies, BASELINE)] == [2, 2, 2]


def test_the_largest_l1_is_twice_the_records():
    table = tabulate(summary(BOTH, l1=9_000, kept=300), TALLY).set_index("mechanism")
    references = table.loc["reference"].set_index("metric")["mean"]
    assert references.to_dict() == {"l1": 40_000, "kept": 1_600}


def test_a_metric_without_a_delta_has_one_panel():
    retained = summary(BOTH, l1=9_000, kept=300)
    *rows, last_row = panels(retained, summary(LAPLACE, accuracy=0.4), BASELINE)
    assert [axes.get_title() for axes in rows[0]] == ["δ = 0.01", "δ = 0.25"]
    (axes,) = last_row
    assert "δ" in axes.get_title()
    assert "0.25" not in axes.get_title()
    (points,) = axes.containers
    assert list(points.lines[0].get_ydata()) == pytest.approx([40, 80])
    # in the other columns, the row above has the tick labels
    assert [text.get_visible() for text in rows[-1][-1].get_xticklabels()] == [True, True]


@pytest.mark.parametrize(("kept", "scale"), [(1, "log"), (0.2, "symlog"), (0, "symlog")])
def test_means_are_distinguishable_on_their_axis(kept, scale):
    first, second = panels(summary(LAPLACE, l1=19_990, kept=kept))
    for row, reference in ((first, 40_000), (second, 1_600)):
        low, high = row[0].get_ylim()
        assert high > reference
        assert low < reference / 8
        labels = zip(row[0].get_yticks(), row[0].get_yticklabels(), strict=True)
        shown = {tick: label.get_text() for tick, label in labels if low <= tick <= high}
        assert len(shown) > 2
        assert all(text == f"{tick:,.0f}" for tick, text in shown.items())
    assert (first[0].get_yscale(), second[0].get_yscale()) == ("log", scale)
    drawn = np.concatenate([points.lines[0].get_ydata() for points in second[0].containers])
    assert second[0].get_ylim()[0] <= drawn.min()
