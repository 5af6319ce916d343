"""What several tables of the same records tell: errors, accuracies, and their streams."""

import numpy as np
import pandas as pd
import pytest

from ggexp.datasets.domain import Domain
from ggexp.experiment import several_tables
from ggexp.experiment.several_tables import Subject, measure_tables
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_integer import Geometric
from ggexp.releases.point import GridPoint
from ggexp.tables.joint import JointNoise
from ggexp.tables.survey import Survey

LEVELS = {"a": np.arange(2), "b": np.arange(3), "c": np.arange(4)}
POINT = GridPoint("people", "gaussian", 2, "adp-exact", 1.0, 1e-5)
GAUSSIAN = Mechanism(2, "adp-exact")
ALL = ["one-way", "two-way", "listed", "tree", "tree-of-target", "threshold", "stability"]


def records(number, seed):
    """Return records in which b follows a, and c is noise."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, number)
    b = np.where(rng.random(number) < 0.9, a, 2)
    return pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 4, number)})


@pytest.fixture(scope="module")
def subject():
    cells = records(3000, 1).value_counts(sort=False).reset_index(name="count")
    return Subject.of(Domain(LEVELS), cells, records(1000, 2), "a", [["a"], ["c", "b"]])


def measured(subject, publish, repeats=2, point=POINT, mechanism=GAUSSIAN):
    return measure_tables(
        subject,
        "people",
        publish,
        point=point,
        mechanism=mechanism,
        share=0.1,
        seed=1,
        repeats=repeats,
    ).set_index(["method", "repeat"])


@pytest.fixture(scope="module")
def errors(subject):
    return measured(subject, ALL)


def test_errors_are_total_variation_distances(subject, errors):
    """Those of one-way tables with the same noise, computed here."""
    joint = subject.joint("one-way", GAUSSIAN, POINT, 0.1)
    assert joint.tables == 3
    assert errors.loc[("one-way noisy", 0), "sd"] == joint.noise.sd
    listed = subject.joint("listed", GAUSSIAN, POINT, 0.1)
    assert listed.tables == 2
    assert errors.loc[("listed noisy", 0), "sd"] == listed.noise.sd < joint.noise.sd
    shifted = {("a",): np.array([1600.0, 1400.0]), ("b",): subject.true(("b",)) + 0.0}
    true = subject.true(("a",))
    expected = [np.abs(shifted[("a",)] / 3000 - true / 3000).sum() / 2, 0.0]
    numbers = subject._errors(shifted)
    assert numbers == {
        "one_way": pytest.approx(np.mean(expected)),
        "one_way_largest": pytest.approx(max(expected)),
    }


def test_records_are_measured_and_classified(errors):
    of_records = [
        f"{name} records" for name in ("tree", "tree-of-target", "threshold", "stability")
    ]
    assert errors.loc[of_records].notna().all(axis=None)
    assert (
        errors.loc[["one-way noisy", "two-way consistent", "tree measured"], "accuracy"]
        .isna()
        .all()
    )
    # b tells a for nine records of ten
    assert errors.loc[["tree records", "threshold records"], "accuracy"].between(0.93, 0.97).all()
    assert (
        errors.loc["two-way consistent", "one_way"] < errors.loc["two-way noisy", "one_way"]
    ).all()


def test_nothing_is_wrong_without_noise(subject):
    found = measured(subject, ALL, repeats=1, point=None, mechanism=None).droplevel("repeat")
    assert {*found.index} == {
        *("original", "tree measured", "tree records"),
        *("tree-of-target measured", "tree-of-target records"),
        *(
            f"{ways} {part}"
            for ways in ("one-way", "two-way", "listed")
            for part in ("noisy", "consistent")
        ),
    }
    assert (found["sd"] == 0).all()
    assert found["epsilon"].isna().all()
    exact = found.drop(index=["tree records", "tree-of-target records"])
    assert exact.filter(like="way").fillna(0).to_numpy() == pytest.approx(0, abs=1e-9)
    assert found.loc["tree records", "one_way"] < 0.001


def test_a_repeat_depends_on_nothing_else(subject, errors):
    """More repeats, or fewer publications, begin with the same numbers."""
    alone = measured(subject, ["tree"], repeats=3)
    both = [("tree records", 0), ("tree records", 1)]
    pd.testing.assert_frame_equal(alone.loc[both], errors.loc[both])


def test_stability_needs_a_delta(subject):
    point = GridPoint("people", "laplace", 1, "pure", 1.0, None)
    found = measured(subject, ALL, 1, point, Mechanism(1, "pure"))
    assert "stability records" not in found.index
    assert found.loc[("two-way noisy", 0), "sd"] == pytest.approx(3 * np.sqrt(2))


def test_an_empty_release_tells_the_first_class(subject):
    """A release without cells is as wrong as possible."""
    point = GridPoint("people", "laplace", 1, "pure", 1e-3, 1e-9)
    found = measured(subject, ["stability"], 1, point, Mechanism(1, "adp-exact")).iloc[0]
    assert found["three_way"] == found["one_way_largest"] == 1
    assert found["accuracy"] == np.mean(subject.test[0] == 0)


def test_cells_with_one_record_are_released():
    """The noise is so small that a release is the table."""
    codes = np.array([[0, 1, 1], [2, 0, 1]])
    survey = Survey({"a": np.arange(2), "b": np.arange(3)}, codes, np.array([1, 1, 2]))
    joint = JointNoise(Geometric(0.01), 1)
    released = several_tables._released(survey, "threshold", joint, None, np.random.default_rng(1))
    np.testing.assert_array_equal(released.codes, codes)
    assert released.weights.tolist() == [1, 1, 2]
