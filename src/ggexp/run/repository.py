"""The git repository of the project: its commit, and its files at that commit."""

import subprocess
from pathlib import Path

from ggexp.run.project import ROOT


def commit() -> str | None:
    """Return the commit of the project, followed by "+" if files differ from it.

    None if the project's folder is not the top folder of a repository, because a repository in a
    parent folder belongs to another project.
    """
    try:
        if _git("rev-parse", "--show-prefix").strip():
            return None
        described = _git("describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return None
    return described.decode().strip()


def committed() -> str:
    """Return the commit of the project, whose files must not differ from it.

    Raises ValueError if there is no repository, if files differ from the commit, or if files are
    neither committed nor ignored; the message names the files.
    """
    current = commit()
    if current is None:
        raise ValueError(
            "this folder is not a git repository, but an archive contains the code of a commit. "
            "Run `make archive` in a clone, or pack this folder as it is."
        )
    changed = _git("status", "--porcelain").decode().splitlines()
    if changed:
        raise ValueError(
            "an archive contains the code of a commit, but these files differ from the commit or "
            "are not in it; commit or remove them:\n  " + "\n  ".join(changed)
        )
    return current


def export(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder, with their modes and the time of the commit."""
    subprocess.run(["tar", "-x", "-C", folder], input=_git("archive", commit), check=True)


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout
