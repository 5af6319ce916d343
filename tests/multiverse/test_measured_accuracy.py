"""Accuracies in all readings of the training, by scikit-learn on an independent coding."""

from typing import Any

import numpy as np
import pytest
from conftest import PAPER, layout_of, save
from library_svm import accuracies as library_accuracies
from test_measured_tables import CHOICES

from ggexp.datasets.records import read_histogram
from ggexp.datasets.table import Table
from ggexp.experiment.accuracy import build_classifier, measure_accuracies
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.multiverse.accuracy import Series, _on_one_kernel, measure_readings, weights
from ggexp.multiverse.choices import Factorial
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.records import MULTINOMIAL, Records
from ggexp.releases.release import AS_PRINTED
from ggexp.releases.simulate import Listed, release
from ggexp.svm.memory import BLOCK

pytestmark = pytest.mark.usefixtures("compiled_solver")

SEED, REPEATS, RECORDS, TARGET = 5, 2, 1000, "income"
ROUNDINGS, TRAININGS = ("none", "nearest"), ("weighted", "one-row", "drawn")
TESTS = ("binned", "unbinned")
POINTS = [
    NoisyPoint(GridPoint("adult", "laplace", 1, "pure", 0.5, None), GeneralizedGaussian(1, 2.0)),
    NoisyPoint(GridPoint("adult", "ggm-3", 3, "pdp", 2, 0.05), GeneralizedGaussian(3, 0.9)),
]
OURS = {name: choice.ours for name, choice in CHOICES.items()}
NUMERIC = ["age", "fnlwgt", "capital-gain", "capital-loss", "hours-per-week"]


@pytest.fixture(scope="session")
def frames(adult_data, tmp_path_factory):
    """900 Adult records for training, with and without bins, and 1000 for tests."""
    lines = adult_data.read_text("utf-8").splitlines(keepends=True)
    file = save(tmp_path_factory.mktemp("few") / "adult.data", "".join(lines[:3200]))
    records: dict[str, Any] = PAPER["histograms"]["adult"]["records"] | {"training": 0.3}
    del records["expected"]
    columns = {
        name: {"from": column["from"] - 0.5, "to": column["to"] + 0.5, "bins": size}
        if isinstance(column, dict) and (size := column["to"] - column["from"] + 1)
        else column
        for name, column in records["columns"].items()
    }
    binned, unbinned = (
        read_histogram(file, layout_of(layout, "adult"), dataset="adult", seed=1)
        for layout in (records, records | {"columns": columns})
    )
    return {
        "cells": binned.table.cells,
        "test": binned.test.labels[:RECORDS],
        "unbinned": unbinned.table.cells,
        "unbinned_test": unbinned.test.labels[:RECORDS],
    }


def table(frames, outer, **varies):
    names = {name.replace("_", "-"): alternatives for name, alternatives in varies.items()}
    factorial = Factorial("trial", ["adult"], "accuracy", REPEATS, names, OURS)
    return measure_readings(
        factorial, "adult", outer, **frames, target=TARGET, points=POINTS, seed=SEED, threads=2
    )


@pytest.fixture(scope="session")
def combined(frames):
    """The table of all combinations of rounding, training, baseline and test records."""
    return table(
        frames,
        {"bins": "adult", "seed": "1"},
        rounding=ROUNDINGS,
        training=TRAININGS,
        baseline=("same", "weighted", "records"),
        test_records=TESTS,
        bins=("adult", "others"),
        seed=("1", "2"),
    )


def mean(rows, **reading):
    for name, alternative in reading.items():
        rows = rows[rows[name.replace("_", "-")] == alternative]
    (value,) = rows["mean"]
    return float(value)


def expanded(cells, counts):
    return cells.drop(columns="count").loc[cells.index.repeat(counts.astype(int))]


def training_of(cells, noisy, rounding, training, repeat):
    """Return the training records of a release and their weights, as the choices describe them."""
    counts = cells["count"].to_numpy()
    released = release(counts, noisy, seed=SEED, repeat=repeat)
    if rounding == "nearest":
        released = np.round(released)
    if training == "drawn":
        drawn = weights(counts, noisy, rounding, training, seed=SEED, repeat=repeat)
        assert drawn.sum() == counts.sum()
        assert not drawn[released == 0].any()
        if rounding == "none":
            kind = Records(counts.size, MULTINOMIAL)
            known = kind.release(counts, noisy, seed=SEED, repeat=repeat).counts
            np.testing.assert_array_equal(drawn, known)
        records = expanded(cells, drawn)
        return records, np.ones(len(records))
    positive = cells[released > 0].drop(columns="count")
    weighted = training == "weighted"
    return positive, released[released > 0] if weighted else np.ones(len(positive))


@pytest.mark.parametrize("training", TRAININGS)
@pytest.mark.parametrize(
    "noisy",
    [POINTS[0], pytest.param(POINTS[1], marks=pytest.mark.slow)],
    ids=lambda noisy: noisy.point.mechanism,
)
def test_treatments_of_the_counts_are_trained_as_by_scikit_learn(frames, combined, noisy, training):
    cells, rounding = frames["cells"], ROUNDINGS[TRAININGS.index(training) % 2]
    if noisy is POINTS[1]:
        rounding = ROUNDINGS[rounding == "none"]
    over = expanded(cells, cells["count"].to_numpy())
    tests = [frames["test"], frames["unbinned_test"]]
    expected = np.mean(
        [
            library_accuracies(own, tests, TARGET, over, sizes)
            for own, sizes in (
                training_of(cells, noisy, rounding, training, repeat) for repeat in range(REPEATS)
            )
        ],
        axis=0,
    )
    reading = {"mechanism": noisy.point.mechanism, "rounding": rounding, "training": training}
    measured = [mean(combined, **reading, test_records=name) for name in TESTS]
    np.testing.assert_allclose(measured, expected, atol=1.01 / RECORDS)


