"""R's coding of histogram cells as points, as in `e1071::svm(target ~ ., data)`.

The coding determines the distances between cells and, through the number of columns, the kernel's
gamma.
"""

import numpy as np
import pandas as pd

from ggexp.svm.smo import Doubles


def design_matrices(
    train: pd.DataFrame, counts: Doubles, test: pd.DataFrame
) -> tuple[Doubles, Doubles]:
    """Return the training points (cells x columns) and the test points (records x columns).

    `train` has a row for each histogram cell, and `counts` contains the number of records in each;
    `test` has a row for each test record. Both frames have the same attributes, without the target:

    - a numeric attribute (bin midpoints) becomes one column, scaled to mean 0 and variance 1 over
      the training records: cells are weighted by their counts, and the divisor of the variance is
      n - 1. A constant attribute is only centred;
    - any other attribute is categorical: each of its levels in either frame becomes an unscaled
      dummy column. The first categorical attribute keeps all of its levels, and each later one
      drops its first level in sorted order, as in R's formulas without an intercept.

    Source: R's `model.matrix` and `e1071::svm` with `scale = TRUE`.
    """
    if train.columns.empty:
        raise ValueError("classifiers need at least one attribute besides the target")
    if not counts.sum() > 1:
        raise ValueError(f"the training counts must sum to more than 1, got {counts.sum()}")
    train_blocks: list[Doubles] = []
    test_blocks: list[Doubles] = []
    first_categorical = True
    for name in train.columns:
        if _is_numeric(train[name]):
            centre, spread = _weighted_moments(train[name].to_numpy(np.float64), counts)
            for frame, blocks in ((train, train_blocks), (test, test_blocks)):
                blocks.append((frame[[name]].to_numpy(np.float64) - centre) / spread)
        else:
            levels = sorted({*train[name].unique(), *test[name].unique()})
            kept = levels if first_categorical else levels[1:]
            first_categorical = False
            for frame, blocks in ((train, train_blocks), (test, test_blocks)):
                values = frame[name].to_numpy(object)[:, None]
                blocks.append((values == np.array(kept, dtype=object)).astype(np.float64))
    return np.hstack(train_blocks), np.hstack(test_blocks)


def _is_numeric(values: pd.Series) -> bool:
    """Return whether the attribute is numeric; as in R, logical values are categorical."""
    dtype = values.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def _weighted_moments(values: Doubles, counts: Doubles) -> tuple[float, float]:
    """Return the mean over the records, and the standard deviation, 1 if it is 0."""
    n = counts.sum()
    mean = float(counts @ values / n)
    variance = float(counts @ (values - mean) ** 2 / (n - 1))
    constant = np.ptp(values[counts > 0]) == 0  # rounding would leave a variance just above 0
    return mean, 1.0 if constant else variance**0.5
