"""The predicted memory and time of a classification."""

import pytest

from ggexp.workload import (
    MAX_MATRICES,
    classification_megabytes,
    duration_text,
    matrix_bytes,
    release_seconds,
    trained_repeats,
)


def test_kernel_matrices_are_included_if_they_are_kept_in_memory() -> None:
    adult = classification_megabytes([9_000, 9_007], 10_005, 20_108)
    assert matrix_bytes([18_007], 10_005) < MAX_MATRICES
    assert 2_600 < adult < 3_300
    assert classification_megabytes([50_000, 50_000], 20_000, 100_000) < 4_000
    three = classification_megabytes([6_000, 6_000, 6_000], 1000, 20_000)
    two = classification_megabytes([9_000, 9_000], 1000, 20_000)
    assert three == pytest.approx(two + 504, abs=2)


def test_large_counts_need_memory_and_time_for_linear_equations() -> None:
    small, large = (classification_megabytes([1_000, 1_000], 1000, counts) for counts in (1, 10**6))
    assert large - small == pytest.approx((32 * 2000**2 - 4 * 2000 * 3000) / 1e6, abs=2)
    assert release_seconds(2000, 10**6) > release_seconds(2000, 1)


def test_large_tables_are_trained_on_fewer_repeats() -> None:
    assert trained_repeats(1, repeats=100) == 100
    assert trained_repeats(100, repeats=100) == 18
    assert trained_repeats(10**4, repeats=100) == 10
    assert trained_repeats(10**4, repeats=5) == 5


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(2e-6, "0.01 s"), (0.0612, "0.061 s"), (14, "14 s"), (150, "2.5 min"), (9000, "2.5 h")],
)
def test_times(seconds: float, expected: str) -> None:
    assert duration_text(seconds) == expected
