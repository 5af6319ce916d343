"""The report, clicked through as a reader does, and the target that verifies a run."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from browser import Report, in_a_browser, opened
from conftest import ROOT, Project

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
    "Claims / The claims of the paper": "with the verdict of this run",
    "Run / What the run was made of": "code, data, versions of packages",
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


def test_pages_hold_their_tables(complete: Project) -> None:
    pages = complete.folder / "results/pages"
    claims = (pages / "claims.html").read_text("utf-8")
    assert '<td>lemma-11</td><td class="long">For δ below 2Φ(-√2)' in claims
    assert '<td class="refuted">refuted</td>' in claims
    assert '<td class="number">4</td>' in (pages / "summary.html").read_text("utf-8")
    versions = (pages / "versions.html").read_text("utf-8")
    assert "<td>snakemake</td><td>9." in versions
    assert "<td>people.csv (sha256)</td>" in versions


def test_verify(complete: Project) -> None:
    """A run agrees with its own manifest; one with another seed does not, and is told where."""
    claims = complete.folder / "reference/claims.yaml"
    some = re.split(r"(?=^- id: )", claims.read_text("utf-8"), flags=re.MULTILINE)
    claims.write_text("".join(part for part in some if "- id: redrawing" in part), "utf-8")
    complete.run(targets=("all",))
    manifest = complete.folder / "results/manifest.json"
    shutil.copy(manifest, complete.folder / "reference/manifest.json")
    assert "files of results and 1 verdicts agree" in complete.run(targets=("verify",))

    changed = json.loads(manifest.read_text("utf-8"))
    changed["outputs"]["summary.csv"]["mean"] += 1e-6
    changed["packages"]["numpy"] = "1.0"
    (complete.folder / "reference/manifest.json").write_text(json.dumps(changed), "utf-8")
    ended = complete.snakemake(targets=("verify",))
    assert ended.returncode != 0
    assert "outputs: summary.csv differs in mean" in ended.stdout
    assert "packages: numpy is" in ended.stdout
    assert "Traceback" not in ended.stdout

    shutil.copy(manifest, complete.folder / "reference/manifest.json")
    complete.edit("reference/claims.yaml", lambda text: text.replace(": refuted", ": confirmed"))
    ended = complete.snakemake(targets=("verify",))
    assert ended.returncode != 0
    assert "claim redrawing: refuted, expected confirmed" in ended.stdout


def test_the_gallery_refuses_another_configuration(complete: Project) -> None:
    ended = complete.snakemake(targets=("gallery",))
    assert ended.returncode != 0
    assert "the gallery shows the paper's design" in ended.stdout
    assert not (complete.folder / "docs").exists()
