"""All releases of a data set: the same ones in groups of any size, none of them too large."""

import numpy as np
import pytest

from ggexp.experiment import releases
from ggexp.experiment.grid import GridPoint
from ggexp.experiment.sanitize import release

COUNTS = np.array([16, 0, 7, 3, 0])
SCALES = {
    GridPoint("mildew", "laplace", 1, "pure", 0.5, None): 1.7,
    GridPoint("mildew", "truncated", 1, "adp-truncated", 1, 0.05): 0.6,
}
BOUNDS = dict(zip(SCALES, (None, 2.0), strict=True))


@pytest.mark.parametrize(("values", "sizes"), [(2**22, [7, 7]), (19, [3, 3, 1] * 2), (4, [1] * 14)])
def test_groups_of_any_size_hold_the_same_releases(monkeypatch, values, sizes):
    monkeypatch.setattr(releases, "VALUES", values)
    groups = list(releases.list_releases(COUNTS, SCALES, seed=3, repeats=7, bounds=BOUNDS))
    assert [len(group["counts"]) for group in groups] == sizes
    columns = {name: [x for group in groups for x in group[name]] for name in groups[0]}
    assert columns["repeat"] == [*range(7)] * 2
    assert columns["mechanism"] == ["laplace"] * 7 + ["truncated"] * 7
    assert columns["delta"] == [None] * 7 + [0.05] * 7
    expected = [
        release(COUNTS, point, scale, seed=3, repeat=repeat, bound=BOUNDS[point])
        for point, scale in SCALES.items()
        for repeat in range(7)
    ]
    np.testing.assert_array_equal(columns["counts"], expected)
