"""A file of records that does not match the expected numbers is named, with the numbers."""

from pathlib import Path

import pytest

from ggexp.datasets.records import check_tally

TALLY = {"records": 32560, "complete": 30162, "dropped": 147, "kept": 30015, "bins": 12}


@pytest.mark.parametrize("quantity", TALLY)
@pytest.mark.parametrize("change", [-1, 0, 1])
def test_exactly_the_wrong_quantities_are_listed(quantity, change):
    expected = TALLY | {quantity: TALLY[quantity] + change}
    if not change:
        return check_tally(Path("own.data"), TALLY, expected)
    with pytest.raises(ValueError, match=r"own\.data does not match records\.expected") as caught:
        check_tally(Path("own.data"), TALLY, expected)
    wrong = str(caught.value).split(". ")[0].split("expected: ")[1]
    assert wrong == f"{quantity} {TALLY[quantity]:,}, expected {expected[quantity]:,}"
