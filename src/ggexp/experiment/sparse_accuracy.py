"""How well a machine predicts that is trained on the cells that a release has, and no others."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.domain import Domain
from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.sparse import Kind, Sparse, release_sparse
from ggexp.progress import log_remaining
from ggexp.svm.classifier import library_machine, majority_accuracy, predicts_positive
from ggexp.svm.coding import design_matrices

TOLERANCE = 1e-3  # that of the paper's machines


def measure_sparse_accuracy(
    cells: pd.DataFrame,
    test: pd.DataFrame,
    target: str,
    domain: Domain,
    kind: Kind,
    noisy: NoisyPoint,
    *,
    seed: int,
    repeats: range,
) -> dict[str, Any]:
    """Return the accuracy of consecutive repeats of a grid point, as columns.

    cells: a row per cell that is not empty, its attributes and ``count``. test: a row per test
        record. target: the attribute to predict. domain: of the histogram.
    The columns are dataset, mechanism, epsilon, delta, repeat, accuracy (in [0, 1]).
    """
    counts, held = cells["count"].to_numpy(), domain.numbers(cells)
    accuracy = []
    for repeat in log_remaining(repeats, "repeats"):
        released = release_sparse(counts, kind, noisy, seed=seed, repeat=repeat)
        survivors = released_cells(cells, held, domain, released)
        accuracy.append(accuracy_on(survivors, test, target))
    return {**noisy.point.columns(len(repeats)), "repeat": np.array(repeats), "accuracy": accuracy}


def tabulate_sparse_baselines(cells: pd.DataFrame, test: pd.DataFrame, target: str) -> pd.DataFrame:
    """Return model and accuracy: trained on the original counts, and the majority class alone."""
    counts = cells["count"].to_numpy()
    majority = majority_accuracy(counts, cells[target], test[target])
    models = {"original": accuracy_on(cells, test, target), "majority": majority}
    return pd.DataFrame(models.items(), columns=["model", "accuracy"])


def released_cells(
    cells: pd.DataFrame, held: NDArray[np.int64], domain: Domain, released: Sparse
) -> pd.DataFrame:
    """Return a row per cell that is released: its attributes and its released ``count``.

    held: the numbers of the cells in the domain. Where n is spread evenly no cell is told from
    another, and no row is left.
    """
    kept = (released.counts > 0) & (released.elsewhere == 0)
    true = cells[kept].assign(count=released.counts[kept])
    added = domain.cells(domain.empty(released.places, held)).assign(count=released.values)
    return pd.concat([part for part in (true, added) if len(part)] or [true], ignore_index=True)


def accuracy_on(cells: pd.DataFrame, test: pd.DataFrame, target: str) -> float:
    """Return the share of test records that a machine trained on these cells predicts rightly.

    cells: attributes and ``count``, the weight. The machine and the coding are the paper's (C-SVC,
    RBF kernel, gamma = 1 / columns), by scikit-learn: other cells are other points, so no kernel is
    shared. Cells of one class predict it everywhere, and none the class that is first in order.
    """
    classes = np.unique(test[target])
    labels = cells[target].to_numpy()
    found = np.unique(labels)
    if found.size < 2:
        return float(np.mean(test[target] == (found if found.size else classes)[0]))
    weights = cells["count"].to_numpy(np.float64)
    points, test_points = design_matrices(
        cells.drop(columns=[target, "count"]), weights, test.drop(columns=target)
    )
    signs = np.where(labels == classes[1], 1.0, -1.0)
    positive = predicts_positive(library_machine(points, signs, weights, TOLERANCE), test_points)
    return float(np.mean(positive == (test[target] == classes[1])))
