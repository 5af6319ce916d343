"""Arrays of ε and δ give the same bits as single numbers, in the shape to which they broadcast."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from ggexp import calibration, privacy_loss

EPSILONS, DELTAS = [0.5, 1, 2], [0.01, 0.25]
RULES = [
    (name, 1.5 if rule.order == "any" else rule.order)
    for name, rule in calibration.RULES.items()
    if "scale" in {field.name for field in fields(rule.family)}
]


@pytest.mark.parametrize(("name", "order"), RULES)
def test_a_scale_at_each_epsilon_and_delta(name, order):
    grid = calibration.scale(
        name, order=order, epsilon=np.array(EPSILONS)[:, None], delta=DELTAS, sensitivity=3
    )
    assert grid.shape == (3, 2)
    assert grid.dtype == np.float64
    for i, epsilon in enumerate(EPSILONS):
        for j, delta in enumerate(DELTAS):
            single = calibration.scale(
                name, order=order, epsilon=float(epsilon), delta=delta, sensitivity=3
            )
            assert type(single) is float
            assert grid[i, j] == single


def test_an_array_with_a_single_number():
    arguments = {"order": 3, "epsilon": [0.5, 1]}
    expected = [calibration.scale("pdp", order=3, epsilon=e, delta=0.1) for e in (0.5, 1.0)]
    assert list(calibration.scale("pdp", **arguments, delta=0.1)) == expected
    scales = calibration.scale("pdp", order=3, epsilon=1, delta=np.array(DELTAS))
    assert scales.shape == (2,)
    assert scales[0] > scales[1]
    assert list(calibration.scale("pure", order=1, epsilon=[0.5, 1])) == [2, 1]  # without a δ
    assert calibration.scale("pure", order=1, epsilon=1, delta=DELTAS).shape == (2,)


@pytest.mark.parametrize("order", [1, 1.5, 2])
def test_losses_of_arrays(order):
    deltas = privacy_loss.delta(order=order, scale=2, epsilon=[[0, 0.1], [0.3, 1]])
    assert deltas.shape == (2, 2)
    assert deltas[1, 0] == privacy_loss.delta(order=order, scale=2, epsilon=0.3)
    epsilons = privacy_loss.epsilon(order=order, scale=2, delta=DELTAS)
    assert list(epsilons) == [
        privacy_loss.epsilon(order=order, scale=2, delta=delta) for delta in DELTAS
    ]
    assert type(privacy_loss.delta(order=order, scale=2, epsilon=0.3)) is float
    assert type(privacy_loss.epsilon(order=order, scale=2, delta=0.3)) is float


@pytest.mark.parametrize("container", [np.array, list, tuple, pd.Series])
def test_any_container_of_numbers(container):
    scales = calibration.scale("adp-exact", order=1, epsilon=container([0.5]), delta=0.1)
    assert isinstance(scales, np.ndarray)
    assert scales.shape == (1,)


@pytest.mark.parametrize("number", [np.float64(1), np.float32(1), np.int64(1), 1, np.array(1.0)])
def test_a_number_of_any_type_is_a_single_number(number):
    assert calibration.scale("pure", order=1, epsilon=number) == 1
    assert np.ndim(privacy_loss.delta(order=1, scale=2, epsilon=number)) == 0


def test_an_empty_array_has_no_scales():
    assert calibration.scale("pdp", order=2, epsilon=[], delta=0.1).shape == (0,)


def test_errors_name_the_bad_element():
    with pytest.raises(ValueError, match=r"epsilon.* > 0, got -1\.0"):
        calibration.scale("pure", order=1, epsilon=np.array([1.0, -1.0]))
    with pytest.raises(ValueError, match=r"delta.* between 0 and 1, got 1"):
        privacy_loss.epsilon(order=2, scale=1, delta=[0.5, 1])
    with pytest.raises(ValueError, match=r"got epsilon \(3,\), delta \(2,\)"):
        calibration.scale("pdp", order=2, epsilon=EPSILONS, delta=DELTAS)
