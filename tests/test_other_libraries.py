"""Numbers of other programs (tests/data/other_libraries.csv), compared with ggexp."""

from math import exp, log

import numpy as np
import pytest
from other_libraries import ERRORS, LARGER, SMALLER, WITHIN, ours, read
from scipy.integrate import quad

pytestmark = pytest.mark.slow

ROWS = read()
GROUPS = {
    key: [row for _, row in rows.iterrows()] for key, rows in ROWS.groupby(["program", "quantity"])
}


def test_every_row_is_compared():
    assert GROUPS.keys() == {*WITHIN, *ERRORS, *LARGER, *SMALLER}
    assert len(ROWS) > 250


@pytest.mark.parametrize("key", WITHIN, ids="-".join)
def test_numbers_agree(key):
    for row in GROUPS[key]:
        allowed = WITHIN[key] + (0 if np.isnan(row.error) else row.error / row.value)
        assert ours(row).gap(row.value) <= allowed, row.to_dict()


@pytest.mark.parametrize("key", ERRORS, ids="-".join)
def test_draws_agree(key):
    for row in GROUPS[key]:
        assert abs(ours(row).low - row.value) <= ERRORS[key] * row.error, row.to_dict()


def test_bounds_overlap_and_sufficient_values_are_larger():
    for row in GROUPS["dp-accounting", "epsilon"]:
        low, high = ours(row)
        assert row.value - row.error <= high
        assert low <= row.value + row.error
    for row in GROUPS["diffprivlib", "sd-sufficient"]:
        assert row.value >= ours(row).high * (1 - 1e-12)
    for row in GROUPS["opendp", "epsilon-by-zcdp"]:
        assert ours(row).low < row.value < ours(row).high


def integral(s, b, width):
    return quad(lambda x: exp(-abs(x - s) / b), 0, width, points=[s])[0]


def test_the_smallest_scale_of_truncated_laplace_releases():
    """Definition 5 gives a larger scale; at diffprivlib's scale, the largest loss is ε."""
    for row in GROUPS["diffprivlib", "scale-within-bounds"]:
        assert row.value < ours(row).low
        at_0, at_1 = (integral(s, row.value, row["count"]) for s in (0, 1))
        assert 1 / row.value + log(at_1 / at_0) == pytest.approx(row.epsilon, rel=1e-6)
