"""Inheritance between data sets, neighbours by replacement, and expected numbers of records."""

import re
import tracemalloc
from copy import deepcopy

import pytest
from conftest import PAPER, pattern_of

from ggexp.experiment import configuration

HISTOGRAMS = configuration.check(PAPER).written()["histograms"]


def checked(histograms=None, datasets=None, **changes):
    config = deepcopy(PAPER) | changes
    config["histograms"] |= histograms or {}
    before = deepcopy(config)
    result = configuration.check(config | ({"datasets": datasets} if datasets else {})).written()
    assert config == before  # not modified
    return result


def refused(histograms=None, **changes):
    with pytest.raises(ValueError, match="the configuration is not valid") as caught:
        checked(histograms, **changes)
    return str(caught.value)


def test_mappings_are_merged_and_lists_replaced():
    own = {
        "like": "adult",
        "mechanisms": ["laplace"],
        "kl": {"pseudo_count": 2},
        "records": {
            # a mapping may replace text, and text a mapping
            "columns": {"age": {"from": 17, "bins": 9}, "sex": {"levels": ["F"]}},
            "drop": {"capital-gain": [0, 1]},
            "training": "1/2",
        },
    }
    again = checked({"again": own})["histograms"]["again"]
    expected = deepcopy(HISTOGRAMS["adult"])
    del expected["figures"]
    expected["mechanisms"] = expected["classifier"]["mechanisms"] = ["laplace"]
    expected["kl"] = {"pseudo_count": 2}
    expected["records"]["columns"]["age"] = {"from": 17, "to": 90, "bins": 9}
    expected["records"]["columns"]["sex"] = {"levels": ["F"]}
    expected["records"]["drop"] = {"capital-gain": [0, 1]}
    expected["records"]["training"] = "1/2"
    assert again == expected
    # columns are in the order of the file
    assert [*again["records"]["columns"]] == [*HISTOGRAMS["adult"]["records"]["columns"]]


def test_chains_of_inheritance_are_resolved_in_any_order():
    chain = {
        "third": {"like": "second", "factors": {"smoke": ["n", "y"]}},
        "second": {"like": "first", "kl": {"pseudo_count": 2}, "figures": {"releases": 31}},
        "first": {"like": "czech", "kl": {"pseudo_count": 1}, "mechanisms": ["laplace"]},
    }
    resolved = checked(chain)["histograms"]
    czech = {key: value for key, value in HISTOGRAMS["czech"].items() if key != "figures"}
    first = czech | {"mechanisms": ["laplace"], "kl": {"pseudo_count": 1}}
    assert resolved["first"] == first
    assert resolved["second"] == first | {"kl": {"pseudo_count": 2}, "figures": {"releases": 31}}
    factors = czech["factors"] | {"smoke": ["n", "y"]}
    assert resolved["third"] == first | {"kl": {"pseudo_count": 2}, "factors": factors}


@pytest.mark.parametrize(
    "circle",
    [
        {"a": {"like": "a"}},
        {"a": {"like": "b"}, "b": {"like": "c"}, "c": {"like": "a"}},
        {"x": {"like": "a"}, "a": {"like": "b"}, "b": {"like": "a"}},  # x is not in the circle
    ],
    ids=len,
)
def test_a_circle_is_refused(circle):
    key, problem = refused(circle).splitlines()[1].strip().split(": ")
    name = key.removeprefix("histograms.").removesuffix(".like")
    assert problem.startswith(repr(circle[name]["like"]))


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({"split_of": "moths"}, "unknown data set of records 'moths'; "),
        ({"split_of": "czech"}, "unknown data set of records 'czech'; "),
        ({"split_of": "shared"}, "'shared' has the split of 'adult'"),
        ({"training": "1/2"}, "must have the same records.training, got 1/2 and, for 'adult', 2/3"),
        ({"split_of": "uncounted", "expected": {"kept": None}}, "expected.kept, got none and"),
        ({"split_of": "uncounted"}, "expected.kept, got 30014 and, for 'uncounted', none"),
    ],
)
def test_a_split_of_other_records_is_refused(records, message):
    adult = deepcopy(HISTOGRAMS["adult"]) | {"figures": {}}
    uncounted = adult | {"records": {**adult["records"], "expected": {}}}
    histograms = {
        "shared": {"like": "adult", "records": {"split_of": "adult"}},
        "uncounted": uncounted,
        "own": {"like": "shared", "records": records},
    }
    shown = refused(histograms, datasets=["own"])
    assert "histograms.own.records.split_of: " in shown
    assert message in shown


def test_what_cannot_be_inherited_is_refused():
    assert "histograms.b: 5 is not a mapping" in refused({"a": {"like": "b"}, "b": 5})
    for like, message in (
        ("moths", "… 'moths'; … mildew, czech, adult, again"),
        (None, "… null; … mildew"),
        ({"mildew": 1}, "… {'mildew': 1}"),
    ):
        pattern = pattern_of(f"histograms.again.like: {message}")
        assert re.search(pattern, refused({"again": {"like": like}}))
    own = {"like": "mildew", "kl": {"pseudo_count": 0}}
    assert "again.kl.pseudo_count: " in refused({"again": own})
    chain = {f"d{i}": {"like": f"d{i + 1}"} for i in range(1500)} | {"d1500": {}}
    assert "more than 20 steps" in refused(chain)


def test_inheritance_ends_as_soon_as_there_are_too_many_values():
    """All copies of these keys would fill about a gigabyte."""
    copies = {f"d{i}": {"like": "large"} for i in range(2000)}
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="more than 100,000 values"):
            checked({"large": {f"k{i}": 1 for i in range(5000)}} | copies)
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()
