"""The design: all grid points of a configuration, in its order; and the table of its scales."""

from itertools import chain
from math import log

import pytest
from conftest import design_of
from formulas import gaussian_delta
from scipy.stats import gennorm, norm

from ggexp import Mechanism
from ggexp.experiment.scales import distinct_noise, tabulate_scales
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.mechanism import best_order
from ggexp.releases.point import GridPoint, NoisyPoint

CONFIG = {
    "seed": 7,
    "repeats": 3,
    "datasets": ["b", "a"],
    "histograms": {
        "a": {"mechanisms": ["laplace"]},
        "b": {"mechanisms": ["ggm-3", "laplace"]},
        "c": {"mechanisms": ["laplace"]},
    },
    "mechanisms": {
        "laplace": {"order": 1, "calibration": "pure"},
        "ggm-3": {"order": 3, "calibration": "pdp"},
    },
    "epsilon": [2, 0.5],
    "delta": [0.1, 0.01],
    "neighbours": "add-remove",
}


def test_points_are_in_the_order_of_the_configuration_and_laplace_has_no_delta():
    design = design_of(CONFIG)
    assert list(design) == ["b", "a"]  # only the selected data sets
    points = [noisy.point for noisy in design["b"]]
    assert [(point.mechanism, point.epsilon, point.delta) for point in points] == [
        ("ggm-3", 2, 0.1),
        ("ggm-3", 2, 0.01),
        ("ggm-3", 0.5, 0.1),
        ("ggm-3", 0.5, 0.01),
        ("laplace", 2, None),
        ("laplace", 0.5, None),
    ]
    paths = [noisy.point.path for noisy in design["a"]]
    assert paths == ["a/laplace/epsilon-2.0", "a/laplace/epsilon-0.5"]
    # Snakemake compares the parameters of jobs as text
    texts = {repr(design_of(CONFIG | {"epsilon": [e]})) for e in (1, 1.0)}
    assert len(texts) == 1


EQUAL = CONFIG | {
    "datasets": ["a", "b"],
    "histograms": {name: {"mechanisms": ["gg-best", "truncated", "gg-2"]} for name in "ab"},
    "mechanisms": {
        "gg-best": {"order": "best", "calibration": "adp-exact"},
        "truncated": {"order": 1, "calibration": "adp-truncated"},
        "gg-2": {"order": 2, "calibration": "adp-exact"},
    },
    "epsilon": [0.5, 1, 2],
    "delta": [1e-6, 0.1],
}


def test_the_best_order_is_rounded_to_thousandths_before_its_scale_is_computed():
    """The random stream depends on the number, not on the word "best"."""
    orders = {}
    for noisy in chain(*design_of(EQUAL).values()):
        point = noisy.point
        if point.mechanism == "gg-best":
            assert (point.order, point.calibration) == (round(point.order, 3), "adp-exact")
            exact = Mechanism(point.order, "adp-exact")
            assert noisy.noise.scale == exact.noise(epsilon=point.epsilon, delta=point.delta).scale
            orders.setdefault((point.epsilon, point.delta), []).append(point.order)
    for epsilon, known in {0.5: 1.99, 1: 1.49, 2: 1.18}.items():
        order, same_order = orders[epsilon, 0.1]  # of both data sets
        best = best_order(epsilon=epsilon, delta=0.1).order
        assert best == pytest.approx(known, abs=6e-3)
        assert order == same_order == pytest.approx(best, abs=5.1e-4)
        assert orders[epsilon, 1e-6] == [1.0, 1.0]


SCALES = CONFIG | {
    "histograms": {
        "b": {"mechanisms": ["ggm-3", "laplace"]},
        "a": {"mechanisms": ["laplace", "gaussian-pdp"]},
    },
    "mechanisms": CONFIG["mechanisms"] | {"gaussian-pdp": {"order": 2, "calibration": "pdp"}},
}


def tabulate(**changes):
    noises = chain(*design_of(SCALES | changes).values())
    return tabulate_scales(distinct_noise(noisy.parameters() for noisy in noises))


def test_there_is_a_row_for_each_mechanism_epsilon_and_delta_in_their_order():
    table = tabulate()
    points = chain(*design_of(SCALES).values())
    expected = {  # in the order of the design; laplace is in both data sets, and has no δ
        (point.mechanism, point.epsilon, point.delta or 0): (point.calibration, point.order, scale)
        for point, scale in ((noisy.point, noisy.noise.scale) for noisy in points)
    }
    keys = table[["mechanism", "epsilon", "delta"]].fillna({"delta": 0})
    assert [*keys.itertuples(index=False, name=None)] == [*expected]
    rows = table[["calibration", "order", "scale"]].itertuples(index=False, name=None)
    assert [*rows] == [*expected.values()]
    assert table["sd"].tolist() == pytest.approx(gennorm.std(table["order"], scale=table["scale"]))


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
        assert row["replaced_delta"] == pytest.approx(gaussian_delta(sigma, epsilon), rel=1e-9)
        delta = gaussian_delta(sigma, row["replaced_epsilon"])
        assert delta == pytest.approx(row["delta"], rel=1e-9)


def test_scales_of_different_noise_have_separate_rows(monkeypatch):
    points = [GridPoint(name, "own", 1, "pure", 1, None) for name in "abc"]
    noises = [GeneralizedGaussian(1, scale) for scale in (1.0, 2.0, 1.0)]
    # a family of a test is in no module of the library
    monkeypatch.setattr(NoisyPoint, "from_parameters", lambda noisy: noisy)
    noises = distinct_noise(map(NoisyPoint, points, noises))
    assert [*tabulate_scales(noises)["scale"]] == [1, 2]


def test_epsilon_and_delta_are_as_in_the_tables_of_results():
    point = GridPoint("a", "own", 2, "adp-exact", log(3), 1 / 3)
    parameters = NoisyPoint(point, GeneralizedGaussian(2, 1.0)).parameters()
    (noisy,) = distinct_noise([parameters, parameters])
    assert (noisy.point.epsilon, noisy.point.delta) == (1.098612289, 0.3333333333)
    assert noisy.noise == GeneralizedGaussian(2, 1.0)
