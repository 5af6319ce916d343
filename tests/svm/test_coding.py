"""R's coding of cells: dummies, scaling, and the attributes' order."""

import numpy as np
import pandas as pd
import pytest

from ggexp.svm.coding import design_matrices


def cells() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [17.5, 22.5, 27.5, 22.5],
            "work": ["private", "gov", "private", "self"],
            "hours": [5.0, 45.0, 45.0, 5.0],
            "sex": ["M", "F", "F", "M"],
        }
    )


def records() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [22.5, 97.5],
            "work": ["gov", "none"],  # a level that no training cell has
            "hours": [45.0, 5.0],
            "sex": ["F", "M"],
        }
    )


COUNTS = np.array([3.0, 1.0, 2.0, 4.0])


def test_first_categorical_keeps_all_levels_and_later_ones_drop_one() -> None:
    train, test = design_matrices(cells(), COUNTS, records())
    # age | gov none private self | hours | M (F, alphabetically first, is dropped)
    assert train.shape == (4, 7)
    assert test.shape == (2, 7)
    np.testing.assert_array_equal(
        train[:, 1:5], [[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )
    np.testing.assert_array_equal(train[:, 6], [1, 0, 0, 1])
    np.testing.assert_array_equal(test[:, [1, 2, 3, 4, 6]], [[1, 0, 0, 0, 0], [0, 1, 0, 0, 1]])


def test_numeric_columns_are_scaled_by_the_training_records() -> None:
    train, test = design_matrices(cells(), COUNTS, records())
    ages = np.repeat(cells()["age"], COUNTS.astype(int))
    np.testing.assert_allclose(train[:, 0], (cells()["age"] - ages.mean()) / ages.std(ddof=1))
    np.testing.assert_allclose(test[:, 0], (records()["age"] - ages.mean()) / ages.std(ddof=1))
    assert COUNTS @ train[:, 5] == pytest.approx(0)
    assert COUNTS @ train[:, 5] ** 2 / (COUNTS.sum() - 1) == pytest.approx(1)


@pytest.mark.parametrize("dtype", [object, "str", "category"])
def test_every_text_type_is_categorical(dtype: str) -> None:
    columns = {"work": dtype, "sex": dtype}
    expected = design_matrices(cells(), COUNTS, records())
    actual = design_matrices(cells().astype(columns), COUNTS, records().astype(columns))
    for left, right in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(left, right)


def test_logical_attribute_is_categorical() -> None:
    train, _ = design_matrices(
        pd.DataFrame({"x": [True, False]}), np.ones(2), pd.DataFrame({"x": [True]})
    )
    np.testing.assert_array_equal(train, [[0, 1], [1, 0]])


def test_constant_numeric_attribute_is_centred_only() -> None:
    train, test = design_matrices(
        pd.DataFrame({"x": [0.1, 0.1]}), np.array([1.0, 6.0]), pd.DataFrame({"x": [1.1]})
    )
    np.testing.assert_allclose(train, 0, atol=1e-12)
    np.testing.assert_allclose(test, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": records().drop(columns="sex")}, "same attributes"),
        ({"test": records().assign(age=[np.nan, 1.0])}, r"test records have missing .*'age'"),
        ({"train": cells().assign(sex=["M", None, "F", "M"])}, r"training cells .*'sex'"),
        ({"test": records().assign(age=["a", "b"])}, "'age' must be numeric or categorical"),
        ({"counts": np.ones(3)}, r"counts must have shape \(4,\), got \(3,\)"),
        ({"counts": np.array([1, 1, 1, np.nan])}, "counts must be finite"),
        ({"counts": np.array([1, 1, 1, -1])}, "min=-1"),
        ({"counts": np.zeros(4)}, "sum=0"),
    ],
)
def test_bad_input_is_named(change: dict, message: str) -> None:
    arguments = {"train": cells(), "counts": COUNTS, "test": records(), **change}
    with pytest.raises(ValueError, match=message):
        design_matrices(**arguments)
