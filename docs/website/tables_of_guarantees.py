"""The tables of docs/numbers.md about guarantees, computed by the library."""
# ruff: noqa: D205, D401  (the docstrings of sections are the texts above their tables)

from itertools import pairwise
from math import erf, exp, sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm
from sections import DELTAS, EPSILONS, section, table

from ggexp import Mechanism, epsilon_for_error
from ggexp.companions import queries, renyi
from ggexp.companions.approximate_guesses import of_pdp
from ggexp.companions.figures.tabulate_queries import WAYS
from ggexp.companions.guesses import Normal, best_radius
from ggexp.guarantees import advantage, composition
from ggexp.guarantees.composition import Composition
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.loss_distribution import randomized_response


@section("Composition of Laplace releases")
def composed_laplace() -> str:
    """The joint ε at δ = 1e-6 of releases that each satisfy 0.1-DP
    ([many queries](companions/many-queries.md)).
    """
    rows = [
        [
            k,
            composition.basic_of([(Budget(0.1), k)]).epsilon,
            composition.advanced_of([(Budget(0.1), k)], slack=1e-6).epsilon,
            renyi.zcdp_epsilon(rho=0.005, delta=1e-6, k=k),
            Composition([(GeneralizedGaussian(1, 10), k)]).sufficient_epsilon(delta=1e-6),
        ]
        for k in (10, 100, 1000)
    ]
    return table("releases | basic | advanced | zCDP | exact", "d ^.3f", rows)


@section("Composition of different releases")
def mixed_releases() -> str:
    """The joint ε at δ = 1e-6. For any mechanism, only the ε and δ of each release are used."""
    kinds = {
        "100 geometric (ε = 0.1), 4 Gaussian (0.5, 1e-8)": [
            ("pure-integer", None, 0.1, None, 100),
            ("adp-exact", 2, 0.5, 1e-8, 4),
        ],
        "1000 discrete canonical (0.05, 1e-10)": [("adp-optimal", None, 0.05, 1e-10, 1000)],
    }
    rows = []
    for title, releases in kinds.items():
        spent = [(Budget(epsilon, delta or 0.0), k) for *_, epsilon, delta, k in releases]
        basic = composition.basic_of(spent)
        advanced = composition.advanced_of(spent, slack=1e-6 - basic.delta)
        worst = [(randomized_response(budget), k) for budget, k in spent]
        noises = [
            (Mechanism(order, rule).noise(epsilon=e, delta=d), k)
            for rule, order, e, d, k in releases
        ]
        exact = [Composition(losses).epsilon(delta=1e-6).pessimistic for losses in (worst, noises)]
        rows.append([title, basic.epsilon, advanced.epsilon, *exact])
    return table("releases | basic | advanced | any mechanism | exact", "s ^.3f", rows)


@section("Trade-off")
def trade_offs() -> str:
    """The smallest false negative rate at the false positive rate 0.05, at (1, 0.05)."""
    mechanisms = {
        "laplace": Mechanism(1, "pure"),
        "gaussian-pdp": Mechanism(2, "pdp"),
        "ggm-3": Mechanism(3, "pdp"),
        "gaussian-adp": Mechanism(2, "adp-classical"),
    }
    rows = []
    for name, mechanism in mechanisms.items():
        noise = mechanism.noise(epsilon=1, delta=None if name == "laplace" else 0.05)
        curves = [Composition([(noise, k)]).trade_off(np.array([0.05])) for k in (1, 10)]
        rows.append([f"`{name}`", *np.concatenate(curves)])
    return table("mechanism | one release | ten releases", "s .3f", rows)


@section("Largest of many errors")
def largest_errors() -> str:
    """The expected largest error of k queries at joint ε = 1, by bounds or exact composition."""
    points = [(1e-6, 10), (1e-6, 100), (1e-6, 1000), (1e-3, 10), (1e-3, 100)]
    rows = [
        [d, k, *(queries.largest_error(way, epsilon=1, delta=d, k=k) for way in WAYS)]
        for d, k in points
    ]
    return table(" | ".join(["δ", "queries", *WAYS]), "g d .2f", rows)


@section("Guessing advantage")
def advantages() -> str:
    """Under ε-DP ([guessing](companions/guessing.md))."""
    epsilons = (0.1, 0.5, 1, 2, 4)
    guesses = {1: "in the table?", 2: "which answer?"}
    rows = [
        [
            f"{guess} {f'prior {prior}' if prior else 'worst prior'}",
            *(advantage.of(epsilon=e, prior=prior, radius=radius) for e in epsilons),
        ]
        for radius, guess in guesses.items()
        for prior in (None, 0.01)
    ]
    return table(" | ".join(["guess", *(f"ε = {e:g}" for e in epsilons)]), "s .3f", rows)


@section("Mean guessing advantage")
def mean_advantages() -> str:
    """The bound under (ε, δ)-probabilistic DP."""
    rows = [
        [
            e,
            advantage.of(epsilon=e, prior=None),
            *(of_pdp(epsilon=e, delta=d, prior=None).average for d in DELTAS),
        ]
        for e in EPSILONS
    ]
    return table("ε | no δ | " + " | ".join(f"δ = {d:g}" for d in DELTAS), "g .3f", rows)


@section("Guesses within a precision")
def within_a_precision() -> str:
    """ε per unit of the value, for an advantage of at most 0.1; exact for Laplace noise."""

    def excess(epsilon: float, spread: float, precision: float) -> float:
        return after_laplace(epsilon, spread, precision) - 0.1

    rows = []
    examples = {"6.2, salaries": (55556, 100, 0.0038), "6.3, ships": (1250, 10, 0.063)}
    for example, (variance, precision, printed) in examples.items():
        guess = (sqrt(variance), precision)
        prior = erf(precision / sqrt(2 * variance))
        best = best_radius(advantage=0.1, prior=Normal(sqrt(variance)), precision=precision)
        exact = brentq(excess, best.epsilon, printed, args=guess)
        reached = after_laplace(printed, *guess)
        rows.append([example, prior, printed, reached, best.radius, best.epsilon, exact])
    titles = "prior | printed ε | advantage at printed ε | best radius | ε at best radius | exact ε"
    return table(f"example | {titles}", "s .4f g .3f .1f .3g", rows)


def after_laplace(epsilon: float, spread: float, precision: float) -> float:
    """Return the advantage for a normal value at its mean after a release of the mean.

    The release has Laplace noise with ε per unit, and no other release tells more.
    """
    cuts = (-9 * spread, -precision, 0, precision, 9 * spread)
    parts = [
        quad(lambda x: exp(-epsilon * abs(x) - (x / spread) ** 2 / 2), *part)[0]
        for part in pairwise(cuts)
    ]
    return sum(parts[1:3]) / sum(parts) - (2 * norm.cdf(precision / spread) - 1)


@section("ε for an error")
def epsilons_for_errors() -> str:
    """For an l₁ error up to a share of 1841 records in 64 cells, in 19 of 20 releases
    ([choose ε](choose-epsilon.md)).
    """
    rows = []
    for share in (0.05, 0.1, 0.2):
        bound = {"cells": 64, "confidence": 0.95, "l1": 1841 * share}
        pure = epsilon_for_error(**bound)
        approximate = epsilon_for_error(**bound, delta=1e-4)
        rescaled = epsilon_for_error(**bound, rescale=True)
        rows.append([share, pure.epsilon, pure.advantage, approximate.epsilon, rescaled.epsilon])
    titles = "ε-DP: ε | advantage | ε with δ = 0.0001 | ε if counts are rescaled"
    return table(f"l₁ error / n | {titles}", ".0% ^.3f", rows)
