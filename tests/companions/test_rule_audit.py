"""Every rule passes the check of rules, and wrong families do not."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import pytest

from ggexp.companions import rule_audit
from ggexp.companions.rules import RULES
from ggexp.mechanisms import calibration
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import Rule
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.rule_faults import faults

POINT = {"epsilon": 0.9, "delta": 0.02}


@pytest.mark.parametrize("name", RULES)
def test_no_rule_has_a_fault(name):
    for order in (1, 1.5, 3) if RULES[name].order == "any" else (RULES[name].order,):
        assert not rule_audit.faults(name, order=order, **POINT, share=0.05)


@pytest.mark.parametrize("epsilon", [0.1, 8.0, 25.0, 100.0])
@pytest.mark.parametrize("name", calibration.RULES)
def test_no_rule_has_a_fault_at_an_extreme_epsilon(name, epsilon):
    order = 3 if RULES[name].order == "any" else RULES[name].order
    with warnings.catch_warnings(action="ignore"):
        assert not faults(name, order=order, budget=Budget(epsilon, 0.3))


@dataclass(frozen=True)
class Hidden(GeneralizedGaussian):
    """Laplace noise whose methods state those of another scale."""

    family: ClassVar[str] = "hidden"

    def delta(self, *, epsilon, sensitivity=1.0):
        return 0.0


class Scaled(GeneralizedGaussian):
    def sample(self, rng, size):
        return super().sample(rng, size) / 1.3


class Fat(GeneralizedGaussian):
    def upper_tail(self, x):
        return super().upper_tail(x / 1.3)


def by(family, factor, order=1):
    def alone(order_, budget, sensitivity):
        return family(order, factor * sensitivity / budget.epsilon)

    return Rule("own", Guarantee.PURE, alone, family=family, order=order)


#: A rule, and whether it has faults; most have one that only one comparison finds.
WRONG = {
    "none": (by(GeneralizedGaussian, 1.0), False),
    "more noise": (by(GeneralizedGaussian, 1.3), False),
    "too small": (by(GeneralizedGaussian, 1 / 1.01), True),
    "far too small": (by(GeneralizedGaussian, 1 / 1.5), True),
    "hidden": (by(Hidden, 1 / 1.05), True),
    "draws": (by(Scaled, 1.0), True),
    "tails": (by(Fat, 1.0), True),
    "order": (by(GeneralizedGaussian, 2.0, order=2), True),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_families_are_found(name):
    rule, has_faults = WRONG[name]
    assert bool(faults(rule, order=rule.order, budget=Budget(**POINT))) == has_faults


def test_the_audit_finds_noise_whose_formulas_are_consistent(monkeypatch):
    """Releases have less noise than all methods state."""
    monkeypatch.setitem(RULES, "own", by(Scaled, 1.0))
    assert not rule_audit.faults("pure", order=1, **POINT, share=0.3)
    monkeypatch.setattr(rule_audit.rule_faults, "faults", lambda *_, **__: [])
    assert len(rule_audit.faults("own", order=1, **POINT, share=0.3)) == 1
