"""The commit of the folder in which a run takes place, and its files."""

import subprocess
from pathlib import Path

import pytest
from ggexp.run.repository import commit, committed, export


def git(folder: Path, *arguments: str) -> str:
    name = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"]
    command = ["git", "-C", str(folder), *name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / ".gitignore").write_text("results/\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    monkeypatch.setattr("ggexp.run.repository.ROOT", tmp_path)
    return tmp_path


def test_the_commit_says_whether_files_differ(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    assert commit() == committed() == head
    (repository / "run.sh").write_text("#!/bin/sh\ntrue\n")
    (repository / "new.py").write_text("")
    assert commit() == f"{head}+"
    with pytest.raises(ValueError, match=r" M run\.sh\n.*\?\? new\.py") as error:
        committed()
    assert "results" not in str(error.value)


def test_a_folder_within_another_repository_has_no_commit(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "results").mkdir()
    monkeypatch.setattr("ggexp.run.repository.ROOT", repository / "results")
    assert commit() is None
    with pytest.raises(ValueError, match="not a git repository"):
        committed()


def test_without_git_there_is_no_commit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert commit() is None


def test_export_writes_the_commits_files_with_modes_and_time(
    repository: Path, tmp_path: Path
) -> None:
    head = git(repository, "rev-parse", "HEAD")
    (repository / "run.sh").write_text("changed since")
    folder = tmp_path / "results/exported"
    folder.mkdir(parents=True)
    export(head, folder)
    script = folder / "run.sh"
    assert {path.name for path in folder.iterdir()} == {"run.sh", ".gitignore"}
    assert script.read_text() == "#!/bin/sh\n"
    assert script.stat().st_mode & 0o100
    assert script.stat().st_mtime == int(git(repository, "log", "-1", "--format=%ct"))
