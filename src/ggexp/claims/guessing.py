"""Tests of what Laud and Pankova say of a guesser's advantage: their examples, and Figure S6.

Each returns the comparisons that a claim makes.
"""

from collections.abc import Mapping
from math import prod

from ggexp.claims.evidence import Comparison, Results
from ggexp.guarantees import advantage, precision
from ggexp.guarantees.precision import Normal


def guess_of_two(
    results: Results,
    *,
    first: Mapping[str, float],
    second: Mapping[str, float],
    either: bool,
    advantage_at_most: float,
    printed: float,
    digits: int,
) -> list[Comparison]:
    """Return whether the ε that keeps an advantage in guessing two attributes is as printed.

    first, second: the probabilities of their values, independent. either: whether one right guess
    is enough. digits: how many are printed after the point.
    """
    events = {
        f"{a} {'or' if either else 'and'} {b}": _prior([p, q], either)
        for a, p in first.items()
        for b, q in second.items()
    }
    epsilons = {
        event: advantage.epsilon_for(advantage=advantage_at_most, prior=prior)
        for event, prior in events.items()
    }
    worst = min(epsilons, key=lambda event: round(epsilons[event], 12))
    what = f"ε = {printed:g}; {worst}, prior {events[worst]:.4g}, gives {epsilons[worst]:.4f}"
    return [_as_printed(what, epsilons[worst], printed, digits)]


def _prior(priors: list[float], either: bool) -> float:
    """Return the probability of guessing both, or either, of independent values."""
    return 1 - prod(1 - p for p in priors) if either else prod(priors)


def normal_prior(
    results: Results, *, sd: float, guess_within: float, printed: float, digits: int
) -> list[Comparison]:
    """Return whether the probability of a guess within a precision of a normal mean is as printed.

    digits: how many are printed after the point.
    """
    found = Normal(sd).mass(guess_within)
    return [_as_printed(f"prior = {printed:g}, {found:.4f}", found, printed, digits)]


def normal_epsilon(
    results: Results,
    *,
    sd: float,
    guess_within: float,
    radius: float,
    advantage_at_most: float,
    scaled: float,
) -> list[Comparison]:
    """Return whether some ε > 0 keeps an advantage by this radius, and whether it is as printed.

    scaled: ε times the radius, as printed. The evidence has the best radius and its ε.
    """
    prior = Normal(sd)
    found = radius * precision.epsilon_within(
        advantage=advantage_at_most,
        inside=prior.mass(guess_within),
        within=prior.mass(radius),
        radius=radius,
    )
    best = precision.best_radius(advantage=advantage_at_most, prior=prior, precision=guess_within)
    where = f"radius {radius:g} (the best is {best.radius:.1f}, with ε = {best.epsilon:.4g})"
    return [
        Comparison("ε > 0", where, found),
        Comparison(f"ε times the radius = {scaled:g}", where, 5e-3 - abs(found - scaled)),
    ]


def worst_prior(results: Results) -> list[Comparison]:
    """Return whether no prior of Figure S6 gives more than the worst prior, at any ε > 0."""
    if "s6" not in results.figures:
        return []
    table = results.figures["s6"]
    curves = table[table["delta"].isna() & (table["epsilon"] > 0)]
    comparisons = []
    for panel, rows in curves.groupby("panel", sort=False):
        found = rows.pivot_table(index="epsilon", columns="prior", values="advantage")
        worst = found.pop("worst prior")
        comparisons += [
            # attributes of many values have one near the worst prior: equal to the last digits
            Comparison(f"{panel}: {prior} <= worst prior", "", (worst - found[prior]).min() + 1e-9)
            for prior in found
        ]
    return comparisons


def _as_printed(what: str, found: float, printed: float, digits: int) -> Comparison:
    """Return whether a number rounds to what is printed."""
    return Comparison(what, "", 0.5 * 10.0**-digits - abs(found - printed))
