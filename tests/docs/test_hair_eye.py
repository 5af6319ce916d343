"""The table examples/hair-eye.csv in docs/command.md and in the notebook.

The run prints what the page shows. The notebook reproduces its saved output, and has the same
numbers as the run.
"""

import base64
import re
import sys
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, Project
from executed import executed, stored
from matplotlib.image import imread

import ggexp
from ggexp.experiment.card import CONFIDENCE
from ggexp.run.files import read_csv
from ggexp.run.storage import read_parquet
from ggexp.words import rounded

pytestmark = pytest.mark.slow

COMMAND = "ggexp run examples/hair-eye.csv"


def outputs_of(cell):
    return [
        dict(output.get("data") or {output.get("name"): output.get("text")})
        for output in cell.outputs
    ]


@pytest.fixture(scope="module")
def notebook_and_errors(tmp_path_factory):
    file = tmp_path_factory.mktemp("kernel") / "errors"
    notebook = executed(f"errors.to_parquet({str(file)!r})")
    del notebook.cells[-1]
    return notebook, pd.read_parquet(file)


def test_the_saved_output_is_reproduced(notebook_and_errors):
    code_cells = (
        [cell for cell in notebook.cells if cell.cell_type == "code"]
        for notebook in (notebook_and_errors[0], stored())
    )
    for new, old in zip(*code_cells, strict=True):
        for current, saved in zip(outputs_of(new), outputs_of(old), strict=True):
            pictures = [
                imread(BytesIO(base64.b64decode(formats.pop("image/png"))))
                for formats in (current, saved)
                if "image/png" in formats
            ]
            assert current == saved, old.source
            if pictures:
                # the colour at the edge of a line may differ slightly between processors
                np.testing.assert_allclose(*pictures, atol=0.02, err_msg=old.source)


def test_the_notebook_and_the_readme_choose_the_epsilon_of_a_run_s_card():
    needed = ggexp.epsilon_for_error(cells=32, count_error=5, confidence=CONFIDENCE)
    chosen = rounded(needed.epsilon, 2)  # as in `card`
    cells = {cell["id"]: cell.source for cell in stored().cells}
    assert re.findall(r"epsilon=([\d.]+)", cells["private-release"]) == [str(chosen)]
    assert "count_error=5" in cells["needed"]
    assert f"--epsilon {chosen}\n" in (ROOT / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def hair_eye(tmp_path_factory):
    """The results of the documented command, and its output."""
    project = Project(tmp_path_factory.mktemp("hair-eye"))
    completed = project.command(sys.executable, "-m", *COMMAND.split())
    assert completed.returncode == 0, completed.stdout
    return project.folder / "results/hair-eye", completed.stdout


def test_the_run_prints_what_the_page_shows(hair_eye):
    page = (ROOT / "docs/command.md").read_text("utf-8")
    (shown,) = re.findall(rf"```sh\n{COMMAND}\n```\n\n```text\n(.*?)```", page, re.DOTALL)
    start, _, end = shown.partition("…\n")
    assert start in hair_eye[1]
    assert hair_eye[1].endswith(end)


def test_its_numbers_are_those_of_the_workflow(notebook_and_errors, hair_eye):
    errors, results = notebook_and_errors[1], hair_eye[0]
    repeats = read_parquet(results / "repeats/hair-eye.parquet")
    key = ["mechanism", "epsilon", "repeat"]
    assert len(repeats) == errors["mechanism"].nunique() * 6 * 100 == 3600
    pd.testing.assert_frame_equal(
        errors.sort_values(key, ignore_index=True),
        repeats.sort_values(key, ignore_index=True),
        check_exact=True,
        check_dtype=False,
    )
    recommended = ggexp.recommend(errors)
    pd.testing.assert_frame_equal(
        recommended[recommended["metric"] != "kl_reverse"].reset_index(drop=True),
        read_csv(results / "recommendation.csv").drop(columns="advantage"),
        check_dtype=False,
        rtol=1e-9,  # the file has ten digits
    )
