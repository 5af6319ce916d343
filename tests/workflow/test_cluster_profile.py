"""What the rules ask of a cluster, and the profile for it: read, not run."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from conftest import ROOT
from snakemake.api import SnakemakeApi
from snakemake.settings.types import OutputSettings, ResourceSettings

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


def test_every_job_asks_for_twice_as_much_when_tried_again(remote: dict[str, Any]) -> None:
    asking = 0
    for name, rule in remote.items():
        for resource in {"mem_mb", "runtime"} & rule.resources.keys():
            asked = rule.resources[resource]
            first, again = (asked.evaluate(None, attempt=attempt).value for attempt in (1, 2))
            assert again == 2 * first > 0, (name, resource)
            asking += 1
    assert asking >= 10
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text("utf-8"))
    for resource in ("mem_mb", "runtime"):  # of all others
        assert profile["default-resources"][resource].endswith(" * attempt")


def test_the_profile_groups_the_jobs_of_each_point(remote: dict[str, Any]) -> None:
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text("utf-8"))
    assert set(profile["groups"]) == {"measure_releases", "make_records"}
    assert set(profile["groups"]) <= set(remote)
    assert set(profile["groups"].values()) == set(profile["group-components"])
