"""Inheritance between data sets, neighbours by replacement, and expected numbers of records."""

import re
from copy import deepcopy

import pytest
from conftest import PAPER, SCHEMA, pattern_of

from ggexp.experiment import configuration
from ggexp.experiment.design import Design

HISTOGRAMS = configuration.check(PAPER, SCHEMA)["histograms"]


def checked(histograms=None, datasets=None, **changes):
    """Return the paper's configuration, checked, with more histograms and other changes."""
    config = deepcopy(PAPER) | changes
    config["histograms"] |= histograms or {}
    return configuration.check(config | ({"datasets": datasets} if datasets else {}), SCHEMA)


def refused(histograms=None, **changes):
    with pytest.raises(ValueError, match="the configuration is not valid") as caught:
        checked(histograms, **changes)
    return str(caught.value)


def test_a_data_set_inherits_all_settings_except_figures():
    resolved = checked({"again": {"like": "mildew"}}, ["mildew", "again"])["histograms"]
    expected = {key: value for key, value in HISTOGRAMS["mildew"].items() if key != "figures"}
    assert resolved["again"] == expected
    assert resolved["mildew"] == HISTOGRAMS["mildew"]  # unchanged
    assert list(resolved) == [*HISTOGRAMS, "again"]


def test_a_data_set_has_only_its_own_figures():
    resolved = checked({"again": {"like": "mildew", "figures": {"errors": 30}}})["histograms"]
    assert resolved["again"]["figures"] == {"errors": 30}


def test_mappings_are_merged_and_lists_replaced():
    own = {
        "like": "adult",
        "mechanisms": ["laplace"],
        "kl": {"pseudo_count": 2},
        "records": {
            "columns": {"age": {"from": 17, "bins": 9}, "sex": "unused"},
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
    expected["records"]["columns"]["sex"] = "unused"
    expected["records"]["drop"] = {"capital-gain": [0, 1]}
    expected["records"]["training"] = "1/2"
    assert again == expected
    # columns are in the order of the file
    assert [*again["records"]["columns"]] == [*HISTOGRAMS["adult"]["records"]["columns"]]


def test_a_mapping_may_replace_text_and_text_a_mapping():
    columns = {"sex": {"levels": ["Female", "Male"]}, "age": "unused"}
    again = checked({"again": {"like": "adult", "records": {"columns": columns}}})
    resolved = again["histograms"]["again"]["records"]["columns"]
    assert {name: resolved[name] for name in columns} == columns


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


def test_the_argument_is_not_modified():
    config = deepcopy(PAPER)
    config["histograms"]["again"] = {"like": "mildew", "kl": {"pseudo_count": 1}}
    before = deepcopy(config)
    configuration.check(config, SCHEMA)
    assert config == before


def test_inherited_settings_are_checked():
    assert "histograms.again.kl.pseudo_count: must be >= 1e-100, got 0" in refused(
        {"again": {"like": "mildew", "kl": {"pseudo_count": 0}}}
    )
    assert "unknown key in histograms.again: colour" in refused(
        {"again": {"like": "mildew", "colour": "blue"}}
    )


def test_an_unknown_model_is_named():
    message = refused({"again": {"like": "moths"}})
    assert "histograms.again.like: unknown data set 'moths'; " in message
    assert message.endswith(" mildew, czech, adult, again")


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        (5, "5; … quotes"),
        (None, "null; … omit"),
        (["mildew"], "['mildew']"),
        ({"mildew": 1}, "{'mildew': 1}"),
        (True, "true"),
    ],
)
def test_the_name_of_a_model_must_be_text(model, shown):
    message = refused({"again": {"like": model}})
    assert re.search(pattern_of(f"histograms.again.like: … text, got {shown}"), message)


@pytest.mark.parametrize(
    "circle",
    [
        {"a": {"like": "a"}},
        {"a": {"like": "b"}, "b": {"like": "a"}},
        {"a": {"like": "b"}, "b": {"like": "c"}, "c": {"like": "a"}},
        {
            "x": {"like": "a"},
            "a": {"like": "b"},
            "b": {"like": "a"},
        },  # x itself is not in the circle
    ],
    ids=len,
)
def test_a_circle_is_refused(circle):
    message = refused(circle)
    key, problem = message.splitlines()[1].strip().split(": ")
    name = key.removeprefix("histograms.").removesuffix(".like")
    assert problem.startswith(repr(circle[name]["like"]))


