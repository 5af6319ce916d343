"""Run docs/notebook.ipynb in a new kernel. As a program, save it with the new output."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

NOTEBOOK = Path(__file__).parents[2] / "docs/notebook.ipynb"


def stored() -> NotebookNode:
    return nbformat.read(NOTEBOOK, as_version=4)


def executed(*extra_cells: str) -> NotebookNode:
    """Return the notebook with new output, and with extra code cells at its end.

    It runs in its own folder, as in Jupyter. Raises CellExecutionError if a cell fails.
    """
    from nbclient import NotebookClient

    notebook = stored()
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in extra_cells]
    client = NotebookClient(
        notebook,
        timeout=300,
        record_timing=False,  # because times would change the file each time it is saved
        resources={"metadata": {"path": NOTEBOOK.parent}},
    )
    client.execute()
    for cell in notebook.cells:  # progress bars differ each time
        if "outputs" in cell:
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
