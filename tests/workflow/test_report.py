"""The report and the index in a browser, as a reader sees them, and the target `verify`."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from browser import Report, contrast, in_a_browser, opened, size
from conftest import ROOT, Project
from playwright.sync_api import expect

from ggexp.run.columns import read_csv
from ggexp.run.pages import VERDICTS
from ggexp.run.storage import read_parquet, write_csv, write_parquet

pytestmark = pytest.mark.slow

VERDICT = '<span class="verdict {}">{}</span>'

THEORY = {
    "Figures / Theory / Figure 1: densities": "Densities of generalized Gaussian noise",
    "Figures / Theory / Figure 2: scale of Corollary 7": "The scale b that Corollary 7 asks for",
    "Figures / Theory / Figure 3: bounds on σ": "by the paper's bound (Eqn 18)",
    "Figures / Theory / Figure 4: tail probabilities": "Laplace noise of ε-DP exceeds t in size",
    "Figures / Theory / Figure 5: relative privacy cost": "the same probability as Laplace noise",
}
MILDEW = {
    "Figures / Mildew / Figure 6: releases": "original counts of the mildew data",
    "Figures / Mildew / Figure 7: errors": "How far releases of the mildew data are",
}
PAGES = {
    "Claims / The paper's claims": "with the verdict of this run",
    "Run / What the run was made of": "machine, versions of packages, data and code",
    "Tables / Accuracy without noise": "and of the majority class",
    "Tables / Scales of the noise": "The scale b of the noise",
    "Tables / Summary of the repeats": "standard error of every metric",
}


def assert_described(found: dict[str, str], expected: dict[str, str]) -> None:
    assert found.keys() == expected.keys()
    for name, words in expected.items():
        assert words in found[name], name


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A small run with everything that the default target makes, and its report."""
    project = Project(tmp_path_factory.mktemp("report"))
    project.add_records()
    project.run(targets=("all",))
    project.run("--report", "report.html", targets=("all",))
    return project


def write_adults(path: Path) -> dict[str, object]:
    """Write made-up records in the form of the Adult data, and return the settings for them."""
    paper = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    columns = paper["histograms"]["adult"]["records"]["columns"]
    rng = np.random.default_rng(5)
    rows = 120

    def values(name: str, kind: object) -> list[str]:
        if isinstance(kind, dict):
            return [str(value) for value in rng.integers(kind["from"], kind["to"], rows)]
        few = ["poor", "rich"] if name == "income" else [f"{name}-1", f"{name}-2"]
        return list(rng.choice(few, rows))

    lines = zip(*(values(*column) for column in columns.items()), strict=True)
    path.write_text("".join(", ".join(line) + "\n" for line in lines))
    counts = {"records": rows, "complete": rows, "dropped": 0, "kept": rows}
    return {"file": path.name, "expected": counts}


@pytest.fixture(scope="module")
def paper(complete: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A run with the paper's list of figures, of few repeats and of a few made-up records."""
    project = Project(tmp_path_factory.mktemp("paper"))
    for part in ("results", ".snakemake"):  # what is the same is not made twice
        shutil.copytree(complete.folder / part, project.folder / part)
    adults = write_adults(project.folder / "adults.csv")
    project.configure(
        datasets=["mildew", "czech", "adult"],
        histograms=project.histograms(adult={"records": adults}),
    )
    project.run(targets=("all",))
    project.run("--report", "report.html", targets=("all",))
    return project


@in_a_browser
def test_a_reader_clicks_through_the_report(complete: Project) -> None:
    with opened(complete.folder / "report.html") as page:
        found = Report(page).read()
    people = {
        "Figures / People / Figure 20: releases": "Shown is the first of 4 releases",
        "Figures / People / Figure 21: errors": "How far releases of the people data are",
        "Figures / People / Figure 22: accuracy": "How many test records of the people data",
        "Tables / Records of the people data": "The records of a data set",
    }
    assert_described(found, THEORY | MILDEW | people | PAGES)


@in_a_browser
def test_a_reader_clicks_through_the_report_of_the_papers_figures(paper: Project) -> None:
    with opened(paper.folder / "report.html") as page:
        found = Report(page).read()
    others = {
        "Figures / Czech / Figure 8: releases": "original counts of the czech data",
        "Figures / Czech / Figure 9: errors": "How far releases of the czech data are",
        "Figures / Adult / Figure 10: releases": "original counts of the adult data",
        "Figures / Adult / Figure 11: errors": "How far releases of the adult data are",
        "Figures / Adult / Figure 12: accuracy": "How many test records of the adult data",
        "Tables / Records of the adult data": "The records of a data set",
    }
    assert_described(found, THEORY | MILDEW | others | PAGES)


@in_a_browser
@pytest.mark.parametrize("window", [size(1300, 900), size(390, 844)], ids=["wide", "phone"])
def test_index_is_one_page_with_everything(
    paper: Project, tmp_path: Path, window: dict[str, int]
) -> None:
    shutil.copy(paper.folder / "results/index.html", tmp_path)  # alone
    with opened(tmp_path / "index.html", viewport=window) as page:
        pictures = page.locator("figure img")
        for number, picture in enumerate(pictures.all(), 1):
            assert (
                picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)")
                > 1000
            )
            assert len(picture.get_attribute("alt").split()) >= 10
            expect(page.locator(f"#figure-{number:02d} h3")).to_contain_text(f"Figure {number}: ")
            expect(page.locator(f"#figure-{number:02d} figcaption p").first).to_contain_text(".")
        assert pictures.count() == 12

        claims = read_claims(paper)
        for claim in claims.itertuples():
            told = page.locator(f"#claim-{claim.id}")
            expect(told.locator(".verdict")).to_have_text(claim.verdict)
            expect(told.get_by_text(claim.evidence, exact=True)).to_be_hidden()
            told.locator("summary").click()
            expect(told.get_by_text(claim.evidence, exact=True)).to_be_visible()
        assert page.locator(".claims > li").count() == len(claims)

        for fold in page.locator("main > section:not([aria-labelledby=claims]) summary").all():
            fold.click()
        tables = page.locator("table")
        assert tables.count() == 5 + 2 * 3  # two of each data set's answer
        for table in tables.all():
            expect(table).to_be_visible()
        # wide tables and pictures scroll, the page does not
        assert page.evaluate("document.documentElement.scrollWidth") == window["width"]


