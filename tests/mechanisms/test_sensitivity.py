"""Sensitivity of a histogram, against all neighbours of a small histogram."""

import numpy as np
import pytest

from ggexp import sensitivity


def neighbours_of(counts, relation):
    cells = np.eye(len(counts))
    if relation == "add-remove":
        return [counts + sign * cell for cell in cells for sign in (1, -1)]
    return [counts - a + b for a in cells for b in cells]


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize("order", [1, 1.5, 10])
def test_histogram_is_the_largest_distance_to_a_neighbour(order, relation):
    counts = np.array([4.0, 1.0, 7.0])
    distances = [np.linalg.norm(counts - n, order) for n in neighbours_of(counts, relation)]
    assert sensitivity.histogram(order, relation) == pytest.approx(max(distances))


def test_lemma_2_is_the_norm_of_the_coordinates():
    assert sensitivity.of_coordinates(2, [1, 0.1, 0.05]) == pytest.approx(np.sqrt(1.0125))
    assert sensitivity.of_coordinates(1, [1, 2]) == 3
    assert sensitivity.of_coordinates(100, [1e10, 1]) == pytest.approx(1e10)
    assert sensitivity.of_coordinates(3, (step for step in [2.0])) == 2


def test_claim_3_uses_the_ranges():
    assert sensitivity.of_bounds(2, [(-1, 2), (0, 4)]) == pytest.approx(5)


def test_bad_coordinates_and_bounds():
    with pytest.raises(ValueError, match=r"neighbours .*'add-remove'.*'replace-one', got 'swap'"):
        sensitivity.histogram(1, "swap")
    with pytest.raises(ValueError, match=r"sensitivities .*at least one.* none"):
        sensitivity.of_coordinates(2, [])
    with pytest.raises(ValueError, match=r"sensitivities.* > 0, got -1"):
        sensitivity.of_coordinates(2, [1, -1])
    with pytest.raises(ValueError, match=r"bounds .*low < high, got 3 and 3"):
        sensitivity.of_bounds(2, [(3, 3)])
