"""config/equal-privacy.yaml: all mechanisms satisfy exactly the same guarantee at each (ε, δ)."""

from copy import deepcopy
from itertools import pairwise

import numpy as np
import pytest
import yaml
from conftest import PAPER, ROOT
from scipy.integrate import quad
from snakemake.utils import update_config

from ggexp import privacy_loss
from ggexp.experiment import configuration
from ggexp.experiment.design import Design

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
    return Design.from_config(config)


def test_only_the_mechanisms_differ_from_the_papers_design(config, design):
    for key in ("seed", "repeats", "epsilon", "delta", "neighbours", "kl", "datasets"):
        assert config.written()[key] == PAPER[key]
    assert config.results_dir == "results/equal-privacy"
    for dataset, points in design.points.items():
        assert config.data[dataset].mechanisms == OTHERS + CONTINUOUS + INTEGER_VALUED
        assert len(points) == 2 * 3 + 10 * 12
        assert "releases" not in config.data[dataset].numbers
    assert config.data["adult"].classifier.repeats == 100


def delta_of_truncated(scale, bound, epsilon):
    """Return ∫ max(0, f(x) - e^ε f(x - 1)) dx for Laplace noise within the bound."""
    weight = quad(lambda x: np.exp(-abs(x) / scale), -bound, bound, points=[0])[0]

    def excess(x):
        f, shifted = ((abs(y) <= bound) * np.exp(-abs(y) / scale) for y in (x, x - 1))
        return max(0.0, f - np.exp(epsilon) * shifted) / weight

    ends = [-bound, 1 - bound, bound]  # below 1 - bound the neighbour has no releases
    return sum(quad(excess, a + 1e-12, b - 1e-12)[0] for a, b in pairwise(ends))


def delta_of_integer_valued(noise, epsilon):
    """Return Σ max(0, p_k - e^ε p_(k-1)), with probabilities from the tails."""
    k = np.arange(-400, 401)
    tails = np.array([noise.upper_tail(x) for x in (*k - 1, k[-1])])
    p = -np.diff(tails)
    return np.maximum(0, p[1:] - np.exp(epsilon) * p[:-1]).sum()


def test_every_mechanism_of_approximate_dp_has_exactly_the_same_guarantee(design):
    bounded, whole = set(), set()
    for noisy in design.points["czech"]:
        point, noise = noisy.point, noisy.noise
        if point.mechanism in OTHERS:  # with a stronger guarantee
            assert point.delta is None or noise.pdp_delta(epsilon=point.epsilon) <= point.delta
            assert point.delta or noise.delta(epsilon=point.epsilon) == 0
            continue
        if point.mechanism in INTEGER_VALUED:
            whole.add(point.mechanism)
            delta = delta_of_integer_valued(noise, point.epsilon)
        elif hasattr(noise, "bound"):
            bounded.add(point.mechanism)
            delta = delta_of_truncated(noise.scale, noise.bound, point.epsilon)
        else:
            arguments = {"order": point.order, "scale": noise.scale, "epsilon": point.epsilon}
            delta = privacy_loss.delta(**arguments)
        assert delta == pytest.approx(point.delta, rel=1e-6)
    assert bounded == {"truncated-laplace"}
    assert whole == {*INTEGER_VALUED}