def test_two_data_sets_may_inherit_from_one():
    config = checked({"a": {"like": "b"}, "b": {"like": "mildew"}, "c": {"like": "b"}})
    assert config["histograms"]["a"] == config["histograms"]["b"] == config["histograms"]["c"]


# ---- neighbours ----


#: Mechanisms of the paper's design whose scales are proportional to the l_p sensitivity.
OF_ORDER_1_AND_2 = {
    "czech": {**HISTOGRAMS["czech"], "mechanisms": ["laplace", "gaussian-pdp", "gaussian-adp"]}
}


def test_replacement_changes_two_cells_by_one():
    """Scales are proportional to the sensitivity, 2 at order 1 and √2 at order 2."""
    added, replaced = (
        Design.from_config(
            checked(
                OF_ORDER_1_AND_2, datasets=["czech"], epsilon=[0.25, 0.5], neighbours=neighbours
            )
        ).points["czech"]
        for neighbours in ("add-remove", "replace-one")
    )
    factors = {1: 2, 2: 2**0.5}
    seen = set()
    for noisy, wider in zip(added, replaced, strict=True):
        point = noisy.point
        assert wider.point == point
        factor = wider.noise.scale / noisy.noise.scale
        assert factor == pytest.approx(factors[point.order], rel=1e-12)
        seen.add((point.order, point.calibration))
    assert seen == {(1, "pure"), (2, "pdp"), (2, "adp-classical")}


@pytest.mark.parametrize("neighbours", ["add", None, True, "replace-two"])
def test_other_neighbours_are_refused(neighbours):
    message = refused(neighbours=neighbours)
    assert f"neighbours: must be one of add-remove, replace-one, got {neighbours!r}" in message


# ---- records: expected ----


def expecting(**expected):
    return {"own": {"like": "adult", "records": {"expected": expected}}}


def test_expected_numbers_of_records_are_inherited():
    resolved = checked(expecting(kept=5))["histograms"]
    assert resolved["adult"]["records"]["expected"] == {
        **{"records": 32561, "complete": 30162, "dropped": 148, "kept": 30014}
    }
    assert resolved["own"]["records"]["expected"]["kept"] == 5


@pytest.mark.parametrize("name", ["cells", "training", "record", "Records"])
def test_other_quantities_cannot_be_expected(name):
    assert (
        f"unknown key in histograms.own.records.expected: {name}; "
        "allowed: complete, dropped, kept, records"
    ) in refused(expecting(**{name: 5}))


@pytest.mark.parametrize(
    ("value", "shown"), [(2.5, "2.5"), ("many", "'many'"), (None, "null"), (True, "true")]
)
def test_an_expected_number_is_a_whole_number(value, shown):
    assert f"histograms.own.records.expected.records: {shown} is not a whole number" in refused(
        expecting(records=value)
    )


# ---- records: split_of ----


def test_a_split_may_be_shared_with_a_data_set_that_does_not_run():
    config = checked({"own": {"like": "adult", "records": {"split_of": "adult"}}}, ["own"])
    assert config["histograms"]["own"]["records"]["split_of"] == "adult"


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({"split_of": "moths"}, "unknown data set of records 'moths'; "),
        ({"split_of": "czech"}, "unknown data set of records 'czech'; "),
        ({"split_of": "shared"}, "'shared' has the split of 'adult'"),
        (
            {"expected": {"kept": 30013}},
            "must have the same records.expected.kept, got 30013 and, for 'adult', 30014",
        ),
        (
            {"training": "1/2"},
            "must have the same records.training, got 1/2 and, for 'adult', 2/3",
        ),
        (
            {"split_of": "uncounted"},
            "must have the same records.expected.kept, got 30014 and, for 'uncounted', none",
        ),
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


@pytest.mark.parametrize("model", [None, 5, ["a"]])
def test_a_model_must_be_a_mapping(model):
    assert f"histograms.b: {model!r} is not a mapping" in refused({"a": {"like": "b"}, "b": model})


def test_a_long_chain_is_refused():
    chain = {f"d{i}": {"like": f"d{i + 1}"} for i in range(1500)} | {"d1500": {}}
    assert "more than 20 steps" in refused(chain)


def test_inherited_values_are_counted():
    """Configurations that are too large are refused before they fill the memory."""
    large = {"factors": {f"f{i}": ["1", "2"] for i in range(5000)}}
    copies = {f"d{i}": {"like": "large"} for i in range(2000)}
    with pytest.raises(ValueError, match="more than 100,000 values"):
        checked({"large": large} | copies)