@in_a_browser
def test_index_leads_to_what_there_is(complete: Project) -> None:
    results = complete.folder / "results"
    with opened(results / "index.html") as page:
        links = [link.get_attribute("href") for link in page.locator("a").all()]
        identities = [one.get_attribute("id") for one in page.locator("[id]").all()]
    assert len({*identities}) == len(identities)
    assert {link[1:] for link in links if link.startswith("#")} <= {*identities}
    files = [link for link in links if not link.startswith(("#", "https://doi.org/"))]
    assert [link for link in files if not (results / link).is_file()] == []
    for ending in ("csv", "pdf"):
        assert {
            link for link in files if link.startswith("figures/") and link.endswith(ending)
        } == {f"figures/figure_{number:02d}.{ending}" for number in [*range(1, 8), 20, 21, 22]}


@in_a_browser
def test_index_is_for_screen_readers_and_keyboards(complete: Project) -> None:
    with opened(complete.folder / "results/index.html") as page:
        assert page.locator("html").get_attribute("lang") == "en"
        for role in ("banner", "navigation", "main", "contentinfo"):
            assert page.get_by_role(role).count() == 1
        levels = page.locator("h1, h2, h3, h4").evaluate_all(
            "all => all.map(one => +one.tagName[1])"
        )
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the results")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.get_by_role("main")).to_be_focused()
        for table in page.locator("table").all():
            assert table.locator("caption").count() == 1
            assert table.locator("th:not([scope])").count() == 0


@in_a_browser
def test_index_has_contrast(complete: Project) -> None:
    verdicts = "".join(
        f"<li>{VERDICT.format(name.replace(' ', '-'), name)}</li>" for name in VERDICTS
    )
    with opened(complete.folder / "results/index.html") as page:
        page.locator(".tallies").first.evaluate("(list, all) => list.innerHTML = all", verdicts)
        for selector in (".verdict", "p", "a", ".source", "summary", "dt", "footer", "th", "td"):
            assert page.locator(selector).count() > 0
            for shown in page.locator(selector).all():
                assert contrast(shown) >= 4.5, selector


@in_a_browser
def test_index_on_paper(complete: Project) -> None:
    (first, *_) = read_claims(complete).itertuples()
    with opened(complete.folder / "results/index.html", viewport=size(760, 1000)) as page:
        evidence = page.locator(f"#claim-{first.id}").get_by_text(first.evidence, exact=True)
        expect(evidence).to_be_hidden()
        page.emulate_media(media="print")
        expect(evidence).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 760
        for picture in page.locator("img").all():
            assert picture.bounding_box()["width"] <= 760


def read_claims(project: Project) -> pd.DataFrame:
    claims = read_csv(project.folder / "results/claims.csv")
    assert len(claims) > 0
    return claims


