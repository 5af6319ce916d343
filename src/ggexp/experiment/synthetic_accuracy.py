"""How well a support vector machine trained on synthetic records predicts the test records."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ggexp.experiment.grid import NoisyPoint
from ggexp.experiment.synthetic import record_counts
from ggexp.svm.classifier import SharedKernelSVM


def measure_synthetic_accuracy(
    classifier: SharedKernelSVM,
    cells: pd.DataFrame,
    noisy: NoisyPoint,
    methods: Sequence[str],
    *,
    seed: int,
    repeats: int,
) -> pd.DataFrame:
    """Return dataset, mechanism, epsilon, delta, method, repeat and accuracy, in [0, 1].

    classifier: of these cells (`ggexp.experiment.accuracy.build_classifier`). A cell's records are
    equal, and so a machine trained on the records is one trained on their cells, with the number of
    records as weights. methods: of `record_counts`.
    Raises ValueError for a repeat without records, on which nothing can be trained.
    """
    counts = cells["count"].to_numpy()
    tables = []
    for method in methods:
        accuracy = classifier.accuracies(
            lambda repeat, method=method: record_counts(  # type: ignore[misc]
                counts, noisy, method, seed=seed, repeat=repeat
            ).astype(np.float64),
            range(repeats),
        )
        columns = {"method": [method] * repeats, "repeat": np.arange(repeats), "accuracy": accuracy}
        tables.append(pd.DataFrame({**noisy.point.columns(repeats), **columns}))
    return pd.concat(tables, ignore_index=True)
