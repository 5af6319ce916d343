"""The commit of the project, and its files at a commit."""

import os
import subprocess

import pytest

from ggexp.run.project import commit, committed, export, keep_private


def git(folder, *arguments):
    name = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org"]
    command = ["git", "-C", str(folder), *name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_commit_its_files_and_those_that_differ(tmp_path, monkeypatch):
    script = tmp_path / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    (tmp_path / ".gitignore").write_text("results/\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
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


@pytest.mark.parametrize(("mode", "expected"), [(0o755, (0o700, 0o600)), (0o775, (0o770, 0o660))])
def test_results_of_own_tables_are_private_unless_a_group_shares_their_folder(
    mode, expected, tmp_path
):
    """Without the call, everybody may read them."""
    before = os.umask(0o022)
    try:
        (tmp_path / "results").mkdir()
        (tmp_path / "results").chmod(mode)
        for name, modes in (("paper", (0o755, 0o644)), ("own", expected)):
            folder = tmp_path / "results" / name
            if name == "own":
                keep_private(folder)
            folder.mkdir()
            (folder / "counts.csv").write_text("n\n3\n")
            paths = (folder, folder / "counts.csv")
            assert tuple(path.stat().st_mode & 0o777 for path in paths) == modes
    finally:
        os.umask(before)
