"""The predicted memory and time of a classification."""

import numpy as np
import pytest

from ggexp.experiment import workload
from ggexp.experiment.workload import TrainingSize
from ggexp.svm import memory


def test_kernel_matrices_are_included_if_they_are_kept_in_memory():
    assert 2_600 < TrainingSize([9_000, 9_007], 10_005, 20_108).megabytes() < 3_300
    assert 7_000 < TrainingSize([19_000, 19_000], 4_000, 30_000).megabytes() < 8_000
    assert TrainingSize([50_000, 50_000], 20_000, 30_000).megabytes() < 4_000
    three = TrainingSize([6_000, 6_000, 6_000], 1000, 20_000).megabytes()
    two = TrainingSize([9_000, 9_000], 1000, 20_000).megabytes()
    assert three == pytest.approx(two + 504, abs=2)


def test_large_counts_need_double_precision_if_it_fits():
    def megabytes_and_seconds(cells, counts):
        size = TrainingSize([cells, cells], 1000, counts)
        return np.array([size.megabytes(), size.release_seconds()])

    more, slower = megabytes_and_seconds(1000, 10**6) - megabytes_and_seconds(1000, 1)
    assert more == pytest.approx(4 * 2000 * 3000 / 1e6, abs=2)
    assert slower > 0
    # the matrices fit in single precision only, with which such counts do not converge
    more, slower = megabytes_and_seconds(15_000, 10**6) - megabytes_and_seconds(15_000, 1)
    assert more == pytest.approx(-4 * 30_000 * 31_000 / 1e6, abs=2)
    assert slower > 10


@pytest.mark.parametrize(
    ("cells", "counts", "fits"),
    [
        (10_000, memory.MAX_SINGLE_COUNTS, True),
        (10_000, memory.MAX_SINGLE_COUNTS + 1, True),
        (30_000, memory.MAX_COUNTS, True),
        (30_000, memory.MAX_COUNTS + 1, False),
        (45_000, 1, False),
    ],
)
def test_a_run_warns_of_tables_that_scikit_learn_trains(cells, counts, fits):
    size = TrainingSize([cells, 0], 2000, counts)
    warning = size.warning(500)
    assert (warning is None) == fits
    unlisted = size.release_seconds(listed=False)
    assert (size.release_seconds() < unlisted / 5) == fits
    if warning:
        assert workload.duration_text(500 * unlisted) in warning
        assert f"{cells:,}" in warning


def test_large_tables_are_trained_on_fewer_repeats():
    assert workload.trained_repeats(1, repeats=100) == 100
    assert workload.trained_repeats(100, repeats=100) == 18
    assert workload.trained_repeats(10**4, repeats=100) == 10
    assert workload.trained_repeats(10**4, repeats=5) == 5


def test_times():
    times = {2e-6: "0.01 s", 0.0612: "0.061 s", 14: "14 s", 150: "2.5 min", 9000: "2.5 h"}
    assert {seconds: workload.duration_text(seconds) for seconds in times} == times