def test_baselines_are_trained_as_by_scikit_learn(frames, combined):
    cells, raw = frames["cells"], frames["unbinned"]
    tests = [frames["test"], frames["unbinned_test"]]
    over = expanded(cells, cells["count"].to_numpy())
    once = cells.drop(columns="count")
    expected = {
        "weighted": library_accuracies(over, tests, TARGET, over, np.ones(len(over))),
        "one-row": library_accuracies(once, tests, TARGET, over, np.ones(len(once))),
    }
    assert set(combined["seed"]) == {"1"}  # the reading of the job is in its rows
    assert set(combined.loc[combined["baseline"] != "records", "bins"]) == {"adult"}
    originals = combined[combined["mechanism"] == "original"]
    assert (originals["repeats"] == np.where(originals["training"] == "drawn", REPEATS, 1)).all()
    for position, name in enumerate(TESTS):
        for training, accuracies in expected.items():
            reading = {"baseline": "same", "training": training, "test_records": name}
            accuracy = accuracies[position]
            assert mean(originals, **reading) == pytest.approx(accuracy, abs=1.01 / RECORDS)
        weighted = mean(originals, baseline="same", training="weighted", test_records=name)
        assert mean(originals, baseline="weighted", training="", test_records=name) == weighted
    sizes = np.full(len(once), cells["count"].mean())
    equal = library_accuracies(once, tests, TARGET, over, sizes)
    for name, accuracy in zip(TESTS, equal, strict=True):
        of_equal = mean(combined, mechanism="equal", test_records=name)
        assert of_equal == pytest.approx(accuracy, abs=1.01 / RECORDS)
    records = expanded(raw, raw["count"].to_numpy())
    (accuracy,) = library_accuracies(records, tests[1:], TARGET, records, np.ones(len(records)))
    of_records = mean(originals, baseline="records", test_records="", training="", bins="")
    assert of_records == pytest.approx(accuracy, abs=1.01 / RECORDS)


def test_our_reading_has_the_bits_of_the_papers_design(frames, combined):
    classifier = build_classifier(frames["cells"], frames["test"], TARGET)
    table = Table({}, [], frames["cells"]["count"].to_numpy())
    options = {"seed": SEED, "repeats": range(REPEATS)}
    ours = {"rounding": "none", "training": "weighted", "test_records": "binned"}
    kinds = [Listed(table.counts.size, total=AS_PRINTED)]
    known = measure_accuracies(classifier, table, POINTS, kinds, **options)
    for mechanism, rows in known.groupby("mechanism"):
        assert mean(combined, **ours, mechanism=mechanism) == rows["accuracy"].mean()
    original = mean(combined, mechanism="original", baseline="weighted", test_records="binned")
    assert original == classifier.original_accuracy()


def test_the_first_reading_has_the_places_of_the_papers_design_in_its_blocks():
    """The rounding of a matrix product may depend on a repeat's place (`memory.BLOCK`)."""
    places: list[int] = []

    class Watched:
        def accuracies(self, weights_of, repeats, _):
            places.extend(number for number in repeats if weights_of(number)[0].choices == {})
            return repeats

    jobs = [
        (Series(noisy, choices, 90), repeat)
        for noisy in (None, *POINTS)
        for choices in ({}, {"training": "drawn"})
        for repeat in range(90)
    ]
    numbers = _on_one_kernel(Watched(), jobs, lambda job: job)  # type: ignore[arg-type]
    assert len(numbers) == len(jobs)
    assert [number % BLOCK for number in places] == 3 * [*range(90)]


@pytest.mark.slow
@pytest.mark.parametrize("scaling", ["records", "cells", "release", "factors"])
def test_scalings_are_those_of_scikit_learn(frames, scaling):
    """The young have larger counts, so that scaling over cells or over records differs."""
    cells, noisy = frames["cells"], POINTS[0]
    cells = cells.assign(count=np.where(cells["age"] < 30, 6 * cells["count"], cells["count"]))
    scalings = ("records", "cells", "release", "factors")
    changed = frames | {"cells": cells}
    rows = table(changed, {"scaling": scaling}, scaling=scalings, training=("weighted", "one-row"))
    differ = False
    for training in ("weighted", "one-row"):
        accuracies, others = [], []
        for repeat in range(REPEATS):
            own, sizes = training_of(cells, noisy, "none", training, repeat)
            over = cells.drop(columns="count"), {"records": cells["count"]}.get(scaling, 1.0)
            if scaling == "release":
                over = own, sizes
            data = own, frames["test"], over[0]
            if scaling == "factors":
                data = tuple(
                    frame.assign(**frame[NUMERIC].map("{:020.4f}".format)) for frame in data
                )
            accuracies += library_accuracies(data[0], [data[1]], TARGET, data[2], sizes, over[1])
            other = 1.0 if scaling == "records" else cells["count"]
            reference = own, [frames["test"]], TARGET, cells.drop(columns="count"), sizes, other
            others += library_accuracies(*reference)
        measured = mean(rows, mechanism="laplace", training=training)
        assert measured == pytest.approx(np.mean(accuracies), abs=1.01 / RECORDS)
        differ |= abs(np.mean(accuracies) - np.mean(others)) > 2.1 / RECORDS
    assert differ
