"""The solver on an eighth of the Adult cells against scikit-learn."""

from pathlib import Path

import numpy as np
import pytest
from conftest import PAPER

from ggexp.datasets.layout import Layout
from ggexp.datasets.records import read_histogram
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.sanitize import sanitize
from ggexp.svm.coding import design_matrices
from ggexp.svm.duals import WeightedDuals
from ggexp.svm.kernel import rbf_kernel
from ggexp.svm.two_classes import library_svm
from ggexp.svm.warm_start import solve_warm_start

pytestmark = pytest.mark.slow


def test_objectives_and_predictions_on_adult_are_scikit_learns(adult_data: Path) -> None:
    layout = Layout.from_config(PAPER["histograms"]["adult"]["records"], "adult")
    histogram = read_histogram(adult_data, layout, dataset="adult", seed=1)
    cells, test = histogram.cells[::8], histogram.test[::8]
    counts = cells["count"].to_numpy()
    attributes = cells.drop(columns=["income", "count"])
    points, test_points = design_matrices(attributes, counts, test.drop(columns="income"))
    signs = np.where(cells["income"] == ">50K", 1.0, -1.0)
    gamma = 1 / points.shape[1]
    kernel = rbf_kernel(points, points, gamma, threads=1)
    test_kernel = rbf_kernel(test_points, points, gamma, threads=1)

    rng = np.random.default_rng(8)
    noises = [GeneralizedGaussian(1, 2.0), GeneralizedGaussian(2, 1.0)]
    releases = np.array([counts, *(sanitize(counts, noise, rng) for noise in noises)])
    first = solve_warm_start(kernel.copy(), signs, counts.astype(float), 1e-3)
    solutions = WeightedDuals(first, signs[first.order], 1e-3).solve(releases[:, first.order])
    assert solutions[2].all()
    for ordered, intercept, bounds in zip(*solutions[:2], releases, strict=True):
        beta = ordered[np.argsort(first.order)]
        model, expected = library_svm(points, signs, bounds, 1e-3), np.zeros(len(signs))
        expected[np.flatnonzero(bounds)[model.support_]] = model.dual_coef_[0]
        objective, expected_objective = (
            signs @ b - b @ (kernel @ b.astype(np.float32)) / 2 for b in (beta, expected)
        )
        assert objective == pytest.approx(expected_objective, rel=1e-5)
        gradient = signs - kernel.astype(np.float64) @ beta
        violation = gradient[beta < np.maximum(signs, 0) * bounds].max()
        violation -= gradient[beta > np.minimum(signs, 0) * bounds].min()
        assert violation <= 1.1e-3
        positive = test_kernel @ beta + intercept > 0
        assert np.sum(positive != (test_kernel @ expected + model.intercept_[0] > 0)) <= 1
