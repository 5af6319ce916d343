"""A file of records that does not match the expected numbers is named, with the numbers."""

from pathlib import Path

import pytest

from ggexp.datasets.records import check_tally

TALLY = {"records": 32560, "complete": 30162, "dropped": 147, "kept": 30015, "bins": 12}


def refused(**expected):
    with pytest.raises(ValueError, match=r"own\.data does not match records\.expected") as caught:
        check_tally(Path("data/own.data"), TALLY, expected)
    return str(caught.value)


def test_the_message_has_file_quantity_number_and_expected_number():
    message = refused(records=32561)
    assert message.startswith("data/own.data ")
    assert ": records 32,560, expected 32,561. " in message


def test_the_message_lists_exactly_the_wrong_quantities():
    message = refused(records=32560, complete=30162, dropped=148, kept=30014).split(". ")[0]
    assert message.endswith(": dropped 147, expected 148; kept 30,015, expected 30,014")
    assert "32,560" not in message
    assert "30,162" not in message


@pytest.mark.parametrize("expected", [1, 30161, 30163, 0])
def test_a_difference_of_one_is_noticed(expected):
    assert f"complete 30,162, expected {expected:,}" in refused(complete=expected)


@pytest.mark.parametrize("names", [[*TALLY], ["kept"], []], ids=len)
def test_equal_numbers_are_accepted_and_others_are_not_checked(names):
    expected = {name: TALLY[name] for name in names}
    assert check_tally(Path("own.data"), TALLY, expected) is None
    if names:  # the same call with one wrong number is refused
        with pytest.raises(ValueError, match=f"{names[-1]} .*, expected -1"):
            check_tally(Path("own.data"), TALLY, expected | {names[-1]: -1})
