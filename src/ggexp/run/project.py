"""The project's own files, and its commit."""

import subprocess
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parents[1]
_BUNDLED = _PACKAGE / "project"
#: The folder with Snakefile, workflow/, profiles/, config/, data/ and reference/: in a clone its
#: root, and otherwise the copy of these files that the wheel contains.
ROOT = (_BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parents[1]).resolve()


def designs() -> list[str]:
    """Return the names of the designs other than the paper's: the configurations in config/."""
    return sorted({path.stem for path in ROOT.glob("config/*.yaml")} - {"config"})


def paper_design() -> dict[str, Any]:
    """Return the settings of the paper's design, as its file has them."""
    return dict(read_settings(ROOT / "config/config.yaml"))


def read_settings(path: Path) -> Any:
    """Return the content of a file in YAML, which is not checked."""
    import yaml  # not needed by all commands

    try:
        return yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(f"{path}: not YAML ({error})") from error


def name_of(path: Path) -> str:
    """Return the path of a file within the project or the working directory, if it is there.

    Results contain this name, so that their bytes do not depend on where the project is installed.
    """
    whole = path.resolve()
    for folder in (ROOT, Path.cwd()):
        if whole.is_relative_to(folder):
            return whole.relative_to(folder).as_posix()
    return path.as_posix()


def check_library(project: Path) -> None:
    """Raise ValueError if a project in a folder runs with the library of another project."""
    if project.is_dir() and not project.samefile(ROOT):
        raise ValueError(
            f"this is the workflow of {project}, but Python imports the library of {ROOT}. Run it "
            f"in its own environment: `make` installs it into {project / '.venv'}. A link to "
            "another environment does not serve."
        )


def requirement() -> str:
    """Return what pip installs to get this library: the folder of a clone, or a version."""
    if not _BUNDLED.is_dir():
        return str(ROOT)
    from importlib.metadata import version

    return f"ggexp=={version('ggexp')}"


def check_pinned(ref: str) -> None:
    """Raise ValueError if a Snakefile with this tag, branch or commit is not the installed one."""
    if current := commit():
        try:
            pinned = _git("rev-parse", f"{ref}^{{commit}}").decode().strip()
        except subprocess.CalledProcessError:
            pinned = ""
        is_installed, installed = pinned == current.removesuffix("+"), f"commit {current} in {ROOT}"
    else:
        from importlib.metadata import version

        number = version("ggexp")
        is_installed, installed = ref in {number, f"v{number}"}, f"ggexp {number}"
    if not is_installed:
        raise ValueError(
            f"the module's Snakefile is pinned to {ref}, but its rules are those of the installed "
            f"package, {installed}. Install the package of {ref}, or pin the installed version"
        )


def commit() -> str | None:
    """Return the commit of the project, followed by "+" if files differ from it.

    None if the project's folder is not the top folder of a repository: a repository in a parent
    folder belongs to another project.
    """
    try:
        if _git("rev-parse", "--show-prefix").strip():
            return None
        described = _git("describe", "--always", "--abbrev=40", "--dirty=+", "--exclude=*")
    except (OSError, subprocess.CalledProcessError):
        return None
    return described.decode().strip()


def committed() -> str:
    """Return the commit of the project; raise ValueError if its files differ from it."""
    current = commit()
    if current is None:
        raise ValueError(
            "this folder is not a git repository, but an archive contains the code of a commit. "
            "Run `make archive` in a clone, or pack this folder as it is."
        )
    if changed := _git("status", "--porcelain").decode().splitlines():
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