def planned(project: Project) -> set[str]:
    """The rules that a run of everything would execute now."""
    printed = project.run("--dry-run", targets=("all",))
    assert "Nothing to be done" in printed or "Job stats" in printed
    return set(re.findall(r"^(?:local)?rule (\w+):$", printed, re.MULTILINE)) - {"all"}


@pytest.mark.parametrize(
    ("path", "old", "new", "rules"),
    [
        ("workflow/report/index.html.j2", "Contents", "What is here", {"write_index"}),
        ("workflow/report/theory.rst", "Densities of", "All densities of", {"write_index"}),
        ("src/ggexp/run/index.py", "WIDTH = 1400", "WIDTH = 1300", {"write_index"}),
        ("workflow/report/style.css", "1rem", "2rem", {"write_index", "render_table"}),
        ("src/ggexp/run/pages.py", "LONG = 70", "LONG = 80", {"write_index", "render_table"}),
    ],
)
def test_an_edit_of_a_page_reruns_nothing_else(
    complete: Project, path: str, old: str, new: str, rules: set[str]
) -> None:
    before = (complete.folder / path).stat()
    complete.edit(path, lambda text: text.replace(old, new, 1))
    assert planned(complete) == rules
    complete.edit(path, lambda text: text.replace(new, old, 1))
    os.utime(complete.folder / path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert planned(complete) == set()


def test_pages_hold_their_tables(complete: Project) -> None:
    pages = complete.folder / "results/pages"
    claims = (pages / "claims.html").read_text("utf-8")
    assert '<td>lemma-11</td><td class="long">For δ below 2Φ(-√2)' in claims
    assert f"<td>{VERDICT.format('refuted', 'refuted')}</td>" in claims
    assert '<td class="number">4</td>' in (pages / "summary.html").read_text("utf-8")
    versions = (pages / "versions.html").read_text("utf-8")
    assert ", snakemake 9." in versions
    assert "<td>processor</td>" in versions
    assert "<td>people.csv (sha256)</td>" in versions


@contextmanager
def unnoticed(file: Path) -> Iterator[None]:
    """Keep a file's time, by which Snakemake would notice that it is changed meanwhile."""
    before = file.stat()
    yield
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_verify(complete: Project) -> None:
    """A run agrees with its own manifest; files changed behind its back do not, and are named."""
    claims = complete.folder / "reference/claims.yaml"
    some = re.split(r"(?=^- id: )", claims.read_text("utf-8"), flags=re.MULTILINE)
    claims.write_text("".join(part for part in some if "- id: pdp-adp-delta" in part), "utf-8")
    complete.run(targets=("all",))
    manifest = complete.folder / "results/manifest.json"
    shutil.copy(manifest, complete.folder / "reference/manifest.json")
    assert "files of results and 1 verdicts agree" in complete.run(targets=("verify",))

    changed = json.loads(manifest.read_text("utf-8"))
    changed["packages"]["numpy"] = "1.0"
    changed["machine"]["processor"] = "abacus"
    (complete.folder / "reference/manifest.json").write_text(json.dumps(changed), "utf-8")
    repeats = "repeats/mildew/laplace/epsilon-1.0.parquet"
    results = complete.folder / "results"
    kept = {name: (results / name).read_bytes() for name in (repeats, "summary.csv")}
    with unnoticed(results / repeats), unnoticed(results / "summary.csv"):
        errors = read_parquet(results / repeats)
        errors.loc[0, "l1"] *= 3
        write_parquet(errors, results / repeats)
        summary = read_csv(results / "summary.csv")
        summary.loc[0, "mean"] -= 1
        write_csv(summary, results / "summary.csv")
    ended = complete.snakemake(targets=("verify",))
    assert ended.returncode != 0
    told = [
        *(", not abacus", "packages: numpy is", f"outputs: {repeats} differs in l1"),
        "outputs: summary.csv differs in mean",
    ]
    places = [ended.stdout.find(text) for text in told]
    assert -1 not in places
    assert places == sorted(places)  # what may be the reason comes first
    assert "Traceback" not in ended.stdout

    for name, content in kept.items():
        with unnoticed(results / name):
            (results / name).write_bytes(content)
    shutil.copy(manifest, complete.folder / "reference/manifest.json")
    complete.edit("reference/claims.yaml", lambda text: text.replace(": refuted", ": confirmed"))
    ended = complete.snakemake(targets=("verify",))
    assert ended.returncode != 0
    assert "claim pdp-adp-delta: refuted, expected confirmed" in ended.stdout


def test_the_gallery_refuses_another_configuration(complete: Project) -> None:
    ended = complete.snakemake(targets=("gallery",))
    assert ended.returncode != 0
    assert "the gallery shows the paper's design" in ended.stdout
    assert not (complete.folder / "docs").exists()
