"""The kinds of figures are found by name, and checked by what they read."""

import re
import subprocess
import sys
from copy import deepcopy
from importlib import import_module
from inspect import signature
from typing import Any

import pytest
import yaml
from conftest import ROOT, SCHEMA, parts

from ggexp.experiment import configuration
from ggexp.figures import kinds

PAPER = configuration.check(
    yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8")), SCHEMA
)


def checked(
    dataset: str, figures: dict[str, int | None], metrics: tuple[str, ...] = (), **changes: Any
) -> None:
    """Check the paper's design with the figures of a data set, and more of it, changed."""
    config = deepcopy(PAPER) | ({"metrics": [*metrics]} if metrics else {})
    config["histograms"][dataset] |= {"figures": figures} | changes
    kinds.check(config)


def test_the_paper_s_figures_are_found() -> None:
    assert kinds.dataset_kinds() == [
        *("accuracy", "errors", "gains", "marginals", "mode", "ranks", "releases", "survivors"),
        "training",
    ]
    numbers = ["01", "02", "03", "04", "05", *(f"s{i}" for i in range(1, 9)), "f1", "f2", "f3"]
    assert sorted(kinds.numbered()) == sorted(numbers)
    kinds.check(PAPER)


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_each_is_two_functions(kind: str) -> None:
    """What draws gets the numbers, and the data set's name or the figure's number."""
    import_module(kinds.module("tabulate", kind)).tabulate  # noqa: B018
    draw = signature(import_module(kinds.module("draw", kind)).draw)
    subject = "dataset" if kind in kinds.dataset_kinds() else "number"
    assert [*draw.parameters] == ["table", subject]


def test_numbers_are_made_without_matplotlib() -> None:
    modules = [kinds.module("tabulate", kind) for kind in kinds.KINDS]
    program = f"import sys, {', '.join(modules)}\nassert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_is_read_is_needed_or_not() -> None:
    assert kinds.reads("errors") == {"errors": True, "metrics": True}
    assert kinds.reads("ranks") == {"errors": True, "metrics": True, "accuracy": False}
    assert kinds.reads("best_order") == {}


ADULT = {"accuracy": 12}
NOT_TRAINED = {"classifier": {"target": "income", "mechanisms": []}}


@pytest.mark.parametrize(
    ("dataset", "figures", "changes", "message"),
    [
        ("mildew", {"marginals": 20}, {}, "marginals: … histograms.mildew.synthetic,"),
        ("adult", {"training": 20}, {}, "training: … histograms.adult.synthetic,"),
        ("mildew", {"accuracy": 13}, {}, "accuracy: … histograms.mildew.classifier,"),
        ("adult", ADULT, NOT_TRAINED, "accuracy: … histograms.adult.classifier.mechanisms,"),
        ("adult", {"survivors": 50}, {}, "survivors: … histograms.adult.release.kind: thre"),
        (
            "adult",
            {"errors": 50},
            {"release": {"kind": "threshold"}},
            "errors: … kl, … histograms.adult.release.kind: threshold",
        ),
        (
            "adult",
            {"releases": 9},
            {"release": {"kind": "threshold"}},
            "releases: … histograms.adult.release.kind",
        ),
        (
            "adult",
            {"mode": 50},
            {"release": {"kind": "stability"}},
            "mode: … histograms.adult.release.kind: n",
        ),
    ],
)
def test_figures_of_what_is_not_there_are_refused(
    dataset: str, figures: dict[str, int | None], changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match="the configuration is not valid") as refused:
        checked(dataset, figures, **changes)
    assert len(re.findall(f".*{dataset}.figures.{parts(message)}", str(refused.value))) == 1
    checked(dataset, dict.fromkeys(figures), **changes)  # null: it is left out


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"key in histograms\.czech\.figures: error; allowed"):
        checked("czech", {"error": 20})
    with pytest.raises(ValueError, match=r"figures: 7; allowed: accuracy, .*, training$"):
        checked("czech", {7: 20})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match=r"histograms.czech.figures: theory; allowed"):
        checked("czech", {"theory": 20})


def test_the_paper_s_numbers_are_free_without_its_theory() -> None:
    """So figures of a table of one's own begin at 1."""
    config = deepcopy(PAPER) | {"datasets": ["mildew"]}
    for number in range(1, 7):
        config["histograms"]["mildew"]["figures"] = {"errors": number}
        kinds.check(config | {"theory": False})
        if number <= 5:
            with pytest.raises(ValueError, match=rf"mildew\.figures\.errors: {number} is a figure"):
                kinds.check(config)
    kinds.check(config)


def test_what_may_be_missing_is_not_needed() -> None:
    checked("mildew", {"ranks": 20})
    checked("adult", {"survivors": 20}, release={"kind": "threshold"}, **NOT_TRAINED)


def test_histograms_of_all_cells_have_the_figures_of_tables() -> None:
    checked("adult", {"releases": 50, "errors": 51, "accuracy": 52}, release={"kind": "all"})
    with pytest.raises(ValueError, match=r"survivors: needs histograms\.adult\.release\.kind"):
        checked("adult", {"survivors": 50}, release={"kind": "all"})


def test_figures_of_metrics_that_measure_any_release() -> None:
    figures: dict[str, int | None] = {"errors": 50, "ranks": 51, "accuracy": 52}
    checked("adult", figures, ("l1",), release={"kind": "threshold"})
    with pytest.raises(ValueError, match=r"figures\.ranks: shows kl_reverse, which cannot measure"):
        checked("adult", figures, ("l1", "kl_reverse"), release={"kind": "threshold"})
    with pytest.raises(ValueError, match=r"shows kept, .*mildew\.release\.kind: non-empty"):
        checked("mildew", {"errors": 50}, ("kept",))
