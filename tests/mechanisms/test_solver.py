"""The exact δ of scales, in arithmetic of many digits, is at most the δ of the guarantee."""

import warnings
from fractions import Fraction
from math import inf, nan, nextafter, sqrt

import numpy as np
import pytest
import yaml
from conftest import PAPER, ROOT, design_of
from many_digits import approximate_delta, probabilistic_delta, truncated_delta

from ggexp import calibration
from ggexp.companions.rules import RULES, noise_by
from ggexp.mechanisms import rules
from ggexp.mechanisms.budget import rounded_up
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.solver import DELTA_ERROR, SCALE_ERROR, root
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace


def points(number):
    """Yield random (order, ε, δ, sensitivity); for most of them the scale's last bits matter."""
    rng = np.random.default_rng(33)
    for i in range(number):
        order = 1 + 10 ** rng.uniform(-12, 2)
        delta = [
            10 ** rng.uniform(-300, -9),
            10 ** rng.uniform(-20, -9),
            10 ** rng.uniform(-9, -0.4),
            1 - 10 ** rng.uniform(-9, -0.4),
        ][i % 4]
        yield order, 10 ** rng.uniform(-20, 3), delta, [1.0, 3.0, sqrt(2), 0.1][i % 7 % 4]


POINTS = [
    *points(28),
    (100.0, 1e-20, 1e-20, 1.0),  # nearly uniform noise, far wider than the sensitivity
    (1.5, 1e8, 0.1, 1.0),
    (1.0, 30.34, 1e-15, 1.0),
    (1.0, 0.1, 1e-9, 3.0),
]


def exact_delta(name, noise, order, epsilon, sensitivity, **_):
    point = (epsilon, sensitivity)
    if "bound" in noise.numbers:
        return truncated_delta(noise.scale, noise.bound, *point)
    if name.startswith("pdp"):
        return probabilistic_delta(order, noise.scale, *point, sufficient=name == "pdp")
    return approximate_delta(order, noise.scale, *point)


def cases(name):
    rule = RULES[name]
    for order, epsilon, delta, sensitivity in POINTS:
        yield {
            "order": order if rule.order == "any" else rule.order,
            "epsilon": min(epsilon, 0.99 * rule.proven_below),
            "delta": min(delta, rule.largest_delta),
            "sensitivity": sensitivity,
        }


@pytest.mark.parametrize(
    "name",
    [n for n, rule in RULES.items() if rule.family in (GeneralizedGaussian, TruncatedLaplace)],
)
def test_no_scale_has_a_larger_delta_than_its_guarantee(name):
    for case in cases(name):
        exact = exact_delta(name, noise_by(name, **case), **case)
        assert exact <= (0 if name == "pure" else case["delta"] * (1 + DELTA_ERROR)), case


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pdp", "pdp-exact", "adp-exact"])
def test_no_scale_is_larger_than_its_error_requires(name):
    for case in cases(name):
        b = calibration.calibrate(name, **case).scale * (1 - 3 * SCALE_ERROR * case["order"])
        exact = exact_delta(name, GeneralizedGaussian(case["order"], b), **case)
        assert exact >= case["delta"] * (1 - DELTA_ERROR), case


@pytest.mark.parametrize("sensitivity", [1.0, 0.1, 3.0])
def test_pure_is_rounded_up_in_its_last_bits(sensitivity):
    """Rounded to nearest, 633 of 9,999 scales have δ > 0 at a sensitivity of 1."""
    for hundredths in range(1, 10_000, 7):
        epsilon = hundredths / 100
        b = calibration.calibrate("pure", order=1, epsilon=epsilon, sensitivity=sensitivity).scale
        excess = Fraction(b) * Fraction(epsilon) / Fraction(sensitivity) - 1
        assert 0 <= excess < 1e-15
        assert GeneralizedGaussian(1, b).delta(epsilon=epsilon, sensitivity=sensitivity) == 0


def test_rounded_up():
    assert rounded_up(Fraction(1, 2)) == 0.5
    assert rounded_up(Fraction(1, 10)) == 0.1  # the nearest number is above a tenth
    assert rounded_up(Fraction(1, 3)) == nextafter(1 / 3, 1)
    assert rounded_up(Fraction(10) ** 400) == inf


@pytest.mark.parametrize(
    "name",
    ["config", "multiverse", "synthetic", pytest.param("equal-privacy", marks=pytest.mark.slow)],
)
def test_scales_of_the_configurations_are_neither_raised_nor_rounded(name, monkeypatch):
    """Results depend on the bits of these scales, which are those of the formulas."""
    overrides = yaml.safe_load((ROOT / f"config/{name}.yaml").read_text("utf-8"))
    config = {key: overrides.get(key, PAPER[key]) for key in ("epsilon", "delta", "mechanisms")}
    mildew = PAPER["histograms"]["mildew"] | {"mechanisms": [*config["mechanisms"]]}
    config |= {"datasets": ["mildew"], "histograms": {"mildew": mildew}}
    with warnings.catch_warnings(action="ignore"):
        design = design_of(config)
        monkeypatch.setattr(rules, "rounded_up", float)
        monkeypatch.setattr(rules, "raised", lambda scale, *_: scale)
        assert design_of(config) == design
    assert len(design["mildew"]) >= 6


@pytest.mark.parametrize("name", ["pdp", "adp-exact", "adp-optimal", "adp-truncated"])
def test_a_delta_near_the_smallest_floating_point_numbers_is_refused(name):
    order = calibration.rule(name).order
    order = 1.5 if order == "any" else order
    assert calibration.calibrate(name, order=order, epsilon=0.5, delta=1e-302).sd > 0
    with pytest.raises(ValueError, match=r"delta must be from 1e-302 to .* got 1e-303"):
        calibration.calibrate(name, order=order, epsilon=0.5, delta=1e-303)
    if name.endswith("truncated"):
        with pytest.raises(ValueError, match=r"delta must be .* 0\.5 .*truncated', got 0\.7"):
            calibration.calibrate(name, order=order, epsilon=0.5, delta=0.7)


@pytest.mark.parametrize(
    "function", [lambda x: x + 9, lambda x: nan, lambda x: x - 1 if x in (0.5, 2) else nan]
)
def test_a_root_that_is_not_found_is_an_error(function) -> None:
    with pytest.raises(ValueError, match=r"different signs|NaN"):
        root(function, 0.5, 2, xtol=1e-9)
