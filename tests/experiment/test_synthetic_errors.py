"""Errors of synthetic records, compared with their definitions on the records."""

import numpy as np
import pandas as pd
import pytest

from ggexp.experiment.metrics import l1
from ggexp.experiment.synthetic_errors import measure_records
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.records import METHODS, Records, clamping_bias, list_records
from ggexp.releases.simulate import Listed, release

POINT, SEED, REPEATS = GridPoint("people", "own", 2, "pdp", 1, 0.05), 3, 9
NOISE = GeneralizedGaussian(2, 2.0)
NOISY = NoisyPoint(POINT, NOISE)
KIND = Listed(12, total="public")


def cells():
    levels = [(a, b, c) for a in "xyz" for b in (1.5, 2.5) for c in "uv"]
    table = pd.DataFrame(levels, columns=["a", "b", "c"])
    return table.assign(count=[0, 1, 1, 2, 3, 8, 0, 1, 0, 4, 1, 3])


@pytest.fixture(scope="module")
def tables():
    return measure_records(cells(), KIND, NOISY, METHODS, seed=SEED, repeats=REPEATS)


def shares(records, names):
    return records.groupby(names).size() / len(records)


def distance(records, names):
    """Return ½ Σ |f* - f| between marginals of the synthetic and of the original records."""
    original = list_records(cells(), cells()["count"].to_numpy())
    pair = pd.concat([shares(records, names), shares(original, names)], axis=1).fillna(0)
    return (pair[0] - pair[1]).abs().sum() / 2


@pytest.mark.slow
def test_errors_are_those_of_the_records(tables):
    errors, marginals, _ = tables
    counts = cells()["count"].to_numpy()
    assert list(errors["method"].unique()) == ["release", *METHODS]
    assert len(errors) == 4 * REPEATS
    for method in METHODS:
        of_method = errors[errors["method"] == method].set_index("repeat")
        one_way, two_way = {}, {}
        for repeat in range(REPEATS):
            kind = Records(counts.size, method)
            made = kind.release(counts, NOISY, seed=SEED, repeat=repeat).counts
            records = list_records(cells(), made)
            one_way[repeat] = [distance(records, [name]) for name in "abc"]
            two_way[repeat] = [distance(records, list(names)) for names in ("ab", "ac", "bc")]
            assert of_method["records"][repeat] == len(records)
            assert of_method["l1"][repeat] == l1(counts, made)
            assert of_method["one_way"][repeat] == pytest.approx(np.mean(one_way[repeat]))
            assert of_method["two_way"][repeat] == pytest.approx(np.mean(two_way[repeat]))
        rows = marginals[marginals["method"] == method]
        assert list(rows["attribute"]) == ["a", "b", "c", "a", "a", "b"]
        assert list(rows["other"].fillna("")) == ["", "", "", "b", "c", "c"]
        distances = np.array([one_way[k] + two_way[k] for k in range(REPEATS)])
        np.testing.assert_allclose(rows["mean"], distances.mean(axis=0))
        np.testing.assert_allclose(rows["sd"], distances.std(axis=0, ddof=1))
        np.testing.assert_allclose(rows["se"], rows["sd"] / np.sqrt(REPEATS))


def test_records_increase_the_errors_of_their_release(tables):
    errors = tables[0].set_index("repeat")
    of_release = errors[errors["method"] == "release"]
    assert (of_release["records"].round(9) == cells()["count"].sum()).all()
    for method in METHODS:
        of_method = errors[errors["method"] == method]
        for way in ("one_way", "two_way"):
            added = of_method[way] - of_release[way]
            np.testing.assert_allclose(of_method[f"{way}_added"], added, atol=1e-15)
            assert added.abs().max() > 0.001


def test_mean_increases_by_original_count(tables):
    gains = tables[2]
    counts = cells()["count"].to_numpy()
    changes = [release(counts, NOISY, seed=SEED, repeat=k) - counts for k in range(REPEATS)]
    of_release = gains[gains["method"] == "release"]
    assert list(of_release["original"]) == [0, 1, 2, 3, 4, 8]
    assert list(of_release["cells"]) == [3, 4, 1, 2, 1, 1]
    means = np.array(changes)[:, counts == 0].mean(axis=1)
    assert of_release["mean"].iloc[0] == pytest.approx(means.mean())
    assert of_release["se"].iloc[0] == pytest.approx(means.std(ddof=1) / np.sqrt(REPEATS))
    assert of_release["exact"].isna().all()
    expected = gains[gains["method"] == "counts"]["exact"]
    assert list(expected) == [clamping_bias(s, NOISE, rounded=True) for s in (0, 1, 2, 3, 4, 8)]
