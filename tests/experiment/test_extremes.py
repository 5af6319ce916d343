"""Releases and errors are finite for the smallest and largest scales, orders and counts."""

from itertools import product

import numpy as np
import pytest

from ggexp.experiment.metrics import measure_releases
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import Listed

ORDERS = [1.0, 1.5, 3.0, 100.0]
SCALES = [1e-300, 1.0, 1e12, 1e300]
COUNTS = [[0], [1], [10**12], [0, 0, 0], [10**12, 0, 1], [2**53 - 1, 1]]


def noisy(point, scale):
    return NoisyPoint(point, GeneralizedGaussian(point.order, scale))


def errors_of(counts, noisy, *, repeats=3, pseudo_count=0.5, total="private"):
    return measure_releases(
        np.array(counts, dtype=np.int64),
        Listed(len(counts), total=total),
        [noisy],
        seed=1,
        repeats=range(repeats),
        pseudo_count=pseudo_count,
    )


@pytest.mark.filterwarnings("error")
def test_errors_are_finite():
    for order, scale, counts, total in product(ORDERS, SCALES, COUNTS, ["private", "public"]):
        point = GridPoint("table", "ggm", order, "pdp", 1.0, 0.05)
        columns = errors_of(counts, noisy(point, scale), total=total)
        for metric in ("l1", "kl", "kl_reverse"):
            case = (order, scale, counts, metric, columns[metric])
            assert np.isfinite(columns[metric]).all(), case
            assert (columns[metric] >= 0).all(), case
        if len(counts) == 1 and total == "public":  # a single cell is released as n
            assert columns["l1"] == pytest.approx([0, 0, 0], abs=1e-3), (order, scale, counts)
