"""The table of scales: a row for each mechanism, ε and δ, independent of the data sets."""

from dataclasses import dataclass
from itertools import chain

import numpy as np
import pytest
from scipy.stats import gennorm, norm

from ggexp.experiment.design import Design
from ggexp.experiment.summary import tabulate_scales
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.releases.point import GridPoint, NoisyPoint

CONFIG = {
    "seed": 1,
    "repeats": 1,
    "datasets": ["mildew", "czech"],
    "histograms": {
        "mildew": {"mechanisms": ["ggm-3", "laplace"]},
        "czech": {"mechanisms": ["laplace", "gaussian-pdp"]},
    },
    "mechanisms": {
        "laplace": {"order": 1, "calibration": "pure"},
        "gaussian-pdp": {"order": 2, "calibration": "pdp"},
        "ggm-3": {"order": 3, "calibration": "pdp"},
    },
    "epsilon": [2, 0.5],
    "delta": [0.1, 0.01],
    "neighbours": "add-remove",
}


def tabulate(**changes):
    return tabulate_scales(chain(*Design.from_config(CONFIG | changes).points.values()))


def test_there_is_a_row_for_each_mechanism_epsilon_and_delta_in_their_order():
    table = tabulate()
    assert list(table) == [
        *["mechanism", "order", "calibration", "epsilon", "delta", "scale", "sd"],
        *["replaced_epsilon", "replaced_delta", "replaced_pdp_delta"],
    ]
    assert list(table.index) == list(range(10))
    # laplace is in both data sets, and has no δ
    delta = table["delta"].astype(object).where(table["delta"].notna(), None)
    assert list(zip(table["mechanism"], table["epsilon"], delta, strict=True)) == [
        ("ggm-3", 2, 0.1),
        ("ggm-3", 2, 0.01),
        ("ggm-3", 0.5, 0.1),
        ("ggm-3", 0.5, 0.01),
        ("laplace", 2, None),
        ("laplace", 0.5, None),
        ("gaussian-pdp", 2, 0.1),
        ("gaussian-pdp", 2, 0.01),
        ("gaussian-pdp", 0.5, 0.1),
        ("gaussian-pdp", 0.5, 0.01),
    ]
    rules = {"laplace": "pure", "gaussian-pdp": "pdp", "ggm-3": "pdp"}
    assert list(table["calibration"]) == [rules[name] for name in table["mechanism"]]


def test_scales_are_those_of_the_design_and_sds_those_of_scipy():
    expected = {
        (point.mechanism, point.epsilon, point.delta or 0): (point.order, noisy.noise.scale)
        for noisy in chain(*Design.from_config(CONFIG).points.values())
        for point in [noisy.point]
    }
    table = tabulate().fillna({"delta": 0})
    for row in table.to_dict("records"):
        order, b = expected.pop((row["mechanism"], row["epsilon"], row["delta"]))
        assert (row["order"], row["scale"]) == (order, b)
        assert row["sd"] == pytest.approx(gennorm.std(order, scale=b), rel=1e-12)
    assert not expected


def test_a_scale_by_hand():
    # Laplace noise for ε = 0.5: b = 2, sd = 2 √2
    (row,) = tabulate(datasets=["mildew"], epsilon=[0.5])[-1:].to_dict("records")
    assert (row["mechanism"], row["scale"]) == ("laplace", 2)
    assert row["sd"] == pytest.approx(8**0.5, rel=1e-15)


def test_the_guarantee_if_one_record_is_replaced():
    """Laplace noise: 2ε; the paper's Gaussian noise: the normal loss of sensitivity √2."""
    table = tabulate().set_index(["mechanism", "epsilon"])
    assert table.loc[("laplace", 0.5), "replaced_epsilon"].item() == 1.0
    assert table.loc[("laplace", 0.5), "replaced_delta"].item() == pytest.approx(0.1238, abs=1e-4)
    for row in table.loc["gaussian-pdp"].reset_index().to_dict("records"):
        sigma, epsilon = row["scale"] / 2, row["epsilon"]  # of sensitivity 1
        mean = 1 / (2 * sigma**2)
        above, below = norm.sf((epsilon - mean) * sigma), norm.cdf((-epsilon - mean) * sigma)
        assert row["replaced_pdp_delta"] == pytest.approx(above + below, rel=1e-9)
        assert row["replaced_delta"] == pytest.approx(above - np.exp(epsilon) * below, rel=1e-9)
        at = (row["replaced_epsilon"] - mean) * sigma, (-row["replaced_epsilon"] - mean) * sigma
        delta = norm.sf(at[0]) - np.exp(row["replaced_epsilon"]) * norm.cdf(at[1])
        assert delta == pytest.approx(row["delta"], rel=1e-9)


def test_no_epsilon_is_sufficient_if_impossible_outcomes_are_too_likely():
    point = GridPoint("a", "cut", 1, "adp-truncated", 0.5, 0.01)
    noise = Mechanism(1, "adp-truncated").noise(epsilon=0.5, delta=0.01)
    (row,) = tabulate_scales([NoisyPoint(point, noise)]).to_dict("records")
    assert row["replaced_epsilon"] is None
    assert row["replaced_delta"] == pytest.approx(0.14017, abs=1e-5)


def test_the_number_of_the_best_order_and_the_sd_of_truncated_noise():
    design = Design.from_config(
        CONFIG
        | {
            "histograms": {name: {"mechanisms": ["best", "cut"]} for name in ("mildew", "czech")},
            "mechanisms": {
                "best": {"order": "best", "calibration": "adp-exact"},
                "cut": {"order": 1, "calibration": "adp-truncated"},
            },
            "epsilon": [0.5],
            "delta": [0.1],
        }
    )
    best, truncated = tabulate_scales(chain(*design.points.values())).to_dict("records")
    assert best["order"] == pytest.approx(1.99, abs=6e-3)
    assert best["sd"] == pytest.approx(1.5563, abs=1e-4)
    assert (truncated["order"], truncated["scale"]) == (1, 2)
    assert truncated["sd"] == pytest.approx(1.363, abs=5e-4)


def test_different_scales_have_separate_rows():
    points = [GridPoint(name, "laplace", 1, "pure", 1, None) for name in ("a", "b", "c")]
    noises = [GeneralizedGaussian(1, scale) for scale in (1.0, 2.0, 1.0)]
    table = tabulate_scales(map(NoisyPoint, points, noises))
    assert list(table["scale"]) == [1, 2]


@dataclass(frozen=True)
class Uniform(Noise):
    """Uniform noise, a family without a privacy loss distribution."""

    family = "uniform"
    bound: float

    @property
    def sd(self):
        return self.bound / 3**0.5

    def sample(self, rng, size):
        return rng.uniform(-self.bound, self.bound, size)


def test_a_family_without_a_loss_distribution_has_no_replacement_guarantee():
    point = GridPoint("a", "uniform", None, "pure", 1, None)
    (row,) = tabulate_scales([NoisyPoint(point, Uniform(3.0))]).to_dict("records")
    assert row["sd"] == pytest.approx(3**0.5)
    assert {row[name] for name in row if name.startswith("replaced_")} == {None}
