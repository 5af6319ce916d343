"""How well a support vector machine trained on a release predicts the test records."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.sanitize import release
from ggexp.progress import reporter
from ggexp.svm.classifier import SharedKernelSVM, majority_accuracy
from ggexp.svm.coding import design_matrices


def build_classifier(
    cells: pd.DataFrame,
    test: pd.DataFrame,
    target: str,
    *,
    threads: int,
    shared: Mapping[str, NDArray[Any]] | None = None,
) -> SharedKernelSVM:
    """Return the paper's classifier of the target, to be trained on weights of these cells.

    cells: a row per cell of the histogram, its attributes and ``count``.
    test: a row per test record, its attributes.
    target: the attribute to predict from all others.
    shared: what another classifier of the same arguments has as `shared`; empty or None: made here.
    """
    counts = cells["count"].to_numpy()
    if shared:
        points, test_points = shared["points"], shared["test_points"]
    else:
        points, test_points = design_matrices(
            cells.drop(columns=[target, "count"]), counts, test.drop(columns=target)
        )
    labels, test_labels = cells[target], test[target]
    return SharedKernelSVM(
        points, labels, counts, test_points, test_labels, threads=threads, shared=shared or None
    )


def measure_accuracy(
    classifier: SharedKernelSVM,
    cells: pd.DataFrame,
    noisy: NoisyPoint,
    *,
    seed: int,
    repeats: range,
) -> dict[str, Any]:
    """Return the accuracy of consecutive repeats of a grid point, as columns.

    The columns are dataset, mechanism, epsilon, delta, repeat, accuracy (in [0, 1]). Each release
    is made again from its stream, so none is stored. The time that remains is logged.
    """
    counts = cells["count"].to_numpy()
    accuracy = classifier.accuracies(
        lambda repeat: release(counts, noisy, seed=seed, repeat=repeat),
        repeats,
        reporter(f"repeats of {noisy.point.path}"),
    )
    return {
        **noisy.point.columns(len(repeats)),
        "repeat": np.array(repeats),
        "accuracy": accuracy,
    }


def tabulate_baselines(
    classifier: SharedKernelSVM, cells: pd.DataFrame, test: pd.DataFrame, target: str
) -> pd.DataFrame:
    """Return model and accuracy: trained on the original counts, and the majority class alone."""
    counts = cells["count"].to_numpy()
    return pd.DataFrame(
        {
            "model": ["original", "majority"],
            "accuracy": [
                classifier.original_accuracy(),
                majority_accuracy(counts, cells[target], test[target]),
            ],
        }
    )
