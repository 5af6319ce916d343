"""The target `guarantees`: its figures, its audit and its claims, and where people see them."""

from pathlib import Path

import pytest
from browser import Report, in_a_browser, opened
from conftest import Project
from test_results_readme import SECTIONS, Section, check_files

from ggexp.run.columns import read_csv

pytestmark = pytest.mark.slow

FIGURES = {
    "s1": "what each mechanism guarantees",
    "s3": "the best order",
    "s4": "how loose the bounds are",
    "s5": "many queries",
    "s6": "what ε means to a guesser",
    "f1": "truncated noise",
    "f2": "unbounded noise",
    "f3": "boundary-inflated noise",
}


@pytest.fixture(scope="module")
def beyond(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A small run, then what is beyond the paper, then the run again, which shows it."""
    project = Project(tmp_path_factory.mktemp("beyond"))
    project.configure(theory=False)
    project.run(targets=("all",))
    assert "Beyond the paper" not in index(project)
    project.run(targets=("guarantees",))
    project.run(targets=("all",))
    project.run("--report", "results/report.html", targets=("all",))
    return project


def index(project: Project) -> str:
    return (project.folder / "results/index.html").read_text("utf-8")


def test_every_verdict_is_the_expected_one(beyond: Project) -> None:
    claims = read_csv(beyond.folder / "results/guarantees/claims.csv")
    other = claims[claims["verdict"] != claims["expected"]]
    assert other.empty, other[["id", "expected", "verdict", "evidence"]].to_string()


@pytest.mark.parametrize(
    "section",
    [section for section in SECTIONS if section.made_by == "guarantees"],
    ids=lambda section: section.path,
)
def test_its_files_are_as_their_heading_says(beyond: Project, section: Section) -> None:
    check_files(beyond.folder / "results", section)


def test_no_mechanism_exceeds_its_claim(beyond: Project) -> None:
    """And what must be caught is."""
    table = read_csv(beyond.folder / "results/guarantees/audit.csv")
    right = table["claimed"] & (table["scale_factor"] == 1)
    assert not table.loc[right, "exceeds"].any()
    assert table.loc[table["scale_factor"] < 1, "exceeds"].all()


def test_nothing_is_made_twice(beyond: Project) -> None:
    assert "Nothing to be done" in beyond.run("--dry-run", targets=("all", "guarantees"))


def test_the_index_shows_it(beyond: Project) -> None:
    page = " ".join(index(beyond).split())
    assert ">Beyond the paper</h2>" in page
    assert ">Claims beyond the paper</h2>" in page
    for number, about in FIGURES.items():
        assert f">Figure {number.upper()}: {about}</h3>" in page
        assert f'href="figures/figure_{number}.csv"' in page


@in_a_browser
def test_a_reader_finds_it_in_the_report(beyond: Project) -> None:
    with opened(Path(beyond.folder, "results/report.html")) as page:
        found = Report(page).read()
    for number, about in FIGURES.items():
        assert f"Figures / Beyond the paper / Figure {number.upper()}: {about}" in found
    assert "Claims / Claims beyond the paper" in found
    assert "Tables / Audit of the releases" in found
