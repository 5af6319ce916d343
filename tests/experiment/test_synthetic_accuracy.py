"""Classifiers on synthetic records, compared with scikit-learn's SVC on the same records."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.svm import SVC

from ggexp.experiment.accuracy import build_classifier, measure_accuracy
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.records import METHODS, list_records, record_counts

pytestmark = pytest.mark.usefixtures("compiled_solver")

NOISY = NoisyPoint(GridPoint("people", "laplace", 1, "pure", 1, None), GeneralizedGaussian(1, 6.0))
SEED, REPEATS = 4, 5


@cache
def data():
    """Cells of age and work with the target rich, and 300 test records."""
    rng = np.random.default_rng(9)
    age = rng.choice(np.arange(20.5, 80, 2), 1000)
    work = rng.choice(["office", "road"], 1000)
    rich = np.where(age + 15 * (work == "office") + rng.normal(0, 12, 1000) > 60, "yes", "no")
    people = pd.DataFrame({"age": age, "work": work, "rich": rich})
    test, training = people[:300].reset_index(drop=True), people[300:]
    return training.groupby([*people], sort=True).size().reset_index(name="count"), test


def coded(frame):
    cells, _ = data()
    ages = cells["age"].repeat(cells["count"])  # scaled like the original records
    columns = [(frame["age"] - ages.mean()) / ages.std(ddof=1)]
    columns += [frame["work"] == level for level in ("office", "road")]
    return np.column_stack(columns).astype(float)


def test_classifiers_on_records_agree_with_scikit_learn():
    cells, test = data()
    classifier = build_classifier(cells, test, "rich", threads=1)
    counts = cells["count"].to_numpy()
    expected, accuracies = [], []
    for method in METHODS:

        def made(repeat, method=method):
            return record_counts(counts, NOISY, method, seed=SEED, repeat=repeat)

        measured = measure_accuracy(classifier, made, NOISY.point, range(REPEATS))
        accuracies += list(measured["accuracy"])
        for repeat in range(REPEATS):
            records = list_records(cells, made(repeat))  # each record is a training point
            points = coded(records)
            model = SVC(C=1, gamma=1 / points.shape[1], tol=1e-3).fit(points, records["rich"])
            expected.append(model.score(coded(test), test["rich"]))
    np.testing.assert_allclose(accuracies, expected, atol=2.5 / 300)
    assert len(set(expected)) > 5


def test_training_without_records_is_refused():
    cells, test = data()
    classifier = build_classifier(cells, test, "rich", threads=1)
    with pytest.raises(ValueError, match=r"weights .* 0"):
        measure_accuracy(classifier, lambda _: np.zeros(len(cells), int), NOISY.point, range(1))
