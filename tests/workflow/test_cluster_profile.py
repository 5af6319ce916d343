"""What the rules ask of a cluster, and the profile for it: read, not run."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from conftest import ROOT
from snakemake.api import SnakemakeApi
from snakemake.iocontainers import InputFiles, Wildcards
from snakemake.settings.types import OutputSettings, ResourceSettings

from ggexp import workload

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def remote() -> Iterator[dict[str, Any]]:
    """Each rule whose jobs are no local ones, by name."""
    before = os.getcwd()
    with SnakemakeApi(OutputSettings(dryrun=True)) as api:
        read = api.workflow(
            resource_settings=ResourceSettings(), snakefile=ROOT / "Snakefile", workdir=ROOT
        )._workflow
        working = {rule.name: rule for rule in read.rules if not rule.norun}  # others are targets
        yield {name: rule for name, rule in working.items() if name not in read._localrules}
    os.chdir(before)


@pytest.fixture
def data(tmp_path: Path) -> InputFiles:
    """A histogram of two classes, and test records."""
    counts = pd.DataFrame({"income": ["<=50K"] * 300 + [">50K"] * 200, "count": 1})
    files = {"histogram": tmp_path / "histogram.parquet", "test": tmp_path / "test.parquet"}
    for path, rows in zip(files.values(), (500, 100), strict=True):
        counts[:rows].to_parquet(path)
    return InputFiles(fromdict={name: str(path) for name, path in files.items()})


def test_every_job_asks_for_twice_as_much_when_tried_again(
    remote: dict[str, Any], data: InputFiles
) -> None:
    asking, adult = 0, Wildcards(fromdict={"dataset": "adult"})
    for name, rule in remote.items():
        for resource in {"mem_mb", "runtime"} & rule.resources.keys():
            asked = rule.resources[resource]
            first, again = (
                asked.evaluate(adult, attempt=attempt, input=data, threads=1).value
                for attempt in (1, 2)
            )
            assert again == 2 * first > 0, (name, resource)
            asking += 1
    assert asking >= 10
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text("utf-8"))
    for resource in ("mem_mb", "runtime"):  # of all others
        assert profile["default-resources"][resource].endswith(" * attempt")


def test_memory_to_train_follows_from_cells_and_test_records(
    remote: dict[str, Any], data: InputFiles
) -> None:
    adult = Wildcards(fromdict={"dataset": "adult"})
    asked = {
        name: remote[name].resources["mem_mb"].evaluate(adult, attempt=1, input=data, threads=1)
        for name in ("prepare_classifiers", "measure_accuracy", "tabulate_baselines")
    }
    expected = workload.classification_megabytes([300, 200], 100, 500)
    assert {value.value for value in asked.values()} == {expected}


def test_the_profile_groups_the_jobs_of_each_point(remote: dict[str, Any]) -> None:
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text("utf-8"))
    assert set(profile["groups"]) == {"measure_releases", "make_records"}
    assert set(profile["groups"]) <= set(remote)
    assert set(profile["groups"].values()) == set(profile["group-components"])
