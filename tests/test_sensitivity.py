"""Sensitivity of a histogram, against every pair of neighbours of a small one."""

import numpy as np
import pytest

from ggexp import sensitivity


def neighbours_of(counts, relation):
    cells = np.eye(len(counts))
    if relation == "add-remove":
        return [counts + sign * cell for cell in cells for sign in (1, -1)]
    return [counts - a + b for a in cells for b in cells]


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("order", [1, 1.5, 2, 3, 10])
def test_histogram_is_the_largest_distance_to_a_neighbour(order, relation):
    counts = np.array([4.0, 1.0, 7.0])
    distances = [np.linalg.norm(counts - other, order) for other in neighbours_of(counts, relation)]
    assert sensitivity.histogram(order, relation) == pytest.approx(max(distances))


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"order must be a finite number >= 1, got 0\.5"):
        sensitivity.histogram(0.5)
    with pytest.raises(ValueError, match="'add-remove' or 'replace-one', got 'swap'"):
        sensitivity.histogram(1, "swap")
