"""Summaries by hand, and the joining of parts and metrics in their order."""

from math import sqrt

import numpy as np
import pandas as pd
import pytest
from conftest import stored

from ggexp.experiment.summary import by_grid_point, summarize

KEYS = ["dataset", "mechanism", "epsilon", "delta"]
LAPLACE = ("mildew", "laplace", 0.5, None)
GAUSSIAN = ("mildew", "gaussian-pdp", 0.5, 0.01)


def frame(point, first=0, **metrics):
    (size,) = {len(values) for values in metrics.values()}
    key = {name: [value] * size for name, value in zip(KEYS, point, strict=True)}
    return pd.DataFrame({**key, "repeat": np.arange(first, first + size), **metrics})


def places(table):
    rows = table[[*KEYS, "metric"]].astype(object).where(table[[*KEYS, "metric"]].notna(), None)
    return list(rows.itertuples(index=False, name=None))


def test_summary_by_hand():
    table = summarize(
        [
            frame(LAPLACE, l1=[1.0, 2.0, 3.0, 6.0], kl=[0.5, 0.5, 0.5, 0.5]),
            frame(GAUSSIAN, l1=[10.0, 20.0]),
        ]
    )
    assert list(table) == [*KEYS, "metric", "repeats", "mean", "sd", "se"]
    assert places(table) == [(*LAPLACE, "l1"), (*LAPLACE, "kl"), (*GAUSSIAN, "l1")]
    assert list(table["repeats"]) == [4, 4, 2]
    assert list(table["mean"]) == [3, 0.5, 15]
    # (4 + 1 + 0 + 9) / 3, and (25 + 25) / 1
    np.testing.assert_allclose(table["sd"], [sqrt(14 / 3), 0, sqrt(50)], rtol=1e-15)
    np.testing.assert_allclose(table["se"], [sqrt(14 / 3) / 2, 0, 5], rtol=1e-15)


def test_no_mean_is_over_fewer_repeats_than_it_says():
    table = summarize([frame(LAPLACE, l1=[1.0, np.nan, 3.0], kl=[1.0, 2.0, 3.0])])
    assert list(table["repeats"]) == [3, 3]
    assert table[["mean", "sd", "se"]].isna().all(axis="columns").tolist() == [True, False]


def test_parts_with_wrong_repeats_are_refused():
    for parts in (
        [(0, 2)],  # too few
        [(0, 6)],  # too many
        [(0, 2), (3, 6)],  # a gap, with the expected number
        [(0, 3), (2, 4)],  # a duplicate, with the expected number
        [(2, 5), (0, 2)],  # a wrong order
    ):
        frames = [frame(GAUSSIAN, a, accuracy=np.full(b - a, 0.5)) for a, b in parts]
        message = "'gaussian-pdp', 'epsilon': 0.5, 'delta': 0.01.*repeats must be 0 to 4"
        with pytest.raises(ValueError, match=message):
            summarize(frames, 5)
    parts = [frame(("a", "x", 1, None), l1=[1, 2]), frame(("b", "x", 1, None), first=2, l1=[3])]
    with pytest.raises(ValueError, match="repeats must be 0 to 2"):
        summarize(parts, 3)


ERRORS, ACCURACY = {"l1": [1.0, 3.0], "kl": [0.5, 0.7]}, {"accuracy": [0.8, 0.9]}
# neither data sets nor other keys are sorted
MILDEW = [("mildew", "laplace", 2.0, None), ("mildew", "ggm-3", 2.0, 0.1)]
ADULT = [
    ("adult", "laplace", 2.0, None),
    ("adult", "laplace", 0.5, None),
    ("adult", "gaussian-pdp", 2.0, 0.25),
    ("adult", "gaussian-pdp", 2.0, 0.01),
]


@pytest.mark.parametrize("through", [stored, lambda table: table], ids=["stored", "as made"])
def test_metrics_are_grouped_by_point_in_the_order_of_points(through):
    errors = [summarize(frame(point, **ERRORS) for point in points) for points in (MILDEW, ADULT)]
    accuracy = summarize(frame(point, **ACCURACY) for point in ADULT)
    joined = by_grid_point(pd.concat(map(through, [*errors, accuracy])))
    assert places(joined) == [
        *((*point, metric) for point in MILDEW for metric in ("l1", "kl")),
        *((*point, metric) for point in ADULT for metric in ("l1", "kl", "accuracy")),
    ]
    assert list(joined.index) == list(range(len(joined)))
    assert list(joined) == list(accuracy)
    means = {"l1": 2.0, "kl": 0.6, "accuracy": 0.85}
    np.testing.assert_allclose(joined["mean"], joined["metric"].map(means), rtol=1e-9)
    assert (joined["repeats"] == 2).all()
