"""The table of figures agrees with its functions, and configurations are checked by it."""

import re
from copy import deepcopy
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path

import pytest
from conftest import PAPER, pattern_of

from ggexp.companions.figures.catalog import NUMBERED as SUPPLEMENT
from ggexp.experiment import configuration
from ggexp.figures import catalog

ALL = catalog.KINDS | catalog.NUMBERED | SUPPLEMENT


def check_changed(dataset, figures, metrics=PAPER["metrics"], **changes):
    config = deepcopy(PAPER) | {"metrics": metrics}
    config["histograms"][dataset] |= {"figures": figures} | changes
    catalog.check(configuration.check(config))


def function(name):
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def test_the_table_has_all_figures():
    assert {*catalog.NUMBERED} >= {"01", "02", "03", "04", "05", "m1", "m2", "s3", "s9"}
    assert {*SUPPLEMENT} >= {"f1", "f2", "f3", "s1", "s2", "s4", "s5", "s6", "s7", "s8"}
    catalog.check(configuration.check(PAPER))
    for package in ("ggexp.figures", "ggexp.companions.figures"):
        (folder,) = import_module(package).__path__
        for step in ("tabulate", "draw"):
            modules = {f"{package}.{file.stem}" for file in Path(folder).glob(f"{step}_*.py")}
            named = {made.function(step).rpartition(".")[0] for made in ALL.values()}
            assert modules <= named


@pytest.mark.parametrize("name", ALL)
def test_the_functions_of_a_figure_have_the_parameters_of_the_table(name):
    """A function that draws takes the numbers, and the data set's name if there is one."""
    made = ALL[name]
    parameters = signature(function(made.function("tabulate"))).parameters
    assert {*parameters} == {*made.reads, *made.optional}
    defaults = {key for key, value in parameters.items() if value.default is not Parameter.empty}
    assert defaults == {*made.optional}
    subject = ["dataset"] if name in catalog.KINDS else []
    assert [*signature(function(made.function("draw"))).parameters] == ["table", *subject]


ADULT = {"accuracy": 12}
THRESHOLD = {"release": {"kind": "threshold"}}
TWO_METRICS = THRESHOLD | {"metrics": ["l1", "kl_reverse"]}
NOT_TRAINED = {"classifier": {"target": "income", "mechanisms": []}}


def test_figures_without_their_inputs_are_rejected():
    for dataset, figures, changes, message in (
        ("mildew", {"marginals": 20}, {}, "marginals: … histograms.mildew.synthetic,"),
        ("adult", {"training": 20}, {}, "training: … histograms.adult.synthetic,"),
        ("mildew", {"accuracy": 13}, {}, "accuracy: … histograms.mildew.classifier,"),
        ("adult", ADULT, NOT_TRAINED, "accuracy: … histograms.adult.classifier.mechanisms,"),
        ("adult", {"retained_cells": 50}, {}, "retained_cells: … adult.release.kind: thre"),
        ("adult", {"errors": 50}, THRESHOLD, "errors: … kl, … adult.release.kind: threshold"),
        ("adult", {"releases": 9}, THRESHOLD, "releases: … adult.release.kind"),
        ("adult", {"ranks": 51}, TWO_METRICS, "ranks: shows kl_reverse, which cannot measure"),
    ):
        with pytest.raises(ValueError, match="the configuration is not valid") as error:
            check_changed(dataset, figures, **changes)
        assert len(re.findall(f".*{dataset}.figures.{pattern_of(message)}", str(error.value))) == 1
        check_changed(dataset, dict.fromkeys(figures), **changes)  # null omits the figure
    any_release = {"errors": 50, "ranks": 51, "accuracy": 52}
    check_changed("adult", any_release, **THRESHOLD, metrics=["l1"])
    with pytest.raises(ValueError, match=r"shows kept, .*mildew\.release\.kind: non-empty"):
        check_changed("mildew", {"errors": 50}, ["kept"])


def test_unknown_kinds_and_numbers_that_are_taken_are_rejected():
    with pytest.raises(ValueError, match=r"key in histograms\.czech\.figures: error; allowed"):
        check_changed("czech", {"error": 20})
    with pytest.raises(ValueError, match=r"figures: survivors \(now retained_cells\); allowed: "):
        check_changed("czech", {"survivors": 20})
    with pytest.raises(ValueError, match=r"czech\.figures\.errors: 6 .* histograms\.mildew\.fig"):
        check_changed("czech", {"errors": 6})
    with pytest.raises(ValueError, match=r"mildew\.figures: relases; allowed: ") as refused:
        check_changed("mildew", {"releases": 6, "relases": 6})
    assert len(str(refused.value).splitlines()) == 2


def test_the_paper_s_numbers_are_free_without_its_theory():
    """Then the figures of a user's own table can begin at 1."""
    config = deepcopy(PAPER) | {"datasets": ["mildew"]}
    for number in range(1, 7):
        config["histograms"]["mildew"]["figures"] = {"errors": number}
        catalog.check(configuration.check(config | {"theory": False}))
        if number <= 5:
            with pytest.raises(ValueError, match=rf"mildew\.figures\.errors: {number} is a figure"):
                catalog.check(configuration.check(config))
    catalog.check(configuration.check(config))
