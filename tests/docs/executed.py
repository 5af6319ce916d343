"""docs/notebook.ipynb, run in a kernel of its own. As a program: saved with what it then shows."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOK = Path(__file__).parents[2] / "docs/notebook.ipynb"


def stored() -> NotebookNode:
    """The notebook as it was saved."""
    return nbformat.read(NOTEBOOK, as_version=4)


def executed(*last: str) -> NotebookNode:
    """The notebook with what its cells show now, and with these cells after them.

    It runs in its own folder, as in Jupyter. Raises CellExecutionError for a cell that fails.
    """
    notebook = stored()
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in last]
    client = NotebookClient(
        notebook,
        timeout=300,
        record_timing=False,  # else every saving is another file
        resources={"metadata": {"path": NOTEBOOK.parent}},
    )
    return client.execute()


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
