"""Marginals, compared with tables from pandas; margins and facts of a user's own table."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from ggexp.datasets.table import Table
from ggexp.experiment.marginals import Marginals
from ggexp.experiment.margins import margin_errors, measure_margins
from ggexp.experiment.own_table import describe_own_table
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import Release
from ggexp.releases.simulate import Listed, release
from ggexp.releases.unlisted import Threshold


def cells(size=60, seed=2):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.choice([1.5, 2.5, 9.0], size),
            "sex": rng.choice(["f", "m"], size),
            "work": rng.choice(list("abcde"), size),
        }
    ).drop_duplicates(ignore_index=True)
    return table, rng.integers(0, 9, len(table)), rng.gamma(1, 3, len(table))


def test_every_marginal_of_one_and_two_attributes():
    table, original, released = cells()
    marginals = Marginals(table)
    names = [*combinations(table, 1), *combinations(table, 2)]
    assert marginals.names == names
    assert list(marginals.ways) == [1, 1, 1, 2, 2, 2]
    errors = marginals.errors(original, [released, 3 * original])
    changes = table.assign(w=original / original.sum() - released / released.sum())
    expected = [changes.groupby([*marginal])["w"].sum().abs().sum() / 2 for marginal in names]
    np.testing.assert_allclose(errors[0], expected, rtol=1e-12)
    np.testing.assert_allclose(errors[1], 0, atol=1e-15)  # more records with the same shares
    assert len(set(np.round(expected, 6))) == 6
    table = pd.DataFrame({"a": ["x", "y"]})
    np.testing.assert_array_equal(Marginals(table).errors(np.array([1, 1]), [np.zeros(2)]), [[1]])
    with pytest.raises(ValueError, match=r"original must have .*, got 0"):
        Marginals(table).errors(np.zeros(2, dtype=int), [np.ones(2)])


CODES = [np.array([0, 1, 1]), np.array([1, 0, 2])]
CELLS = Table({"a": ["x", "y"], "b": [1.0, 2.0, 3.0]}, CODES, np.array([5, 3, 2]))


def all_cells(released):
    """Return a release as a table of all cells, a x b; (x, 2), (y, 1) and (y, 3) are listed."""
    table = np.full((2, 3), released.remaining_count)
    empty = [(0, 0), (0, 2), (1, 1)]
    for place, value in zip(released.places, released.values, strict=True):
        table[empty[place]] = value
    for place, value in zip([(0, 1), (1, 0), (1, 2)], released.counts, strict=True):
        table[place] = value
    return table


@pytest.mark.parametrize(
    "released",
    [
        Release(np.array([4.0, 6.0, 0.0])),
        Release(np.array([4.0, 0.0, 1.5]), np.array([0, 2]), np.array([0.5, 4.0]), 1),
        Release(np.full(3, 10 / 6), remaining=3, remaining_count=10 / 6),
    ],
)
def test_margins_are_sums_over_all_cells(released):
    original = all_cells(Release(CELLS.counts.astype(float)))
    changes = all_cells(released) - original
    expected = [np.abs(changes.sum(axis=axis)).sum() for axis in (1, 0)]
    np.testing.assert_allclose(margin_errors(CELLS, released), expected, atol=1e-12)


def test_the_error_is_the_mean_over_the_releases():
    point = GridPoint("own", "laplace", 1, "pure", 0.5, None)
    noisy = NoisyPoint(point, Mechanism(1, "pure").noise(epsilon=0.5, delta=None))
    counts = CELLS.counts
    table = measure_margins(CELLS, Listed(3, total="public"), [noisy], seed=1, repeats=4)
    errors = [
        margin_errors(CELLS, Release(release(counts, noisy, seed=1, repeat=repeat)))
        for repeat in range(4)
    ]
    assert table["margin"].tolist() == pytest.approx([np.mean(errors) / 10])
    assert table["total_error"].tolist() == pytest.approx([0], abs=1e-12)
    alone = measure_margins(CELLS, Listed(3), [noisy], seed=1, repeats=4)
    totals = [Listed(3).release(counts, noisy, seed=1, repeat=i).counts.sum() for i in range(4)]
    total_error = np.abs(np.array(totals) - 10).mean() / 10
    assert alone["total_error"].tolist() == pytest.approx([total_error])
    assert table[["mechanism", "epsilon", "delta"]].values.tolist() == [["laplace", 0.5, None]]
    empty = replace(CELLS, counts=np.zeros(3, int))
    assert measure_margins(empty, Listed(3, total="public"), [noisy], seed=1, repeats=4).empty


POINTS = [
    NoisyPoint(GridPoint("own", name, 1, "pure", e, None), Mechanism(1, "pure").noise(epsilon=1))
    for name in ("laplace", "other")
    for e in (0.5, 2.0)
]
RECOMMENDED = pd.DataFrame(
    [("l1", "laplace", 0.5), ("kl", "laplace", 2.0), ("l1", "other", 2.0), ("l1", "absent", 0.5)],
    columns=["metric", "mechanism", "epsilon"],
)
RUN = {"file": "own.csv", "seed": 3, "repeats": 4}


def test_margins_are_measured_where_a_mechanism_has_the_smallest_l1():
    kind = Listed(3, total="public")
    facts, margins = describe_own_table(CELLS, kind, POINTS, RECOMMENDED, {}, **RUN)
    measured = [*zip(margins["mechanism"], margins["epsilon"], strict=True)]
    assert measured == [("laplace", 0.5), ("other", 2.0)]
    expected = measure_margins(CELLS, kind, [POINTS[0], POINTS[3]], seed=3, repeats=4)
    pd.testing.assert_frame_equal(margins, expected)
    assert facts.pop("contents")["records, n"] == "10"
    assert facts == {
        **{"cells": 3, "records": 10, "published": 10, "file": "own.csv", "is_rescaled": True}
    }


def test_published_records_are_those_of_the_tally_and_unlisted_cells_have_no_number():
    tally = {"records": 30, "complete": 25, "dropped": 5, "kept": 20, "test": 10}
    facts, _ = describe_own_table(CELLS, Threshold(9), [], RECOMMENDED, tally, **RUN)
    assert (facts["records"], facts["published"], facts["cells"]) == (10, 20, None)
    assert facts["is_rescaled"] is False


def test_too_many_cells_have_no_margins():
    factors = {f"x{i}": ["no", "yes"] for i in range(60)}
    table = Table(factors, np.zeros((60, 1), int), np.array([7]))
    _, margins = describe_own_table(table, Listed(1), POINTS, RECOMMENDED, {}, **RUN)
    assert margins.empty
