"""A release: version and date agree in all files, and `make release` refuses unfinished work."""

import json
import re
import shutil
import tomllib

import yaml
from conftest import ROOT, commit_all, git, ran, save
from packaging.version import Version

from ggexp.run.archive import paper_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
DESCRIBED = json.loads((ROOT / "codemeta.json").read_text("utf-8"))


def test_versions_and_dates_agree():
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.search(r"^## (\d\S*) \((\S+)\)$", changes, re.MULTILINE)
    assert released
    version, date = released.groups()
    assert CITED["version"] == DESCRIBED["version"] == version
    if "\n## Unreleased\n" in changes:  # the version of a commit between two releases
        assert Version(PROJECT["version"]).is_devrelease
        assert Version(PROJECT["version"]) > Version(version)
    else:
        assert PROJECT["version"] == version
    assert {str(CITED["date-released"]), DESCRIBED["dateModified"]} == {date}


def test_descriptions_agree():
    for name in ("name", "description", "keywords"):
        assert DESCRIBED[name] == PROJECT[name]
    assert CITED["license"] == PROJECT["license"]
    assert DESCRIBED["license"] == f"https://spdx.org/licenses/{PROJECT['license']}"
    authors = [author["name"] for author in PROJECT["authors"]]
    assert [author["name"] for author in DESCRIBED["author"]] == authors
    assert [author["name"] for author in CITED["authors"]] == authors
    preferred = CITED["preferred-citation"]
    assert (preferred["title"], preferred["authors"]) == (CITED["title"], CITED["authors"])
    assert preferred["year"] == int(str(CITED["date-released"])[:4])
    paper = DESCRIBED["referencePublication"]
    assert paper["@id"] == f"https://doi.org/{paper_of(CITED)['doi']}"
    assert paper["name"] == paper_of(CITED)["title"]


def test_actions_are_pinned_by_their_commit():
    text = (ROOT / ".github/workflows/tests.yml").read_text("utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action) for action in used)


def test_a_release_with_uncommitted_files_or_without_a_date_is_refused(tmp_path):
    """The programs of the environment are replaced by none, which the last message names."""

    def message():
        command = ["make", "release", "INSTALLED=", "DEVELOPED=", "BIN=/nowhere"]
        ended = ran(*command, cwd=tmp_path, check=False)
        assert ended.returncode != 0
        return ended.stderr

    shutil.copy(ROOT / "Makefile", tmp_path)
    changes = save(tmp_path / "CHANGELOG.md", "# Changelog\n\n## Unreleased\n")
    commit_all(tmp_path)
    notes = save(tmp_path / "notes.txt", "not committed")
    assert "?? notes.txt" in (first := message())
    notes.unlink()
    assert "Unreleased" in (second := message())
    assert "/nowhere" not in first + second
    save(changes, "# Changelog\n\n## 1.0 (2026-01-01)\n")
    git(tmp_path, "commit", "--quiet", "--all", "--message", "The release")
    assert "/nowhere" in message()  # the checks have started
