"""The target `releases`: its file has the scored releases; unlisted cells are refused."""

import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import Project
from described_files import FILES, check_files

from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.run.storage import read_counts, read_parquet

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(every_kind: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, str]:
    """A run of the target, with a data set whose cells are listed and one with unlisted cells."""
    project = every_kind.copy(tmp_path_factory.mktemp("releases"))
    project.configure(datasets=["mildew", "hidden"])
    return project, project.refused("--keep-going", targets=("releases",))


def test_the_releases_are_those_of_the_run_and_are_described(run: tuple[Project, str]) -> None:
    results = run[0].folder / "results"
    released = read_parquet(results / "releases/mildew.parquet")
    scored = read_parquet(results / "repeats/mildew.parquet")
    keys = ["dataset", "mechanism", "epsilon", "delta", "repeat"]
    pd.testing.assert_frame_equal(released[keys], scored[keys])

    original = read_counts(results / "histograms/mildew.parquet")
    assert [l1(original, counts) for counts in released["counts"]] == list(scored["l1"])
    divergences = [kl_dirichlet(original, counts) for counts in released["counts"]]
    assert [forward for forward, _ in divergences] == list(scored["kl"])
    assert [backward for _, backward in divergences] == list(scored["kl_reverse"])
    (file,) = [file for file in FILES if file.target == "releases"]
    check_files(run[0], file)
    project, printed = run
    assert "the releases of hidden" in printed
    assert not (project.folder / "results/releases/hidden.parquet").exists()


@pytest.mark.parametrize("name", ["", "moths"])
def test_make_names_the_data_sets(project: Project, name: str) -> None:
    """Without a name, make passes an unknown one, so that Snakemake lists the known names."""
    installed = ["INSTALLED=", f"BIN={Path(sys.executable).parent}"]
    printed = project.command("make", "--dry-run", "releases", f"DATASET={name}", *installed).stdout
    assert printed.rstrip().endswith(f"releases --datasets {name or 'DATASET'}")
