"""Tests of Laud and Pankova's claims about guessing: their examples, and Figure S6."""

from collections.abc import Mapping
from math import cosh, exp, sqrt

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.claims.evidence import Comparison, Comparisons, Results, claim_test
from ggexp.companions import approximate_guesses, guesses
from ggexp.companions.guesses import Normal


@claim_test
def guess_of_two(
    *,
    first: Mapping[str, float],
    second: Mapping[str, float],
    either: bool,
    advantage_at_most: float,
    printed: float,
    digits: int,
) -> Comparisons:
    """Test whether the ε for a largest allowed advantage in guessing two attributes is as printed.

    first, second, either: as for `theorem_of_attributes`. digits: printed after the decimal
    point.
    """
    events = {
        f"{a} {'or' if either else 'and'} {b}": guesses.prior([p, q], either=either)
        for a, p in first.items()
        for b, q in second.items()
    }
    epsilons = {
        event: approximate_guesses.epsilon_for(advantage=advantage_at_most, prior=prior)
        for event, prior in events.items()
    }
    worst = min(epsilons, key=lambda event: round(epsilons[event], 12))
    what = f"ε = {epsilons[worst]:.4f} ({worst}, prior {events[worst]:.4g}), {printed:g} printed"
    yield _as_printed(what, epsilons[worst], printed, digits)


@claim_test
def normal_prior(
    *, variance: float, guess_within: float, printed: float, digits: int
) -> Comparisons:
    """Test whether a normal value is within a distance of its mean with the printed probability."""
    probability = Normal(sqrt(variance)).mass(guess_within)
    what = f"prior {probability:.4f}, {printed:g} printed"
    yield _as_printed(what, probability, printed, digits)


@claim_test
def normal_epsilon(
    *, variance: float, guess_within: float, radius: float, advantage_at_most: float, scaled: float
) -> Comparisons:
    """Test whether, at a radius, the ε for a largest allowed advantage is positive and as printed.

    scaled: ε times the radius, as printed. The evidence names the best radius and its ε.
    """
    prior = Normal(sqrt(variance))
    scaled_epsilon = radius * guesses.epsilon_within(
        advantage=advantage_at_most,
        inside=prior.mass(guess_within),
        within=prior.mass(radius),
        radius=radius,
    )
    best = guesses.best_radius(advantage=advantage_at_most, prior=prior, precision=guess_within)
    where = f"radius {radius:g} (the best is {best.radius:.1f}, with ε = {best.epsilon:.4g})"
    yield Comparison("ε > 0", where, scaled_epsilon)
    difference = 5e-3 - abs(scaled_epsilon - scaled)
    yield Comparison(f"ε times the radius = {scaled:g}", where, difference)


@claim_test
def worst_prior(results: Results, *, mechanisms: int, priors: int) -> Comparisons:
    """Test whether Figure S6's worst prior has the largest advantage of all mechanisms and priors.

    Advantages are computed by Bayes' rule for random mechanisms, each with random priors on whether
    a person is in the table, or on the answer of a person in it. The curve is taken at the figure's
    next ε above the largest log ratio of outcomes for a person who is in the table and one who is
    not. The mechanism and prior closest to the curve are compared.
    """
    rng = np.random.default_rng(results.seed)
    curves = _worst_curves(results)
    for panel, answers in (("presence", 1), ("answer", 4)):
        curve = curves[panel]
        largest = 0.0
        for _ in range(mechanisms):
            absent, *present = _random_mechanism(rng, answers, curve.index[-1])
            epsilon = max(float(np.abs(np.log(row / absent)).max()) for row in present)
            limit = curve.iloc[curve.index.searchsorted(epsilon)]
            outcomes = np.array([absent, *present] if panel == "presence" else present)
            for prior in rng.dirichlet(np.ones(len(outcomes)), priors):
                largest = max(largest, _advantage(outcomes, prior) / limit)
        what = f"{panel}: advantage / advantage of the worst prior <= 1"
        where = f"the worst of {mechanisms} mechanisms"
        yield Comparison(what, where, 1 - largest)


@claim_test
def worst_prior_is_met(results: Results, *, within: float) -> Comparisons:
    """Test whether a mechanism and a prior reach the advantage of Figure S6's worst prior.

    For presence the mechanism is randomized response. For an answer, compared with an absent
    person, one of three outcomes is e^ε times and another e^-ε times as likely.
    """
    for panel, curve in _worst_curves(results).items():
        for epsilon in (0.5, 1.0, 2.0):
            outcomes = (
                _randomized_response(epsilon) if panel == "presence" else _three_outcomes(epsilon)
            )
            largest = max(
                _advantage(outcomes, np.array([v, 1 - v])) for v in np.linspace(0.01, 0.99, 99)
            )
            what = f"{panel}: advantage within {within:.0%} of the worst prior"
            where = f"ε={epsilon:g}"
            yield Comparison(what, where, within - abs(largest / curve[epsilon] - 1))


def _worst_curves(results: Results) -> dict[str, pd.Series]:
    """Return the advantage for the worst prior over ε > 0, for each panel of Figure S6."""
    table = results.rows("s6", prior="worst prior")
    rows = table[table["delta"].isna() & (table["epsilon"] > 0)]
    return {
        str(panel): curve.set_index("epsilon")["advantage"]
        for panel, curve in rows.groupby("panel", sort=False)
    }


def _random_mechanism(
    rng: np.random.Generator, answers: int, largest: float
) -> NDArray[np.float64]:
    """Return outcome probabilities: a row for an absent person and one per answer."""
    # the absolute log ratios of each row to the first are at most ``largest``
    absent = rng.dirichlet(np.ones(int(rng.integers(2, 7))))
    change = rng.uniform(0, largest / 2)
    rows = absent * np.exp(change * rng.choice([-1, 1], (answers, absent.size)))
    return np.vstack([absent, rows / rows.sum(axis=1, keepdims=True)])


def _randomized_response(epsilon: float) -> NDArray[np.float64]:
    """Return outcome probabilities: the right one is e^ε times as likely as the wrong one."""
    right = 1 / (1 + exp(-epsilon))
    return np.array([[right, 1 - right], [1 - right, right]])


def _three_outcomes(epsilon: float) -> NDArray[np.float64]:
    """Return the probabilities of three outcomes, a row for each of two answers."""
    # for an absent person the probabilities are q, q and 1 - 2q
    q = 1 / (4 * cosh(epsilon))
    row = [q * exp(epsilon), q * exp(-epsilon), 0.5]
    return np.array([row, [row[1], row[0], row[2]]])


def _advantage(outcomes: NDArray[np.float64], prior: NDArray[np.float64]) -> float:
    """Return the largest change in the probability of a guess, for rows of outcomes and a prior."""
    joint = prior[:, None] * outcomes
    return float(np.abs(joint / joint.sum(axis=0) - prior[:, None]).max())


def _as_printed(what: str, value: float, printed: float, digits: int) -> Comparison:
    """Return the comparison of a number with the printed one, to which it should round."""
    return Comparison(what, "", 0.5 * 10.0**-digits - abs(value - printed))
