"""Which guarantee a release satisfies, against sums of densities and closed forms."""

from math import exp

import numpy as np
import pytest
from formulas import density
from test_noise import NOISES

from ggexp import GeneralizedGaussian, calibration
from ggexp.companions.rules import RULES, noise_by
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.guarantee import Guarantee, of_group, of_release
from ggexp.mechanisms.integer_valued import IntegerValuedNoise
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace

PURE, PDP, ADP = Guarantee
#: At the last one, no value is possible under both neighbours.
EXAMPLES = [*NOISES, TruncatedLaplace(1.0, 0.4)]


def test_each_guarantee_implies_the_weaker_ones():
    assert [[first.implies(second) for second in Guarantee] for first in Guarantee] == [
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]
    assert [guarantee.has_delta for guarantee in Guarantee] == [False, True, True]


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (1, 0.05), (2, 1e-3), (0.3, None)])
@pytest.mark.parametrize("records", [1, 2, 3])
def test_several_records_of_one_person(epsilon, delta, records):
    """The smallest noise for one record attains the δ of k records, or the ε."""
    rule = "pure-integer" if delta is None else "adp-optimal"
    noise = noise_by(rule, None, epsilon=epsilon, delta=delta)
    of_all = of_group(Budget(epsilon, delta or 0.0), records)
    exact = noise.delta(epsilon=of_all.epsilon, sensitivity=records)
    assert exact == pytest.approx(of_all.delta, rel=1e-9, abs=1e-15)
    if delta is None or records == 1:
        assert noise.delta(epsilon=0.99 * of_all.epsilon, sensitivity=records) > (delta or 0.0)
    else:
        assert exact > records * delta
    assert of_group(Budget(800, 1e-9), 2) == Budget(1600, 1)


@pytest.mark.parametrize("noise", EXAMPLES, ids=repr)
@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.1, 1), (0.9, 2)])
def test_deltas_by_integrating_densities(noise, epsilon, sensitivity):
    step = 4e-4
    x = np.arange(-60, 60, step) + step / 2  # midpoints
    f, shifted = density(noise, x), density(noise, x + sensitivity)
    point = {"epsilon": epsilon, "sensitivity": sensitivity}
    adp = np.maximum(f - exp(epsilon) * shifted, 0).sum() * step
    pdp = f[(f > exp(epsilon) * shifted) | (f < exp(-epsilon) * shifted)].sum() * step
    # tolerance: half a step of the largest density, 1.6, at each of two jumps
    assert noise.delta(**point) == pytest.approx(adp, abs=2 * step)
    assert noise.pdp_delta(**point) == pytest.approx(pdp, abs=2 * step)
    assert noise.pdp_delta(**point) >= noise.delta(**point)  # pDP implies approximate DP


@pytest.mark.parametrize(
    ("rule", "sensitivity"),
    [
        (rule, sensitivity)
        for rule in RULES.values()
        for sensitivity in (1, 2 if issubclass(rule.family, IntegerValuedNoise) else 7.3)
    ],
)
def test_noise_satisfies_what_its_rule_states_and_pdp_does_not_survive_processing(
    rule, sensitivity
):
    orders = [rule.order] if rule.order != "any" else [1, 1.0000001, 2, 3, 50]
    points = [(0.5, 0.01), (1, 0.05), (2, 0.25), (0.01, 0.4), (0.3, 1e-6)]
    if issubclass(rule.family, IntegerValuedNoise):
        orders, points = orders[::3], points[:3]
    else:
        points.append((1e-6, 1e-15))
    if rule.proven_below == np.inf:
        points += [(10, 1e-9), (30.34, 0.5), (700, 1e-6)]
    for order in orders:
        for epsilon, delta in points:
            point = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
            noise = noise_by(rule.name, order, **point)
            at = {"budget": Budget(epsilon, delta), "sensitivity": sensitivity}
            assert of_release(rule.guarantee, noise, **at, processed=False) is rule.guarantee
            processed = of_release(rule.guarantee, noise, **at, processed=True)
            assert processed is (PURE if rule.guarantee is PURE else ADP)


@pytest.mark.parametrize(
    ("rule", "order", "factor", "satisfied"),
    [
        ("pure", 1, 0.9999, None),
        ("pdp-exact", 2, 0.9999, ADP),  # the δ of approximate DP is far smaller
        ("pdp-exact", 3, 0.5, None),
        ("adp-exact", 3, 0.9999, None),
    ],
)
def test_less_noise_does_not_satisfy_the_guarantee(rule, order, factor, satisfied):
    noise = noise_by(rule, order, epsilon=0.5, delta=0.01)
    less_noise = GeneralizedGaussian(order, factor * noise.scale)
    stated, delta = calibration.RULES[rule].guarantee, 0.0 if rule == "pure" else 0.01
    guarantee = of_release(stated, less_noise, Budget(0.5, delta), processed=False)
    assert guarantee is satisfied
