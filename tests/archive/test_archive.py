"""The archive of a run: it satisfies its profiles, is readable, and is sufficient for a rerun."""

import hashlib
import json
import re
import shlex
import shutil
import sys
import tomllib
import zipfile
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import pytest
from conftest import ROOT, Project, git, ran

pytestmark = pytest.mark.slow

VALIDATOR = Path(sys.prefix, "validator/bin/python")
#: Recommendations of the profiles that the archives do not follow: check -> reason.
UNMET = {
    "process-run-crate-0.5_3.2": "packages have no address; the lock file identifies them",
    "process-run-crate-0.5_5.1": "package URLs (pkg:pypi/…) are absolute, but the check wants http",
    "process-run-crate-0.5_8.6": "the person who started the run is not recorded",
    "ro-crate-1.1_22.3": "the publisher of an archive is not known when it is made",
    "ro-crate-1.1_30.2": "the affiliation of the paper's author is not given",
    "ro-crate-1.1_30.3": "the same",
    "ro-crate-1.1_31.2": "the developers have no page",
    "workflow-ro-crate-1.0_8.1": "the workflow's parameters are in its configuration, undescribed",
}
PROJECT_FILES = (
    *("README.md", "LICENSE", "CITATION.cff", "codemeta.json", "pyproject.toml", "CHANGELOG.md"),
    *("requirements.lock", "cluster.lock"),
)


@pytest.fixture(scope="module")
def archived(small_run, tmp_path_factory):
    """A finished run with an archive, in a repository without one of its data files."""
    project = small_run.copy(tmp_path_factory.mktemp("archive"))
    for name in (*PROJECT_FILES, "results/README.md", ".gitignore"):
        shutil.copy(ROOT / name, project.folder / name)
    # as before a release
    project.edit("CHANGELOG.md", lambda text: text.replace("## Unreleased", "## 1.0 (2026-01-01)"))
    # the manifest is written again, because it names the commit
    for name in ("printed.txt", "results/manifest.json"):
        (project.folder / name).unlink()
    # only one claim, for which a run with few repeats has the same verdict as a full run
    claims = project.folder / "reference/claims.yaml"
    entries = re.split(r"(?=^- id: )", claims.read_text("utf-8"), flags=re.MULTILINE)
    (entry,) = (entry for entry in entries if entry.startswith("- id: mildew-records\n"))
    claims.write_text(entry, "utf-8")
    git(project.folder, "init", "--quiet")
    (project.folder / ".git/info/exclude").write_text("people.csv\n")
    git(project.folder, "add", ".")
    git(project.folder, "commit", "--quiet", "--message", "The design")
    project.run()
    shutil.copy(project.folder / "results/manifest.json", project.folder / "reference")
    git(project.folder, "commit", "--quiet", "--all", "--message", "The reference")
    assert "archived: results/ggexp-" in project.run(targets=("archive",))
    return project


def zipped(project, end=""):
    commit = git(project.folder, "rev-parse", "HEAD")
    (archive,) = project.folder.glob(f"results/ggexp-*-{commit[:7]}{end}.zip")
    return archive


