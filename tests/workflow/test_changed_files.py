"""A run is of the files that lie there, by their content, and of its own project's library."""

import json
import os
import re
import shutil
import sys

import pytest
from conftest import ran

from ggexp.run.storage import read_counts

pytestmark = pytest.mark.slow

HISTOGRAM = "results/histograms/mildew.parquet"


def test_data_count_by_their_content(small):
    """Neither an older time hides another content, nor does a new time count as a change.

    The manifest is written after an edit, as if somebody had edited the data during the run: it has
    the data that the jobs read.
    """
    table, manifest = small.folder / "data/mildew.csv", small.folder / "results/manifest.json"
    original, before = manifest.read_bytes(), read_counts(small.folder / HISTOGRAM)
    table.touch()
    assert not small.planned(targets=("results/manifest.json",))
    lines = table.read_text("utf-8").splitlines()
    assert (lines[4], lines[5]) == ("2,2,1,1,1,1,0", "1,1,2,1,1,1,3")
    lines[4:6] = "2,2,1,1,1,1,3", "1,1,2,1,1,1,0"
    table.write_text("\n".join([*lines, ""]), "utf-8")
    os.utime(table, (1_577_836_800, 1_577_836_800))  # 2020
    manifest.unlink()
    small.run("--allowed-rules", "write_index", targets=("results/manifest.json",))
    assert json.loads(manifest.read_bytes()) == json.loads(original)
    small.run(targets=(HISTOGRAM,))
    after = read_counts(small.folder / HISTOGRAM)
    assert after.tolist() == [*before[:3], before[4], before[3], *before[5:]]


def test_a_download_with_an_old_date_counts(project, adult_data):
    """It is older than the script that fetches it. The jobs that read it are planned."""
    project.configure(datasets=["adult"], histograms={})
    target = ("results/summary/errors/adult.csv",)
    rules = {"make_records_histogram", "measure_releases", "summarize_errors"}
    assert project.planned(targets=target).keys() == rules | {"fetch_file"}
    file = project.folder / "data/downloads/adult.data"
    file.parent.mkdir()
    shutil.copy(adult_data, file)
    os.utime(file, (0, 0))
    assert project.planned(targets=target).keys() == rules


def test_the_library_of_another_clone_is_refused(project, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(project.folder / "src", other / "src")
    command = [sys.executable, "-m", "snakemake", HISTOGRAM, "--cores", "1"]
    environment = project.environment | {"PYTHONPATH": str(other / "src")}
    ended = ran(*command, cwd=project.folder, env=environment, check=False)
    assert ended.returncode == 1
    assert f"{other}." in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (project.folder / "results").exists()


def test_bad_input_ends_a_run_with_one_message(project):
    """A bad configuration, before any job. Faster tests check all messages."""
    own = {"counts": "data/own/mine.csv", "factors": {"a": ["x", "y"]}, "total": 1}
    project.configure(datasets=["own"], histograms={"own": own | {"mechanisms": ["laplace"]}})
    assert re.search("histograms.own.counts: .*'data/own/mine.csv'", project.refused())
    assert not (project.folder / "results").exists()
    project.edit("data/mildew.csv", lambda text: text.replace("2,1,1,1,1,1,0", "2,1,1,1,1,1,-1"))
    project.configure(datasets=["mildew"], histograms=project.histograms(), theory=False)
    assert re.search("data/mildew.csv, line 3: count .*negative.* got '-1'", project.refused())
    assert not [*(project.folder / "results").rglob("*.parquet")]
