"""The commit of the project, and its files at a commit."""

from pathlib import Path

import pytest
from conftest import commit_all, git, save

from ggexp.run.project import ROOT, commit, committed, export, name_of


def test_the_commit_its_files_and_those_that_differ(tmp_path, monkeypatch):
    script = save(tmp_path / "run.sh", "#!/bin/sh\n")
    script.chmod(0o755)
    (tmp_path / ".gitignore").write_text("results/\n")
    commit_all(tmp_path)
    monkeypatch.setattr("ggexp.run.project.ROOT", tmp_path)
    head = git(tmp_path, "rev-parse", "HEAD")
    assert commit() == committed() == head

    script.write_text("#!/bin/sh\ntrue\n")
    (tmp_path / "new.py").write_text("")
    assert commit() == f"{head}+"
    with pytest.raises(ValueError, match=r" M run\.sh\n.*\?\? new\.py"):
        committed()

    folder = tmp_path / "results/exported"
    folder.mkdir(parents=True)
    export(head, folder)
    exported = folder / "run.sh"
    assert {path.name for path in folder.iterdir()} == {"run.sh", ".gitignore"}
    assert exported.read_text() == "#!/bin/sh\n"
    assert exported.stat().st_mode & 0o100
    assert exported.stat().st_mtime == int(git(tmp_path, "log", "-1", "--format=%ct"))

    # a repository in a parent folder belongs to another project
    monkeypatch.setattr("ggexp.run.project.ROOT", tmp_path / "results")
    assert commit() is None
    with pytest.raises(ValueError, match="not a git repository"):
        committed()
    monkeypatch.setattr("ggexp.run.project.ROOT", tmp_path)
    monkeypatch.setenv("PATH", "")  # without git
    assert commit() is None


def test_the_name_of_a_file_depends_on_no_folder_around_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("/elsewhere/link.csv")
    for path, name in (
        (ROOT / "data/czech.csv", "data/czech.csv"),
        (tmp_path / "own/t.csv", "own/t.csv"),
        (Path("own/t.csv"), "own/t.csv"),
        (Path("link.csv"), "link.csv"),
        (Path("/elsewhere/t.csv"), "/elsewhere/t.csv"),
    ):
        assert name_of(path) == name
