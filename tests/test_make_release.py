"""A release: version and date agree in all files, and `make release` refuses unfinished work."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT, commit_all, git, ran
from packaging.version import Version

from ggexp.run.archive import paper_of


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture(scope="module")
def cited() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    return json.loads((ROOT / "codemeta.json").read_text("utf-8"))


def test_versions_and_dates_agree(project, cited, described):
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.search(r"^## (\d\S*) \((\S+)\)$", changes, re.MULTILINE)
    assert released
    version, date = released.groups()
    assert cited["version"] == described["version"] == version
    if "\n## Unreleased\n" in changes:  # the version of a commit between two releases
        assert Version(project["version"]).is_devrelease
        assert Version(project["version"]) > Version(version)
    else:
        assert project["version"] == version
    assert {str(cited["date-released"]), described["dateModified"]} == {date}


def test_descriptions_agree(project, cited, described):
    for name in ("name", "description", "keywords"):
        assert described[name] == project[name]
    assert cited["license"] == project["license"]
    assert described["license"] == f"https://spdx.org/licenses/{project['license']}"
    authors = [author["name"] for author in project["authors"]]
    assert [author["name"] for author in described["author"]] == authors
    assert [author["name"] for author in cited["authors"]] == authors
    preferred = cited["preferred-citation"]
    assert (preferred["title"], preferred["authors"]) == (cited["title"], cited["authors"])
    assert preferred["year"] == int(str(cited["date-released"])[:4])
    paper = described["referencePublication"]
    assert paper["@id"] == f"https://doi.org/{paper_of(cited)['doi']}"
    assert paper["name"] == paper_of(cited)["title"]


def test_actions_are_pinned_by_their_commit() -> None:
    text = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action) for action in used)


def release(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `make release` in a folder, with programs that fail instead of the environment."""
    command = ["make", "release", "INSTALLED=", "DEVELOPED=", "BIN=/nowhere"]
    return ran(*command, cwd=folder, check=False)


def test_a_release_with_uncommitted_files_or_without_a_date_is_refused(tmp_path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (tmp_path / "Makefile").write_text(makefile, "utf-8")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n", "utf-8")
    commit_all(tmp_path)
    (tmp_path / "notes.txt").write_text("not committed")
    refused = release(tmp_path)
    assert refused.returncode != 0
    assert "?? notes.txt" in refused.stderr
    assert "/nowhere" not in refused.stderr

    (tmp_path / "notes.txt").unlink()
    refused = release(tmp_path)
    assert refused.returncode != 0
    assert "Unreleased" in refused.stderr
    assert "/nowhere" not in refused.stderr

    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.0 (2026-01-01)\n", "utf-8")
    git(tmp_path, "commit", "--quiet", "--all", "--message", "The release")
    assert "/nowhere" in release(tmp_path).stderr  # the checks have started
