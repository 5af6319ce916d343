"""The domain of a histogram: every cell has a number, also each empty cell."""

import numpy as np
import pandas as pd
import pytest

from ggexp.datasets.layout import Domain, Layout

RECORDS = {
    "file": "x.csv",
    "columns": {
        "age": {"from": 0, "to": 30, "bins": 3},
        "name": "unused",
        "sex": {"levels": ["m", "f"]},
        "work": "categorical",
    },
}
CELLS = pd.DataFrame({"age": [5.0, 25.0], "sex": ["m", "f"], "work": ["b", "d"], "count": [1, 2]})
TEST = pd.DataFrame({"age": [15.0], "sex": ["f"], "work": ["a"]})


@pytest.fixture
def domain():
    return Domain.of(Layout.from_config(RECORDS, "records"), CELLS, TEST)


def test_the_domain_has_all_combinations_of_bins_and_levels(domain):
    assert domain.size == 3 * 2 * 3
    assert {name: list(values) for name, values in domain.values.items()} == {
        "age": [5, 15, 25],
        "sex": ["f", "m"],
        "work": ["a", "b", "d"],
    }


def test_numbers_and_cells_are_inverse(domain):
    numbers = np.arange(domain.size)
    cells = domain.cells(numbers)
    assert len(cells.drop_duplicates()) == domain.size
    np.testing.assert_array_equal(domain.numbers(cells), numbers)
    assert list(domain.numbers(CELLS)) == [4, 14]
    assert cells.iloc[14].to_dict() == {"age": 25, "sex": "f", "work": "d"}


def test_empty_cells_are_all_cells_except_the_held_ones(domain):
    for held in ([4, 14], [0, 1, 2], [17], [0, 17, 3], []):
        empty = sorted({*range(domain.size)} - {*held})
        found = domain.empty(np.arange(len(empty)), np.array(held, np.int64))
        np.testing.assert_array_equal(found, empty)


def test_numbers_are_exact_in_the_largest_domains():
    values = {str(i): np.arange(2.0**13) for i in range(4)}
    domain = Domain({**values, "last": np.arange(2.0)})
    assert domain.size == 2**53
    last = np.array([2**53 - 1, 2**53 - 2])
    np.testing.assert_array_equal(domain.numbers(domain.cells(last)), last)
    np.testing.assert_array_equal(domain.empty(np.array([2**53 - 2]), np.array([5])), [2**53 - 1])
    with pytest.raises(ValueError, match=r"2\^53 .*got 27,021,597,764,222,976"):
        Domain({**values, "last": np.arange(6.0)})
