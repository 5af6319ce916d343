"""Where the project's own files are: the workflow and its profiles, designs, data and claims."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_BUNDLED = _PACKAGE / "project"
#: The folder with Snakefile, workflow/, profiles/, config/, data/ and reference/: in a clone its
#: root, and otherwise the copy of these files that the wheel contains.
ROOT = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parents[1]
