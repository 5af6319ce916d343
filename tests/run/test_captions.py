"""The captions of the report's templates: each figure and page has one that says what it shows."""

from pathlib import Path

import pytest
import yaml
from jinja2 import UndefinedError

from ggexp.run.captions import caption

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "workflow/report"
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
THEORY = ["01", "02", "03", "04", "05"]
BEYOND = ["s1", "s3", "s4", "s5", "s6", "f1", "f2", "f3"]
FIGURES = {
    number: (kind, dataset)
    for dataset in PAPER["datasets"]
    for kind, number in PAPER["histograms"][dataset]["figures"].items()
}
PAGES = [
    *("claims", "guarantees", "audit", "scales", "summary", "versions", "baseline"),
    "tally_adult",
]


def of_theory(number):
    return caption(TEMPLATES / "theory.rst", config=PAPER, number=number)


def of_experiment(kind, dataset, **settings):
    config = PAPER | settings
    names = {"kind": kind, "dataset": dataset, "metrics": ["l₁ distance (records)"]}
    return caption(TEMPLATES / "experiment.rst", config=config, **names)


def of_page(page):
    return caption(TEMPLATES / "table.rst", config=PAPER, page=page)


def assert_prose(text):
    """A few sentences on one line, of which nothing is left to fill in."""
    assert len(text.split()) >= 10
    assert text == " ".join(text.split())
    assert text[0].isupper()
    assert text.endswith(".")
    for mark in ("{", "}", "snakemake."):
        assert mark not in text


def test_the_paper_has_figures_6_to_12_of_data():
    assert sorted(FIGURES) == list(range(6, 13))


@pytest.mark.parametrize("number", THEORY)
def test_each_figure_of_theory_has_a_caption(number):
    assert_prose(of_theory(number))


@pytest.mark.parametrize("number", BEYOND)
def test_each_figure_beyond_the_paper_has_a_caption(number):
    assert_prose(caption(TEMPLATES / "beyond.rst", config=PAPER, number=number))


@pytest.mark.parametrize("number", FIGURES)
def test_each_figure_of_data_names_them_and_the_repeats(number):
    kind, dataset = FIGURES[number]
    text = of_experiment(kind, dataset)
    assert_prose(text)
    assert f" {dataset} data" in text
    assert " 500 " in text
    for other in {*PAPER["datasets"]} - {dataset}:
        assert other not in text


@pytest.mark.parametrize("kind", ["releases", "errors", "accuracy"])
def test_data_set_and_repeats_are_the_runs(kind):
    text = of_experiment(kind, "own-data-2", repeats=12345)
    assert " own-data-2 data" in text
    assert " 12,345 " in text
    assert "500" not in text


@pytest.mark.parametrize("number", [*THEORY, *FIGURES, *BEYOND])
def test_each_figure_has_an_alternative_text(number):
    kind, dataset = FIGURES.get(number, ("", ""))
    names = {"number": str(number), "kind": kind, "dataset": dataset, "metrics": ["l₁ distance"]}
    text = caption(TEMPLATES / "alternative.txt", config=PAPER, **names)
    assert_prose(text)
    assert dataset in text
    assert '"' not in text  # it stands between them


@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_a_caption(page):
    assert_prose(of_page(page))


def test_a_tally_has_one_caption_whatever_the_data():
    assert of_page("tally_people") == of_page("tally_adult")


def test_no_two_are_the_same():
    texts = [*map(of_theory, THEORY), *map(of_page, PAGES)]
    texts += [of_experiment(*figure) for figure in FIGURES.values()]
    assert len(set(texts)) == len(THEORY) + len(PAGES) + len(FIGURES)


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("theory.rst", {}),
        ("theory.rst", {"page": "01"}),
        ("experiment.rst", {"kind": "errors"}),
        ("experiment.rst", {"dataset": "mildew"}),
        ("table.rst", {"number": "claims"}),
    ],
)
def test_a_name_that_is_not_given_is_an_error(template, names):
    with pytest.raises(UndefinedError, match="has no attribute"):
        caption(TEMPLATES / template, config=PAPER, **names)


@pytest.mark.parametrize("asked", ["snakemake.params.colour", "snakemake.output", "colour"])
def test_a_template_cannot_ask_for_another_name(tmp_path, asked):
    template = tmp_path / "own.rst"
    template.write_text(f"A figure of {{{{ {asked} }}}}.\n")
    with pytest.raises(UndefinedError):
        caption(template, config=PAPER, kind="errors")


def test_a_caption_is_one_line_with_what_was_given(tmp_path):
    template = tmp_path / "own.rst"
    template.write_text(
        "{{ snakemake.params.kind }} and\n\n  {{ snakemake.wildcards.kind }},\n"
        '{{ snakemake.config["seed"] }} – ε\n',
        "utf-8",
    )
    assert caption(template, config=PAPER, kind="one") == "one and one, 20260101 – ε"


@pytest.mark.parametrize(
    ("template", "names"),
    [
        ("theory.rst", {"number": "06"}),
        ("experiment.rst", {"kind": "release", "dataset": "mildew"}),
        ("table.rst", {"page": "claim"}),
        ("alternative.txt", {"number": "06", "kind": "release", "dataset": "mildew"}),
    ],
)
def test_nothing_to_say_is_an_error(template, names):
    with pytest.raises(ValueError, match="has no caption for"):
        caption(TEMPLATES / template, config={"repeats": 5}, **names)
