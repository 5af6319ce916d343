"""Each search for a scale or an ε checks its result by the function that the result must satisfy.

The root-finding is made wrong by a millionth, on either side. The result must then still suffice.
"""

from math import prod

import pandas as pd
import pytest
import scipy.optimize

from ggexp import Mechanism, bounded
from ggexp.companions import queries
from ggexp.experiment.recommendation import needed_epsilon
from ggexp.guarantees import composition, table_error
from ggexp.mechanisms import real_losses, solver
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import delta_of, epsilon_of
from ggexp.mechanisms.loss_distribution import ROUNDING
from ggexp.mechanisms.tails import log_tail_ratio
from ggexp.multiverse import tables

POINT = {"epsilon": 1, "delta": 0.05}
NOISE = GeneralizedGaussian(3, 4.0)


def ratio_of_pdp(noise):
    return noise.pdp_delta(epsilon=1) / 0.05


def joint(scale):
    releases = composition.Composition([(GeneralizedGaussian(1.5, scale), 10)])
    return releases.sufficient_epsilon(delta=1e-3) / 2


def unacceptable(needed):
    """Return the probability that the error of any table exceeds 60, divided by the allowed one."""
    errors = (table_error.table_error(needed.noise, cells).l1 for cells in (9, 20))
    return (1 - prod(1 - error.tail(60) for error in errors)) / 0.05


def interpolated(table):
    """Return the relative error at the ε of the table, which is 1/(10 ε), divided by 10 %."""
    return 1 / table.set_index("within")["epsilon"][0.1]


ERRORS = pd.DataFrame(
    [("own", "ε-DP", epsilon, None, "a", 0.1 / epsilon) for epsilon in (0.2, 5)],
    columns=["dataset", "guarantee", "epsilon", "delta", "mechanism", "relative"],
)
#: The module of the root-finding, the search, and a function of the result that must not exceed 1.
SEARCHES = {
    "pdp-exact": (solver, lambda: Mechanism(3, "pdp-exact").noise(**POINT), ratio_of_pdp),
    "adp-exact": (
        solver,
        lambda: Mechanism(3, "adp-exact").noise(**POINT),
        lambda noise: noise.delta(epsilon=1) / 0.05,
    ),
    "two cells": (
        solver,
        lambda: Mechanism(3, "adp-exact").noise(**POINT, cells=2),
        lambda noise: delta_of(noise, epsilon=1, cells=2) / 0.05,
    ),
    "ε of one cell": (
        real_losses,
        lambda: NOISE.epsilon(delta=0.01),
        lambda epsilon: NOISE.delta(epsilon=epsilon) / 0.01,
    ),
    "ε of two cells": (
        solver,
        lambda: epsilon_of(NOISE, delta=0.01, cells=2),
        lambda epsilon: delta_of(NOISE, epsilon=epsilon, cells=2) / 0.01,
    ),
    "BIT": (
        bounded,
        lambda: bounded.inflated_scale(order=2, epsilon=1, width=10, sensitivity=1),
        lambda scale: log_tail_ratio(2, 10 / scale, 0.1),
    ),
    "composition": (
        composition,
        lambda: composition.exact_scale(order=1.5, budget=Budget(2, 1e-3), k=10),
        joint,
    ),
    "error": (
        table_error,
        lambda: table_error.epsilon_for_error(cells=9, confidence=0.95, l1=20),
        lambda needed: table_error.table_error(needed.noise, 9).l1.tail(20) / 0.05,
    ),
    "errors of tables": (
        table_error,
        lambda: table_error.epsilon_for_tables(tables=[9, 20], confidence=0.95, l1=60),
        unacceptable,
    ),
    "advanced composition": (
        queries,
        lambda: queries.scale("advanced", epsilon=1, delta=1e-6, k=100),
        lambda b: composition.advanced_of([(Budget(1 / b), 100)], slack=1e-6).epsilon,
    ),
    "the printed condition": (
        tables,
        lambda: tables.printed_condition(3, Budget(1, 0.05), 1).scale,
        lambda b: tables._exceeds(lambda g: 3 * b**2 * g**2 + 3 * b * g, 3, b**3 - 1, 1) / 0.05,
    ),
    "the leading term": (
        tables,
        lambda: tables.leading_term(3, Budget(1, 0.05), 1).scale,
        lambda b: tables._exceeds(lambda g: g**2, 3, b / 3, 1) / 0.05,
    ),
    "measured errors": (scipy.optimize, lambda: needed_epsilon(ERRORS), interpolated),
}


@pytest.mark.parametrize("change", [-1e-6, 1e-6])
@pytest.mark.parametrize("search", SEARCHES)
def test_a_result_suffices_even_if_the_root_is_wrong(search, change, monkeypatch):
    module, find, used_up = SEARCHES[search]
    name = "brentq" if module in (queries, tables, scipy.optimize) else "root"
    right = getattr(module, name)

    def wrong(function, low, high, **settings):
        found = right(function, low, high, **settings)
        # the inverses within a condition of the multiverse are not searches for a scale
        return found if "xtol" in settings and module is tables else found + change

    with monkeypatch.context() as patched:
        patched.setattr(module, name, wrong)
        found = find()
    assert 1 - 1e-3 < used_up(found) <= 1 + 2 * ROUNDING


def test_a_bisection_checks_its_upper_end():
    assert solver.smallest(lambda x: x >= 2, 0.0, 1.0) >= 2
    assert solver.smallest(lambda x: x >= 0.5, 0.0, 1.0) == 0.5
    with pytest.raises(ArithmeticError, match="suffices"):
        solver.smallest(lambda x: False, 0.0, 1.0)
