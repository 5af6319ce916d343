"""The git repository that a run takes place in: its commit, and its files at that commit."""

import subprocess
from pathlib import Path


def commit() -> str | None:
    """Return the commit of the working directory, with "+" where files differ from it.

    None where the working directory is not the top of a repository: a folder above it may be one of
    something else.
    """
    try:
        if _git("rev-parse", "--show-prefix").strip():
            return None
        described = _git("describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return None
    return described.decode().strip()


def committed() -> str:
    """Return the commit of the working directory, which must be what its files are.

    Raises ValueError where there is no repository, and naming the files that differ from the commit
    or are not in it, unless they are ignored.
    """
    here = commit()
    if here is None:
        raise ValueError(
            "this folder is not a git repository, but an archive holds the code of a commit. "
            "Run `make archive` in a clone, or pack this folder as it is."
        )
    changed = _git("status", "--porcelain").decode().splitlines()
    if changed:
        raise ValueError(
            "an archive holds the code of a commit, but these files differ from the commit or are "
            "not in it; commit or remove them:\n  " + "\n  ".join(changed)
        )
    return here


def export(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder, with their modes and the commit's time."""
    subprocess.run(["tar", "-x", "-C", folder], input=_git("archive", commit), check=True)


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], capture_output=True, check=True).stdout
