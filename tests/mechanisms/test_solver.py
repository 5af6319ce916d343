"""The δ that scales reach, by arithmetic of many digits: never more than the guarantee has."""

import warnings
from fractions import Fraction
from math import inf, nextafter, sqrt

import numpy as np
import pytest
import yaml
from conftest import ROOT
from many_digits import approximate_delta, probabilistic_delta, truncated_delta

from ggexp import Mechanism, best_order, calibration, privacy_loss
from ggexp.experiment.design import Design
from ggexp.mechanisms import rules
from ggexp.mechanisms.solver import DELTA_ERROR, SCALE_ERROR, rounded_up


def points(number):
    """Orders, ε, δ and sensitivities at random, most of them where the last bits matter."""
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
    *points(80),
    (100.0, 1e-20, 1e-20, 1.0),  # noise nearly uniform, far wider than a record moves it
    (1.5, 1e8, 0.1, 1.0),
    (1.0, 30.34, 1e-15, 1.0),
    (1.0, 0.1, 1e-9, 3.0),
]


def reached(name, order, noise_scale, bound, epsilon, sensitivity):
    """The exact δ of the guarantee that a rule states."""
    at = (epsilon, sensitivity)
    if bound is not None:
        return truncated_delta(noise_scale, bound, *at)
    if name.startswith("pdp"):
        return probabilistic_delta(order, noise_scale, *at, sufficient=name == "pdp")
    return approximate_delta(order, noise_scale, *at)


def cases(name):
    """The points that a rule is for: its own order and δ, and an ε that its proof covers."""
    rule = calibration.rule(name)
    for order, epsilon, delta, sensitivity in POINTS:
        proven = min(epsilon, 0.99 * rule.proven_below)
        yield (
            order if rule.order == "any" else rule.order,
            proven,
            min(delta, rule.largest_delta),
            sensitivity,
        )


@pytest.mark.parametrize(
    "name",
    [n for n, rule in calibration.RULES.items() if rule.family.has_norm],
)
def test_no_scale_has_a_larger_delta_than_its_guarantee(name):
    for order, epsilon, delta, sensitivity in cases(name):
        given = {"order": order, "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
        b, bound = calibration.scale(name, **given), calibration.bound(name, **given)
        found = reached(name, order, b, bound, epsilon, sensitivity)
        assert found <= (0 if name == "pure" else delta * (1 + DELTA_ERROR)), given


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pdp", "pdp-exact", "adp-exact"])
def test_no_scale_is_larger_than_its_error_asks_for(name):
    for order, epsilon, delta, sensitivity in cases(name):
        given = {"order": order, "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
        b = calibration.scale(name, **given) * (1 - 3 * SCALE_ERROR * order)
        found = reached(name, order, b, None, epsilon, sensitivity)
        assert found >= delta * (1 - DELTA_ERROR), given


@pytest.mark.slow
@pytest.mark.parametrize("sensitivity", [1.0, 2.0, 3.0, sqrt(2), 0.1])
def test_pure_is_rounded_up_in_its_last_bits(sensitivity):
    """Rounded to nearest, 633 of these 9,999 scales have δ > 0 at a sensitivity of 1."""
    for hundredths in range(1, 10_000):
        epsilon = hundredths / 100
        b = calibration.scale("pure", order=1, epsilon=epsilon, sensitivity=sensitivity)
        excess = Fraction(b) * Fraction(epsilon) / Fraction(sensitivity) - 1
        assert 0 <= excess < 1e-15
        given = {"order": 1, "scale": b, "sensitivity": sensitivity}
        assert privacy_loss.delta(**given, epsilon=epsilon) == 0


def test_rounded_up():
    assert rounded_up(Fraction(1, 2)) == 0.5
    assert rounded_up(Fraction(1, 10)) == 0.1  # above a tenth
    assert rounded_up(Fraction(1, 3)) == nextafter(1 / 3, 1)
    assert rounded_up(Fraction(10) ** 400) == inf


@pytest.mark.parametrize("name", ["config", "equal-privacy", "sensitivity", "synthetic", "smoke"])
def test_scales_of_the_configurations_are_neither_raised_nor_rounded(name, monkeypatch):
    """Their bits are those of the formulas, which results depend on."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    other = yaml.safe_load((ROOT / f"config/{name}.yaml").read_text("utf-8"))
    for key in ("epsilon", "delta", "mechanisms"):
        config[key] = other.get(key, config[key])
    config["histograms"]["mildew"]["mechanisms"] = list(config["mechanisms"])
    config["datasets"] = ["mildew"]
    with warnings.catch_warnings(action="ignore"):
        found = Design.from_config(config)
        for module in (calibration, rules):
            monkeypatch.setattr(module, "rounded_up", float)
        monkeypatch.setattr(rules, "raised", lambda scale, *_: scale)
        assert Design.from_config(config) == found
    assert len(found.points["mildew"]) >= 6


def test_the_largest_delta_of_a_rule_holds_for_all_that_it_gives():
    assert calibration.rule("adp-truncated").largest_delta == 1 / 2
    given = {"epsilon": 1.0, "delta": 0.7}
    for function in (
        lambda: calibration.scale("adp-truncated", order=1, **given),
        lambda: calibration.bound("adp-truncated", order=1, **given),
        lambda: Mechanism(1, "adp-truncated").bound(**given),
        lambda: Mechanism(1, "adp-truncated").noise(**given),
    ):
        with pytest.raises(ValueError, match=r"delta must be .* 0\.5 .*'adp-truncated', got 0\.7"):
            function()
    at_most = calibration.bound("adp-truncated", order=1, epsilon=1.0, delta=0.5)
    assert at_most == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("name", [n for n, rule in calibration.RULES.items() if rule.uses_delta])
def test_a_delta_at_the_end_of_floating_point_is_refused(name):
    order = calibration.rule(name).order
    order = 1.5 if order == "any" else order
    assert calibration.noise(name, order=order, epsilon=0.5, delta=1e-302).sd > 0
    with pytest.raises(ValueError, match=r"delta must be from 1e-302 to .* got 1e-303"):
        calibration.noise(name, order=order, epsilon=0.5, delta=1e-303)


@pytest.mark.parametrize(("epsilon", "delta"), [(1e-20, 1e-20), (1e-100, 1e-15), (1e-6, 1e-12)])
def test_the_best_order_has_noise_enough(epsilon, delta):
    best = best_order(epsilon=epsilon, delta=delta)
    found = approximate_delta(best.order, best.scale, epsilon)
    assert delta * (1 - 1e-6) <= found <= delta * (1 + DELTA_ERROR)
