"""The memory and the time that a classification is said to need."""

import pytest

from ggexp.workload import BLOCK, LARGEST_MATRICES, classification_megabytes, in_time, matrix_bytes


def test_matrices_count_where_they_are_held() -> None:
    adult = classification_megabytes([9_000, 9_007], 10_005)
    assert matrix_bytes([18_007], 10_005) < LARGEST_MATRICES
    assert 2_600 < adult < 3_300
    assert classification_megabytes([50_000, 50_000], 20_000) < 4_000
    three = classification_megabytes([6_000, 6_000, 6_000], 1000)
    assert three == pytest.approx(classification_megabytes([9_000, 9_000], 1000) + 504, abs=2)


def test_more_blocks_need_more() -> None:
    one, two, three = (
        classification_megabytes([5_000, 5_000], 1000, blocks) for blocks in (1, 2, 3)
    )
    assert two - one == pytest.approx(three - two, abs=1)
    assert two - one > 8 * 5 * BLOCK * 10_000 / 1e6  # weights and what is made of them


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.0612, "0.061 s"), (14, "14 s"), (150, "2.5 min"), (9000, "2.5 h")]
)
def test_times(seconds: float, expected: str) -> None:
    assert in_time(seconds) == expected
