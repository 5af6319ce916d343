"""Where the project's own files are: the workflow and its profiles, designs, data and claims."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_BUNDLED = _PACKAGE / "project"
#: The folder with Snakefile, workflow/, profiles/, config/, data/ and reference/: in a clone its
#: root, and otherwise the copy of these files that the wheel contains.
ROOT = (_BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parents[1]).resolve()


def designs() -> list[str]:
    """Return the names of the designs other than the paper's: the configurations in config/."""
    return sorted({path.stem for path in ROOT.glob("config/*.yaml")} - {"config"})


def name_of(path: Path) -> str:
    """Return the path of a file of the project within the project, and any other path as it is."""
    whole = path.resolve()
    return (whole.relative_to(ROOT) if whole.is_relative_to(ROOT) else path).as_posix()


def check_library(project: Path) -> None:
    """Raise ValueError if a project runs with the library of another, such as another clone.

    project: the folder of the project whose workflow runs. A workflow that is not in a folder of
        this computer has no library of its own.
    """
    if project.is_dir() and not project.samefile(ROOT):
        raise ValueError(
            f"this is the workflow of {project}, but Python imports the library of {ROOT}. Run it "
            f"in its own environment: `make` installs it into {project / '.venv'}. A link to "
            "another environment does not serve."
        )
