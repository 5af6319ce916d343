"""config/equal-privacy.yaml: all mechanisms satisfy exactly the same guarantee at each (ε, δ)."""

from copy import deepcopy

import pytest
import yaml
from conftest import PAPER, ROOT
from snakemake.utils import update_config

from ggexp.experiment import configuration
from ggexp.experiment.design import grid

#: Mechanisms of approximate DP with continuous and integer-valued noise, and of others.
CONTINUOUS = ["gg-1", "gg-2", "gg-3", "gg-best", "truncated-laplace"]
INTEGER_VALUED = ["discrete-1", "discrete-2", "discrete-3", "optimal"]
OTHERS = ["laplace", "geometric", "pdp-discrete-2"]


@pytest.fixture(scope="module")
def config():
    """The configuration as snakemake reads it, on top of the paper's."""
    merged = deepcopy(PAPER)
    update_config(merged, yaml.safe_load((ROOT / "config/equal-privacy.yaml").read_text("utf-8")))
    return configuration.check(merged)


@pytest.fixture(scope="module")
def design(config):
    return grid(config)


def test_only_the_mechanisms_differ_from_the_papers_design(config, design):
    for key in ("seed", "repeats", "epsilon", "delta", "neighbours", "kl", "datasets"):
        assert config.written()[key] == PAPER[key]
    assert config.results_dir == "results/equal-privacy"
    for dataset, points in design.items():
        assert config.data[dataset].mechanisms == OTHERS + CONTINUOUS + INTEGER_VALUED
        assert len(points) == 2 * 3 + 10 * 12
        assert "releases" not in config.data[dataset].numbers
    assert config.data["adult"].classifier.repeats == 100
