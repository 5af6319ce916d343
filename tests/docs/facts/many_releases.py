"""Releases of different kinds, and trade-off curves: docs/many-queries.md."""

import numpy as np

from facts import fact
from ggexp import Mechanism
from ggexp.companions.figures.tabulate_loss_curves import MECHANISMS
from ggexp.guarantees.composition import Composition, advanced_of, basic_of
from ggexp.mechanisms.noise_losses import randomized_response

DELTA = 1e-6


@fact
def releases_of_different_kinds():
    """ε at δ = 10^-6: basic, advanced, as for randomized response, and exact."""

    def row(name, *kinds):
        budgets = [(epsilon, delta or 0.0, k) for _, _, epsilon, delta, k in kinds]
        basic = basic_of(budgets)
        advanced = advanced_of(budgets, slack=DELTA - basic.delta).epsilon
        worst_case = [(randomized_response(epsilon=e, delta=d), k) for e, d, k in budgets]
        exact = [
            (Mechanism(order, rule).noise(epsilon=epsilon, delta=delta), k)
            for order, rule, epsilon, delta, k in kinds
        ]
        bounds = [Composition(losses).epsilon(delta=DELTA) for losses in (worst_case, exact)]
        assert all(bound.gap < 1e-6 * bound.upper for bound in bounds)
        return [name, basic.epsilon, advanced, *(bound.upper for bound in bounds)]

    geometric = (None, "pure-integer", 0.1, None, 100)
    gaussian = (2, "adp-exact", 0.5, 1e-8, 4)
    return [
        row("100 geometric, 4 Gaussian", geometric, gaussian),
        row("1000 discrete canonical", (None, "adp-optimal", 0.05, 1e-10, 1000)),
    ]


@fact
def trade_offs():
    """The false negative rates at a false positive rate of 0.05, of one release and of ten."""
    rows = []
    for name, mechanism in MECHANISMS.items():
        noise = mechanism.noise(epsilon=1, delta=0.05)
        curves = (Composition([(noise, k)]).trade_off(np.array([0.05])) for k in (1, 10))
        rows.append([name, *np.concatenate([*curves])])
    return [[0.05, (), ()], *rows]
