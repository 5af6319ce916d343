"""The design: all grid points of a configuration, in its order."""

import numpy as np
import pytest

from ggexp import Mechanism, calibration
from ggexp.experiment.design import Design
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.optimal_order import best_order

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
    design = Design.from_config(CONFIG)
    assert (design.seed, design.repeats) == (7, 3)
    assert list(design.points) == ["b", "a"]  # only the selected data sets
    points = [noisy.point for noisy in design.points["b"]]
    assert [(point.mechanism, point.epsilon, point.delta) for point in points] == [
        ("ggm-3", 2, 0.1),
        ("ggm-3", 2, 0.01),
        ("ggm-3", 0.5, 0.1),
        ("ggm-3", 0.5, 0.01),
        ("laplace", 2, None),
        ("laplace", 0.5, None),
    ]
    assert [noisy.point.path for noisy in design.points["a"]] == [
        "a/laplace/epsilon-2.0",
        "a/laplace/epsilon-0.5",
    ]


def test_1_and_1_0_are_the_same_job():
    """Snakemake compares the parameters of jobs as text."""
    texts = [
        repr(Design.from_config(CONFIG | {"epsilon": [epsilon]}).points) for epsilon in (1, 1.0)
    ]
    assert texts[0] == texts[1]


def test_scales_are_those_of_the_mechanisms():
    design = Design.from_config(CONFIG | {"epsilon": [1], "delta": [0.05]})
    assert [noisy.noise.scale for noisy in design.points["a"]] == [1]
    scales = [noisy.noise.scale for noisy in design.points["b"]]
    assert scales == pytest.approx([4.6624, 1], abs=1e-4)


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


def of_mechanism(points, name):
    return [noisy for noisy in points if noisy.point.mechanism == name]


def test_the_best_order_is_rounded_to_thousandths_before_its_scale_is_computed():
    design = Design.from_config(EQUAL)
    orders = {}
    for dataset in "ab":
        points = of_mechanism(design.points[dataset], "gg-best")
        assert len(points) == 6
        for noisy in points:
            point, scale = noisy.point, noisy.noise.scale
            assert point.order == round(point.order, 3)
            best = best_order(epsilon=point.epsilon, delta=point.delta)
            assert point.order == pytest.approx(best.order, abs=5.1e-4)
            exact = Mechanism(point.order, "adp-exact")
            assert scale == exact.noise(epsilon=point.epsilon, delta=point.delta).scale
            assert scale != best.scale or point.order == best.order
            orders.setdefault((point.epsilon, point.delta), set()).add(point.order)
    known = {(0.5, 0.1): 1.99, (1, 0.1): 1.49, (2, 0.1): 1.18}
    for epsilon in (0.5, 1, 2):
        (order,) = orders[epsilon, 0.1]  # the same for both data sets
        assert order == pytest.approx(known[epsilon, 0.1], abs=6e-3)
        assert orders[epsilon, 1e-6] == {1.0}


def test_grid_points_of_the_best_order_have_its_number():
    """The random stream depends on the number, not on the word "best"."""
    points = [
        noisy.point for noisy in of_mechanism(Design.from_config(EQUAL).points["a"], "gg-best")
    ]
    assert all(isinstance(point.order, float) for point in points)
    assert all(point.calibration == "adp-exact" for point in points)
    first = points[1]
    again = type(first)("a", "gg-best", first.order, "adp-exact", 0.5, 0.1)
    assert first == again
    assert first.stream(7, 0).bytes(8) == again.stream(7, 0).bytes(8)


def test_only_truncated_noise_has_a_bound():
    for noisy in Design.from_config(EQUAL).points["a"]:
        point, noise = noisy.point, noisy.noise
        assert hasattr(noise, "bound") == (point.mechanism == "truncated")
        if point.mechanism == "truncated":
            arguments = {"order": 1, "epsilon": point.epsilon, "delta": point.delta}
            assert noise.bound == calibration.calibrate("adp-truncated", **arguments).bound
            assert noise.scale == 1 / point.epsilon


INTEGER_VALUED = CONFIG | {
    "datasets": ["a"],
    "histograms": {"a": {"mechanisms": ["geometric", "discrete", "optimal"]}},
    "mechanisms": {
        "geometric": {"calibration": "pure-integer"},
        "discrete": {"order": 3, "calibration": "adp-exact-integer"},
        "optimal": {"calibration": "adp-optimal"},
    },
    "epsilon": [1],
    "delta": [0.1],
}


def test_integer_valued_noise_if_two_cells_change():
    """With replace-one, two cells jointly satisfy the guarantee, with less noise than by shares."""
    geometric, discrete, optimal = Design.from_config(INTEGER_VALUED).points["a"]
    assert (geometric.point.order, optimal.point.order, discrete.point.order) == (None, None, 3)
    assert geometric.noise == Geometric(1.0)
    assert optimal.noise == Canonical(1.0, 0.1)
    replaced = Design.from_config(INTEGER_VALUED | {"neighbours": "replace-one"}).points["a"]
    geometric, discrete, optimal = (noisy.noise for noisy in replaced)
    share = 1 - 0.9**0.5
    assert geometric == Geometric(2.0)
    assert optimal.sd < Canonical(0.5, share).sd
    assert delta_of_two(geometric, 1.0) == pytest.approx(0, abs=1e-15)
    for noise in (discrete, optimal):
        assert 0.1 * (1 - 1e-8) < delta_of_two(noise, 1.0) <= 0.1


def delta_of_two(noise, epsilon):
    """Return δ for two independent counts that change by 1, with symmetric noise."""
    p = np.concatenate([noise.probabilities[:0:-1], noise.probabilities, [0.0]])[:, None]
    moved = np.roll(p, 1)
    return np.maximum(0, p @ p.T - np.exp(epsilon) * (moved @ moved.T)).sum()
