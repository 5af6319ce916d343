"""Accuracies of releases, compared with scikit-learn's SVC on an independent coding of cells."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from library_svm import accuracies

from ggexp.datasets.table import Table
from ggexp.experiment import accuracy as module
from ggexp.experiment.accuracy import LibrarySVM, build_classifier
from ggexp.experiment.baselines import tabulate_baselines
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import AS_PRINTED
from ggexp.releases.simulate import Listed, release

pytestmark = pytest.mark.usefixtures("compiled_solver")

NOISY = NoisyPoint(
    GridPoint("people", "gaussian-pdp", 2, "pdp", 1, 0.05), GeneralizedGaussian(2, 20.0)
)
SEED, REPEATS, RECORDS = 3, 7, 300


@cache
def data():
    """60 cells of the attributes age, work and sex, and the test records."""
    rng = np.random.default_rng(8)
    size = 1000
    # most records are in few cells, so that scaling ages over cells or over records differs
    age = rng.choice([2.5, 47.5, 52.5, 57.5, 97.5], size, p=[0.02, 0.32, 0.32, 0.32, 0.02])
    work = rng.choice(["office", "road", "school"], size, p=[0.5, 0.3, 0.2])
    sex = rng.choice(["f", "m"], size)
    is_rich = (age + 20 * (work == "office") - 5 * (sex == "m") + rng.normal(0, 6, size)) > 58
    people = pd.DataFrame({"age": age, "work": work, "rich": np.where(is_rich, "yes", "no")})
    people.insert(2, "sex", sex)
    test, training = people[:RECORDS].reset_index(drop=True), people[RECORDS:]
    return training.groupby([*people], sort=True).size().reset_index(name="count"), test


@cache
def classifier():
    return build_classifier(*data(), "rich", threads=2)


def measure(first=0, end=REPEATS, seed=SEED):
    table = Table({}, [], data()[0]["count"].to_numpy())
    kinds = [Listed(table.counts.size, total=AS_PRINTED)]
    options = {"seed": seed, "repeats": range(first, end)}
    return module.measure_accuracies(classifier(), table, [NOISY], kinds, **options)


def reference(weights, target="rich"):
    """Return the accuracy of scikit-learn's SVM, trained without cells of weight 0."""
    cells, test = data()
    training, kept = cells.drop(columns="count"), weights > 0
    sizes = weights[kept], cells["count"]
    (accuracy,) = accuracies(training[kept], [test], target, training, *sizes)
    return accuracy


def test_columns_and_keys():
    table = measure(2, 5)
    assert list(table) == ["dataset", "mechanism", "epsilon", "delta", "repeat", "accuracy"]
    assert list(table["repeat"]) == [2, 3, 4]
    keys = [list(table[name]) for name in ("dataset", "mechanism", "epsilon", "delta")]
    assert keys == [["people"] * 3, ["gaussian-pdp"] * 3, [1] * 3, [0.05] * 3]
    expected = measure()["accuracy"]
    np.testing.assert_array_equal(table["accuracy"], expected[2:5])
    assert (measure(seed=SEED + 1)["accuracy"] != expected).any()


def test_accuracies_are_scikit_learns_on_the_same_releases():
    counts = data()[0]["count"].to_numpy()
    expected = [
        reference(release(counts, NOISY, seed=SEED, repeat=repeat)) for repeat in range(REPEATS)
    ]
    assert len(set(expected)) > 3  # so that exchanged repeats are noticed
    np.testing.assert_allclose(measure()["accuracy"], expected, atol=1.5 / RECORDS)


def test_baselines():
    cells, test = data()
    table = tabulate_baselines(classifier(), cells, test, "rich")
    assert table.to_dict("list").keys() == {"model", "accuracy"}
    assert list(table["model"]) == ["original", "majority", "equal"]
    original, majority, _ = table["accuracy"]
    assert original == pytest.approx(reference(cells["count"].to_numpy()), abs=1.5 / RECORDS)
    assert original > majority + 0.1
    # the list of cells, which such releases hide, is information
    of_unlisted = tabulate_baselines(LibrarySVM(cells, test, "rich"), cells, test, "rich")
    assert list(of_unlisted["model"]) == ["original", "majority"]
    # the majority of the training records, not of the cells
    has_more_cells = cells["rich"] == cells["rich"].mode()[0]
    for weights, is_more in (((50, 1), True), ((1, 50), False)):
        changed = cells.assign(count=np.where(has_more_cells, *weights))
        majority = tabulate_baselines(classifier(), changed, test, "rich")["accuracy"][1]
        assert majority == (test["rich"] == cells["rich"][has_more_cells == is_more].iloc[0]).mean()


def test_training_on_equal_counts():
    cells, test = data()
    scaled_over = cells["count"].to_numpy(float)
    cells = cells.assign(count=np.where(cells["rich"] == "no", 50, 1))  # hardly any are rich
    skewed = build_classifier(cells, test, "rich", scaled_over=scaled_over)
    accuracy = tabulate_baselines(skewed, cells, test, "rich").set_index("model")["accuracy"]
    flat = np.full(len(cells), cells["count"].mean())
    assert accuracy["equal"] == pytest.approx(reference(flat), abs=1.5 / RECORDS)
    assert accuracy["equal"] > accuracy["original"] + 0.05


def test_a_release_without_a_shared_kernel_may_have_several_classes_or_one():
    cells, test = data()
    expected = reference(cells["count"].to_numpy(), "work")
    accuracy = LibrarySVM(cells, test, "work").accuracy(cells)
    assert accuracy == pytest.approx(expected, abs=1.5 / RECORDS)
    schools = cells[cells["work"] == "school"]
    accuracy = LibrarySVM(schools, test, "work").accuracy(schools)
    assert accuracy == np.mean(test["work"] == "school")
