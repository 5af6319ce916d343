"""The configuration of a CODECHECK, made from the reference manifest and CITATION.cff.

The numbers in comments are the rules of version 2.0 of the format, as in its register (CC-CFG-…).
"""

import json
from typing import Any

import pytest
import yaml
from conftest import ROOT

from ggexp.run.codecheck import codecheck

#: Keys that only the person who has done the check can add; rules 8 to 13, 24 and 25 require them.
CHECKER_KEYS = {"codechecker", "report", "certificate", "summary"}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    return json.loads((ROOT / "reference/manifest.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def written(manifest: dict[str, Any]) -> str:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    figures = {f"figures/figure_{number:02}.png" for number in range(1, 12)}  # not 12
    return codecheck(manifest, cited, "archived", manifest["outputs"].keys() | figures)


def test_it_is_a_document_of_version_2(written: str) -> None:
    assert written.startswith("---\n")  # 2
    document = yaml.safe_load(written)  # 1
    assert document["version"] == "https://codecheck.org.uk/spec/config/2.0/"  # 14, 15
    assert not CHECKER_KEYS & document.keys()
    assert not {"FIXME", "TODO"} & {*written.split()}  # 23


def test_the_paper(written: str) -> None:
    paper = yaml.safe_load(written)["paper"]  # 16
    assert paper == {
        "title": "Generalized Gaussian Mechanism for Differential Privacy",  # 17
        "authors": [{"name": "Fang Liu"}],  # 18, 19; not 20, an ORCID
        "reference": "https://doi.org/10.1109/TKDE.2018.2845388",  # 21, 22, 27, 28
    }


def test_the_files_are_figures_and_their_numbers_and_the_tables(
    written: str, manifest: dict[str, Any]
) -> None:
    listed = {item["file"]: item["comment"] for item in yaml.safe_load(written)["manifest"]}  # 4, 5
    assert all(listed.values())  # 7
    tables = {"scales.csv", "summary.csv", "baseline.csv"}
    numbers = {f"figures/figure_{number:02}.csv" for number in range(1, 13)}
    drawings = {f"figures/figure_{number:02}.png" for number in range(1, 12)}
    assert {*listed} == {f"archived/{name}" for name in tables | numbers | drawings}  # 6
    rows = manifest["outputs"]["figures/figure_07.csv"]["rows"]
    assert f"{rows} rows" in listed["archived/figures/figure_07.csv"]
    assert listed["archived/figures/figure_07.png"] == "Figure 7"
