"""The design: every grid point of a configuration, in its order."""

import pytest

from ggexp.experiment.design import Design

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


def test_points_follow_the_configurations_order_and_laplace_has_no_delta():
    design = Design.from_config(CONFIG)
    assert (design.seed, design.repeats) == (7, 3)
    assert list(design.scales) == ["b", "a"]  # the selected ones alone
    assert [(p.mechanism, p.epsilon, p.delta) for p in design.scales["b"]] == [
        ("ggm-3", 2, 0.1),
        ("ggm-3", 2, 0.01),
        ("ggm-3", 0.5, 0.1),
        ("ggm-3", 0.5, 0.01),
        ("laplace", 2, None),
        ("laplace", 0.5, None),
    ]
    assert [p.path for p in design.scales["a"]] == [
        "a/laplace/epsilon-2.0",
        "a/laplace/epsilon-0.5",
    ]


def test_scales_are_the_mechanisms():
    design = Design.from_config(CONFIG | {"epsilon": [1], "delta": [0.05]})
    assert list(design.scales["a"].values()) == [1]
    assert list(design.scales["b"].values()) == pytest.approx([4.6624, 1], abs=1e-4)