@pytest.fixture(scope="module")
def unpacked(archived, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(zipped(archived)) as file:
        file.extractall(folder)
    return folder


def entities(folder):
    described = json.loads((folder / "ro-crate-metadata.json").read_text("utf-8"))
    return {entity["@id"]: entity for entity in described["@graph"]}


def validate(folder):
    """Return the findings of the validator of the profiles: severity, check, message."""
    if not VALIDATOR.exists():
        pytest.skip("make .venv/validator/.installed installs the validator")
    printed = ran(VALIDATOR, ROOT / "tests/archive/validate.py", folder).stdout
    return {tuple(finding) for finding in json.loads(printed)}


def test_it_satisfies_its_profiles(unpacked, tmp_path):
    findings = validate(unpacked)
    assert {finding for finding in findings if finding[0] == "REQUIRED"} == set()
    assert {check for _, check, _ in findings} == UNMET.keys()

    # the validator reports missing properties, although it has no network
    described = json.loads((unpacked / "ro-crate-metadata.json").read_text("utf-8"))
    for entity in described["@graph"]:
        entity.pop("instrument", None)
    shutil.copytree(unpacked, tmp_path / "without", ignore=shutil.ignore_patterns("src", "docs"))
    (tmp_path / "without/ro-crate-metadata.json").write_text(json.dumps(described))
    found = validate(tmp_path / "without")
    assert any("instrument" in text for severity, _, text in found if severity == "REQUIRED")


def test_every_file_of_the_run_is_described_as_it_is(archived, unpacked):
    described = entities(unpacked)
    files = {
        unquote(name): entity
        for name, entity in described.items()
        if "File" in entity["@type"] and not name.startswith(("http", "#"))
    }
    for name, entity in files.items():
        content = (unpacked / name).read_bytes()
        assert entity["contentSize"] == str(len(content)), name
        assert entity["sha256"] == hashlib.sha256(content).hexdigest(), name
    results = {reference["@id"] for reference in described["#run"]["result"]}
    inside = {
        path.relative_to(unpacked).as_posix()
        for path in (unpacked / "archived").rglob("*")
        if path.is_file() and path.relative_to(unpacked).parts[1] not in ("logs", "benchmarks")
    }
    assert inside == results | {"archived/configuration.yaml"}
    # all results, except the arrays that classifiers share and the copies of the records
    names = (name for name in archived.outputs() if not name.endswith((".npy", ".zip")))
    outputs = {f"archived/{name}" for name in names}
    records = {f"archived/histograms/people{end}.parquet" for end in ("", "_test")}
    assert outputs - results - {"archived/README.md"} == records
    assert {"archived/figures/figure_07.csv", "archived/repeats/mildew.parquet"} <= results
    manifest = json.loads((unpacked / "archived/manifest.json").read_text("utf-8"))
    assert described["#people.csv"]["sha256"] == manifest["data"]["people.csv"]
    sources = [described[work["@id"]]["name"] for work in described["data/mildew.csv"]["citation"]]
    assert "Linkage analysis using loglinear models" in sources
    written = (archived.folder / "results/manifest.json").stat().st_mtime
    ended = datetime.fromisoformat(described["#run"]["endTime"]).timestamp()
    assert 0 <= written - ended < 1


def test_its_description_names_missing_files_and_the_commit_of_the_results(archived, unpacked):
    description = entities(unpacked)["./"]["description"]
    assert re.search(r"\bnot\b.* people\.csv, results/histograms/people\.parquet", description)
    before, after = (git(archived.folder, "rev-parse", name) for name in ("HEAD~", "HEAD"))
    assert re.search(f"commit {before}.* code .*{after}", description)
    assert not (unpacked / "people.csv").exists()


def test_it_contains_wheels_on_request(archived):
    assert "`make wheelhouse`" in archived.refused(targets=("archive_with_wheels",))

    wheels = {"wheels-linux-x86_64-cp311/a.whl": "one", "wheels-macosx-cp313/a.whl": "other"}
    for name, content in wheels.items():
        (archived.folder / name).parent.mkdir()
        (archived.folder / name).write_text(content)
    archived.run(targets=("archive_with_wheels",))
    with zipfile.ZipFile(zipped(archived, "-with-wheels")) as file:
        assert {name: file.read(name).decode() for name in wheels} == wheels
    before = zipped(archived).read_bytes()
    assert "archived: results/ggexp-" in archived.run(targets=("archive",))
    assert zipped(archived).read_bytes() == before  # a second archive is the same
    with zipfile.ZipFile(zipped(archived)) as file:
        assert not wheels.keys() & {*file.namelist()}


def test_a_release_is_built_from_a_commit(archived):
    ended = archived.command(
        *["make", "release", "INSTALLED=", "DEVELOPED=", f"BIN={Path(sys.executable).parent}"],
        *["CORES=2", "CHECKS=", f"SNAKEMAKE={sys.executable} -m snakemake --configfile small.yaml"],
        f"REPRODUCE={sys.executable} -m snakemake --cores 2 --configfile small.yaml",
    )
    assert ended.returncode == 0, ended.stdout
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    built = {path.name: path.read_bytes() for path in (archived.folder / "dist").iterdir()}
    names = {f"ggexp-{version}-py3-none-any.whl", f"ggexp-{version}.tar.gz", zipped(archived).name}
    assert built.keys() == names
    for name, content in built.items():
        assert f"{hashlib.sha256(content).hexdigest()}  {name}" in ended.stdout
    assert built[zipped(archived).name] == zipped(archived).read_bytes()

    assert git(archived.folder, "tag") == ""
    (tag,) = re.findall(r"^ +git (tag .*)$", ended.stdout, re.MULTILINE)
    git(archived.folder, *shlex.split(tag))
    assert git(archived.folder, "describe", "--exact-match") == f"v{version}"


def test_it_runs_again_from_the_zip_alone(archived, unpacked, tmp_path):
    again = Project.at(shutil.copytree(unpacked, tmp_path / "again"))
    shutil.copy(archived.folder / "people.csv", again.folder)  # in place of a download
    shutil.copy(again.folder / "archived/configuration.yaml", again.folder / "small.yaml")
    assert re.search(r"verified: \d+ files", again.run(targets=("verify",)))
    results = again.outputs("*.csv")
    assert len(results) > 5
    for name, content in results.items():
        assert (again.folder / "archived" / name).read_bytes() == content, name
    assert json.loads((again.folder / "results/manifest.json").read_text("utf-8"))["commit"] is None


def test_other_code_and_uncommitted_files_are_refused(archived):
    manifest = archived.folder / "results/manifest.json"
    before = manifest.read_text("utf-8")
    fingerprint = json.loads(before)["code"]["summarize.py"]
    manifest.write_text(before.replace(fingerprint, "0" * len(fingerprint)), "utf-8")
    (archived.folder / "results/.manifest.json.checksum").unlink()  # as after a copy
    printed = archived.refused(targets=("archive",))
    manifest.write_text(before, "utf-8")
    assert "manifest.json has the fingerprints of other code" in printed

    (archived.folder / "notes.txt").write_text("not committed")
    printed = archived.refused(targets=("archive",))
    (archived.folder / "notes.txt").unlink()
    assert "?? notes.txt" in printed
