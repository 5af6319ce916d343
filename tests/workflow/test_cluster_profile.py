"""Resources that the rules request from a cluster, and the profile for it, without a run."""

from contextlib import chdir

import pandas as pd
import pytest
import yaml
from conftest import ROOT
from snakemake.api import SnakemakeApi
from snakemake.iocontainers import InputFiles, Wildcards
from snakemake.settings.types import OutputSettings, ResourceSettings

from ggexp.experiment.workload import TrainingSize

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def remote():
    """Rule name -> rule, for rules whose jobs are submitted to a cluster."""
    with chdir(ROOT), SnakemakeApi(OutputSettings(dryrun=True)) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(), snakefile=ROOT / "Snakefile", workdir=ROOT
        )._workflow
        # rules without a command are only targets
        rules = {rule.name: rule for rule in workflow.rules if not rule.norun}
        yield {name: rule for name, rule in rules.items() if name not in workflow._localrules}


@pytest.fixture
def data(tmp_path):
    counts = pd.DataFrame({"income": ["<=50K"] * 300 + [">50K"] * 200, "count": 1})
    files = {"histogram": tmp_path / "histogram.parquet", "test": tmp_path / "test.parquet"}
    for path, rows in zip(files.values(), (500, 100), strict=True):
        counts[:rows].to_parquet(path)
    return InputFiles(fromdict={name: str(path) for name, path in files.items()})


def test_second_attempts_request_twice_as_much(remote, data):
    requests, adult = 0, Wildcards(fromdict={"dataset": "adult"})
    for name, rule in remote.items():
        if "factorial" in rule.wildcard_names:  # the paper's design has no factorials
            continue
        for resource in {"mem_mb", "runtime"} & rule.resources.keys():
            request = rule.resources[resource]
            first, second = (
                request.evaluate(adult, attempt=attempt, input=data, threads=1).value
                for attempt in (1, 2)
            )
            assert second == 2 * first > 0, (name, resource)
            requests += 1
    assert requests >= 10
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text("utf-8"))
    for resource in ("mem_mb", "runtime"):  # defaults for the other rules
        assert profile["default-resources"][resource].endswith(" * attempt")
    assert set(profile["groups"]) == {"make_records"}
    assert set(profile["groups"]) <= set(remote)
    assert set(profile["groups"].values()) == set(profile["group-components"])


def test_training_memory_depends_on_cells_and_test_records(remote, data):
    adult = Wildcards(fromdict={"dataset": "adult"})
    requested = {
        remote[name].resources["mem_mb"].evaluate(adult, attempt=1, input=data, threads=1).value
        for name in ("prepare_classifiers", "measure_accuracy", "tabulate_baselines")
    }
    assert requested == {TrainingSize([300, 200], 100, 500).megabytes()}
