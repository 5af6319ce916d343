"""The notebook: it runs, shows what was saved with it, and has the workflow's numbers."""

import base64
import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import Project
from executed import NOTEBOOK, executed, stored
from matplotlib.image import imread
from nbformat import NotebookNode

import ggexp
from ggexp.run.columns import read_csv
from ggexp.run.storage import read_parquet

pytestmark = pytest.mark.slow


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: NotebookNode) -> list[dict[str, str]]:
    """What a cell shows: for each output its text, or texts, by format."""
    return [dict(out.get("data") or {out.get("name"): out.get("text")}) for out in cell.outputs]


def pixels(picture: str) -> np.ndarray:
    return imread(BytesIO(base64.b64decode(picture)))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where the kernel leaves the notebook's errors."""
    return tmp_path_factory.mktemp("kernel")


@pytest.fixture(scope="module")
def again(kept: Path) -> NotebookNode:
    """The notebook, executed now."""
    notebook = executed(f"errors.to_parquet({str(kept / 'errors')!r})")
    del notebook.cells[-1]
    return notebook


def test_it_shows_what_was_saved_with_it(again: NotebookNode) -> None:
    for new, old in zip(code_cells(again), code_cells(stored()), strict=True):
        for now, then in zip(shown(new), shown(old), strict=True):
            drawn = [formats.pop("image/png", None) for formats in (now, then)]
            assert now == then, old.source
            if any(drawn):
                # a processor may colour the edge of a line otherwise, in the last of 256 steps
                np.testing.assert_allclose(*map(pixels, drawn), atol=0.02, err_msg=old.source)


def test_it_was_saved_in_order_with_tables_and_pictures_alone() -> None:
    cells = code_cells(stored())
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    formats = {tuple(sorted(formats)) for cell in cells for formats in shown(cell)}
    assert formats == {("text/html", "text/plain"), ("image/png", "text/plain")}
    assert not any("execution" in cell.metadata for cell in cells)  # times, which always differ
    assert NOTEBOOK.stat().st_size < 400_000


def test_the_files_that_it_links_to_are_there() -> None:
    text = "\n".join(cell.source for cell in stored().cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)#]+)", text)
    assert links
    for link in links:
        assert (NOTEBOOK.parent / link).exists(), link


def test_its_numbers_are_those_of_the_workflow(
    again: NotebookNode, kept: Path, project: Project
) -> None:
    """At one of its six ε, by the configuration that `describe` proposes for the same file."""
    errors = pd.read_parquet(kept / "errors").query("epsilon == 0.5")
    project.describe("examples/hair-eye.csv", epsilon=[0.5])
    project.run(targets=("results/hair-eye/recommendation.csv",))
    results = project.folder / "results/hair-eye"
    repeats = pd.concat(map(read_parquet, results.glob("repeats/**/*.parquet")))
    key = ["mechanism", "repeat"]
    assert len(repeats) == errors["mechanism"].nunique() * 100 == 600
    pd.testing.assert_frame_equal(
        errors.sort_values(key, ignore_index=True),
        repeats.sort_values(key, ignore_index=True),
        check_exact=True,
        check_dtype=False,
    )
    pd.testing.assert_frame_equal(
        ggexp.recommend(errors),  # which mechanism to take depends on all ε of a run
        read_csv(results / "recommendation.csv").drop(columns="advantage"),
        check_dtype=False,
        rtol=1e-9,  # it has ten digits
    )
