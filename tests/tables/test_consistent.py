"""Consistent tables: no count has a larger standard deviation than before, as a release states."""

from itertools import combinations

import numpy as np
import pytest

from ggexp.tables.survey import consistent

SIZES = {"a": 2, "b": 3, "c": 4}
WAYS = {
    "two-way": [*combinations(SIZES, 2)],
    "overlapping": [("a", "b"), ("b", "c"), ("b",)],
    "nested": [("a", "b", "c"), ("a",), ("c",)],
    "disjoint": [("a", "b"), ("c",)],
}


@pytest.mark.parametrize("weights", [[1, 1, 1], [1, 9, 25]])
@pytest.mark.parametrize("tables", WAYS.values(), ids=WAYS)
def test_no_standard_deviation_becomes_larger(tables, weights):
    """The tables are a linear function of the noise, whose matrix is found from unit vectors."""
    variances = dict(zip(tables, map(float, weights), strict=False))
    shapes = {columns: [SIZES[name] for name in columns] for columns in tables}
    sizes = [int(np.prod(shape)) for shape in shapes.values()]
    parts = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    rows = []
    for noise in zip(*parts, strict=True):
        noisy = {
            columns: part.reshape(shape)
            for (columns, shape), part in zip(shapes.items(), noise, strict=True)
        }
        rows.append(
            np.concatenate([table.ravel() for table in consistent(noisy, variances).values()])
        )
    before = np.repeat([*variances.values()], sizes)
    after = before @ np.square(rows)
    assert (after <= before * (1 + 1e-12)).all()
    assert after.min() < 0.99 * before.max()  # the total at least is better known
