"""R's coding of cells: dummies, scaling, and the attributes' order."""

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from ggexp.svm.classifier import design_matrices

CELLS = pd.DataFrame(
    {
        "age": [17.5, 22.5, 27.5, 22.5],
        "work": ["private", "gov", "private", "self"],
        "hours": [5.0, 45.0, 45.0, 5.0],
        "sex": ["M", "F", "F", "M"],
    }
)
RECORDS = pd.DataFrame(
    {
        "age": [22.5, 97.5],
        "work": ["gov", "none"],  # a level that no training cell has
        "hours": [45.0, 5.0],
        "sex": ["F", "M"],
    }
)
COUNTS = np.array([3.0, 1.0, 2.0, 4.0])


def test_columns_are_those_of_r() -> None:
    train, test = design_matrices(CELLS, COUNTS, RECORDS)
    # age | gov none private self | hours | M (F, alphabetically first, is dropped)
    np.testing.assert_array_equal(
        train[:, [1, 2, 3, 4, 6]],
        [[0, 0, 1, 0, 1], [1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 1]],
    )
    np.testing.assert_array_equal(test[:, [1, 2, 3, 4, 6]], [[1, 0, 0, 0, 0], [0, 1, 0, 0, 1]])
    for name, column in {"age": 0, "hours": 5}.items():
        values = np.repeat(CELLS[name], COUNTS.astype(int))
        for frame, points in ((CELLS, train), (RECORDS, test)):
            scaled = (frame[name] - values.mean()) / values.std(ddof=1)
            np.testing.assert_allclose(points[:, column], scaled)
    logical = pd.DataFrame({"x": [True, False]})
    train, _ = design_matrices(logical, np.ones(2), logical[:1])
    np.testing.assert_array_equal(train, [[0, 1], [1, 0]])
    constant, others = pd.DataFrame({"x": [0.1, 0.1]}), pd.DataFrame({"x": [1.1]})
    train, test = design_matrices(constant, np.array([1.0, 6.0]), others)
    np.testing.assert_allclose(train, 0, atol=1e-12)
    np.testing.assert_allclose(test, 1)


def test_the_points_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(1)
    values, counts = rng.integers(17, 90, 20_000) + 0.5, rng.integers(1, 4, 20_000) + 0.0
    found = {}
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            points = design_matrices(pd.DataFrame({"age": values}), counts, RECORDS[["age"]])
            found[threads] = counts @ (values - 40.1) ** 2, np.concatenate(points)
    np.testing.assert_array_equal(found[1][1], found[2][1])
    if found[1][0] == found[2][0]:
        pytest.skip("on this computer, BLAS has one thread")


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="sum to more than 1, got 0"):
        design_matrices(CELLS, np.zeros(4), RECORDS)
    with pytest.raises(ValueError, match="at least one attribute"):
        design_matrices(CELLS[[]], COUNTS, RECORDS[[]])
