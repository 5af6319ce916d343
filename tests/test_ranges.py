"""The ranges that types of arguments state: other values are refused."""

import dataclasses
import importlib
import inspect
import pkgutil
from math import inf, nan
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from ggexp import companions, guarantees, mechanisms, ranges
from ggexp.companions import queries
from ggexp.companions.guesses import Uniform
from ggexp.guarantees.composition import Account
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism

REFUSED = {
    ranges.Epsilon: [0, -1, inf, nan],
    ranges.EpsilonOrZero: [-1, inf, nan],
    ranges.Delta: [0, 1, nan],
    ranges.DeltaOrZero: [-0.1, 1, nan],
    ranges.Order: [0.9, inf, nan],
    ranges.Scale: [0, -1, inf, nan],
    ranges.Sensitivity: [0, -1, inf, nan],
    ranges.Width: [0, -1, inf, nan],
    ranges.Cells: [0, 1.5],
    ranges.Releases: [0, 1.5],
    ranges.Advantage: [0, 1, nan],
}
NOISE = Mechanism(2, "adp-exact").noise(epsilon=0.5, delta=0.1)
ALLOWED: dict[str, Any] = {
    **{"epsilon": 0.5, "delta": 0.1, "order": 2, "scale": 3.0, "sensitivity": 1, "cells": 2},
    **{"widths": [10], "sensitivities": [1], "width": 10, "bounds": [(0, 10)], "low": 0},
    **{"high": 10, "utility_sensitivity": 1, "sensitivity_p": 1, "utilities": [1, 2], "k": 3},
    **{"values": np.ones(3), "size": 3, "draws": 1000, "coordinates": 2, "count": 3, "bound": 20},
    **{"noise": NOISE, "scales": np.arange(1.0, 1000), "calibration": "adp-exact", "alpha": 2},
    **{"stated": Guarantee.APPROXIMATE, "processed": True, "prior": 0.5, "advantage": 0.2},
    **{"probability": 0.5, "rho": 0.5, "slack": 0.01, "radius": 2.0, "inside": 0.1, "within": 0.5},
    **{"precision": 1.0, "largest": 5.0, "dimensions": 2, "priors": [Uniform(5.0)], "steps": 2},
    **{"either": False, "way": "laplace", "first": "laplace", "second": "gaussian", "l1": 100.0},
    **{"failure": 0.05, "error": 0.05, "confidence": 0.95, "rates": np.array([0.5])},
    **{
        "budget": Budget(0.5, 0.1),
        "histogram": queries.of_histogram,
        "accounts": [Account(3, NOISE.loss())],
    },
}
OF_FUNCTION: dict[str, dict[str, Any]] = {
    "guesses.epsilon_for_all": {"inside": [0.1], "within": [0.5]},
    "guesses.epsilon_for_any": {"inside": [0.1], "within": [0.5]},
    "guesses.best_radius": {"prior": Uniform(5.0)},
    "staircase.Staircase": {"high": 0.5},
    "mechanism.best_order": {"cells": 1},
    "table_error.epsilon_for_error": {"calibration": None, "order": None},
    "table_error.epsilon_for_tables": {"tables": [32, 45]},
    "table_error.table_error": {"noise": Mechanism(None, "pure-integer").noise(epsilon=0.5)},
}


def callables():
    """Yield functions, classes, and the methods of one noise of each family, with their names."""
    for package in (mechanisms, guarantees, companions):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                is_defined_here = getattr(value, "__module__", None) == module.name
                # a generic function takes its first argument by position alone
                if is_defined_here and not hasattr(value, "registry"):
                    if inspect.isfunction(value) or dataclasses.is_dataclass(value):
                        yield f"{module.name.rpartition('.')[2]}.{name}", value
    for rule in RULES.values():
        order = 2 if rule.order == "any" else rule.order
        noise = Mechanism(order, rule.name).noise(epsilon=0.5, delta=0.1)
        for method in ("delta", "pdp_delta", "epsilon"):
            yield f"{rule.name}.{method}", getattr(noise, method)


def cases():
    for name, function in callables():
        hints = get_type_hints(function, include_extras=True)
        stated = {
            argument: range_
            for argument, hint in hints.items()
            for range_ in REFUSED
            if argument in inspect.signature(function).parameters
            if range_ in (hint, *get_args(hint))
        }
        if stated and not inspect.isabstract(function):
            yield pytest.param(function, name, stated, id=name)


@pytest.mark.parametrize(("function", "name", "stated"), [*cases()])
def test_values_outside_the_ranges_are_refused(function, name, stated):
    known = ALLOWED | {"rng": np.random.default_rng(1)} | OF_FUNCTION.get(name, {})
    arguments = {key: known[key] for key in inspect.signature(function).parameters if key in known}
    function(**arguments)
    for argument, range_ in stated.items():
        for value in REFUSED[range_]:
            wrong = [value] if isinstance(arguments[argument], list) else value
            with pytest.raises(ValueError, match=f"^({argument[:9]}|slack)"):
                function(**arguments | {argument: wrong})
