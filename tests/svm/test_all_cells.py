"""The classifiers of the Adult experiment in full size, with all cells, against scikit-learn's.

This needs about 4 GB of memory, and half a minute.
"""

from pathlib import Path

import numpy as np
import pytest
from conftest import PAPER, layout_of
from numpy.typing import NDArray

from ggexp.datasets.records import read_histogram
from ggexp.experiment.accuracy import build_classifier
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.simulate import release
from ggexp.svm.duals import WeightedDuals
from ggexp.svm.kernel import exact_kernel
from ggexp.svm.two_classes import library_svm
from ggexp.svm.warm_start import WarmStart

pytestmark = pytest.mark.slow

SEED = 20260101
POINTS = [  # the smallest and the largest noise
    (GridPoint("adult", "laplace", 1, "pure", 2, None), 0),
    (GridPoint("adult", "ggm-3", 3, "pdp", 0.5, 0.01), 1),
]


def test_every_cell_and_test_record(adult_data: Path) -> None:
    layout = layout_of(PAPER["histograms"]["adult"]["records"], "adult")
    histogram = read_histogram(adult_data, layout, dataset="adult", seed=SEED)
    cells, test = histogram.table.cells, histogram.test.labels
    counts = cells["count"].to_numpy()
    assert (len(cells), len(test)) == (18_007, 10_005)
    classifier = build_classifier(cells, test, "income", threads=2)

    releases = {}
    for point, repeat in POINTS:
        mechanism = Mechanism(point.order, point.calibration)
        noisy = NoisyPoint(point, mechanism.noise(epsilon=point.epsilon, delta=point.delta))
        releases[repeat] = release(counts, noisy, seed=SEED, repeat=repeat)
    ours = classifier.accuracies(releases.__getitem__, range(len(releases)))

    signs = np.where(cells["income"] == ">50K", 1.0, -1.0)
    shared = {name: array for name, (array,) in classifier.shared.items()}
    first = WarmStart(*(shared[name] for name in WarmStart._fields))
    bounds = np.array([*releases.values()])
    points = shared["points"][first.order]

    def exact(a: NDArray, b: NDArray) -> NDArray:
        return exact_kernel(points[a], points[b], 1 / points.shape[1])

    solved = WeightedDuals(first, signs[first.order], 1e-3, exact).solve(bounds[:, first.order])
    assert solved[2].all()
    predictions = solved[0].astype(np.float32) @ first.test_kernel + solved[1][:, None] > 0
    is_positive = (test["income"] == ">50K").to_numpy()
    assert (predictions == is_positive).mean(axis=1) == pytest.approx(ours, abs=1.5 / len(test))

    expected = []
    for weights in releases.values():
        model = library_svm(shared["points"], signs, weights, 1e-3)
        expected.append(model.predict(shared["test_points"]) > 0)
    # both solutions are within the tolerance, so that some records near the boundary may differ
    differ = (predictions[:, None] != np.array(expected)).sum(axis=2)
    assert (differ.diagonal() <= 3).all()
    # the classifier of the wrong release would differ in many records
    assert (differ[~np.eye(len(releases), dtype=bool)] > 30).all()
