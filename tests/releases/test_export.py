"""The releases of a data set do not depend on the size of their groups, which is limited."""

import numpy as np
import pytest

from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.releases import export as releases
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import Listed, release

COUNTS = np.array([16, 0, 7, 3, 0])
POINTS = [
    NoisyPoint(GridPoint("mildew", "laplace", 1, "pure", 0.5, None), GeneralizedGaussian(1, 1.7)),
    NoisyPoint(
        GridPoint("mildew", "truncated", 1, "adp-truncated", 1, 0.05), TruncatedLaplace(0.6, 2.0)
    ),
]


@pytest.mark.parametrize(("values", "sizes"), [(2**22, [7, 7]), (19, [3, 3, 1] * 2), (4, [1] * 14)])
def test_groups_of_any_size_hold_the_same_releases(monkeypatch, values, sizes):
    monkeypatch.setattr(releases, "MAX_COUNTS", values)
    kind = Listed(COUNTS.size, total="public")
    groups = list(releases.list_releases(COUNTS, kind, POINTS, seed=3, repeats=7))
    assert [len(group["counts"]) for group in groups] == sizes
    columns = {name: [x for group in groups for x in group[name]] for name in groups[0]}
    assert columns["repeat"] == [*range(7)] * 2
    assert columns["mechanism"] == ["laplace"] * 7 + ["truncated"] * 7
    assert columns["delta"] == [None] * 7 + [0.05] * 7
    expected = [
        release(COUNTS, noisy, seed=3, repeat=repeat) for noisy in POINTS for repeat in range(7)
    ]
    np.testing.assert_array_equal(columns["counts"], expected)
