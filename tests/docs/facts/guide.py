"""What ε, rules and orders mean: docs/guide.md."""

from itertools import chain
from math import exp

from scipy.stats import norm

from facts import fact
from facts.library import EPSILONS, GRID, scale, sd
from ggexp import Mechanism, calibration, privacy_loss
from ggexp.guarantees import advantage
from ggexp.mechanisms.guarantee import pdp_delta


@fact
def odds_of_an_outcome():
    return 0.5, exp(0.5)


@fact
def odds_at_2():
    return 2, exp(2)


@fact
def right_guesses():
    """From a prior of ½, each with its ε."""
    return list(chain(*((1 / (1 + exp(-epsilon)), epsilon) for epsilon in EPSILONS)))


def at_the_worst_prior(radius):
    return [advantage.of(epsilon=epsilon, prior=None, radius=radius) for epsilon in EPSILONS]


@fact
def advantages_on_presence():
    return at_the_worst_prior(radius=1)


@fact
def advantages_on_answers():
    return at_the_worst_prior(radius=2)


@fact
def epsilon_of_an_advantage():
    """On presence, and on an answer."""
    return [advantage.epsilon_for(advantage=0.1, prior=None, radius=radius) for radius in (1, 2)]


@fact
def loss_beyond_epsilon():
    """Pr(|loss| > ε) of the least noise of (0.5, 0.1)-approximate DP."""
    noises = [
        Mechanism(order, "adp-exact").noise(epsilon=0.5, delta=0.1) for order in (1, 1.5, 2, 3)
    ]
    return [pdp_delta(noise, epsilon=0.5) for noise in noises]


@fact
def probability_of_a_clamped_zero():
    return norm.cdf(-12, scale=sd("pdp", 2, 0.5, 0.01))


@fact
def loss_of_a_clamped_zero():
    one, more = norm.logcdf([-12, -13], scale=sd("pdp", 2, 0.5, 0.01))
    return one - more


@fact
def delta_of_the_classical_bound():
    below = [
        privacy_loss.delta(order=2, scale=scale("adp-classical", 2, *at), epsilon=at[0]) < at[1]
        for at in GRID
    ]
    assert all(below)
    return privacy_loss.delta(order=2, scale=scale("adp-classical", 2, 6.5, 0.1), epsilon=6.5)


@fact
def classical_sd_of_the_gaussian():
    return sd("adp-classical", 2, 0.5, 0.01)


@fact
def exact_sd_of_the_gaussian():
    return sd("adp-exact", 2, 0.5, 0.01)


@fact
def calibration_rules():
    """Name, guarantee and orders of each rule."""
    rows = []
    for name, rule in calibration.RULES.items():
        rows.append([name, rule.guarantee, "any p ≥ 1" if rule.order is None else rule.order, None])
    return rows


@fact
def noise_by_rule():
    """The sd at the paper's points; which is least, as the page says, is not in the table."""
    for point in GRID:
        least = min((1, 2, 3), key=lambda order, point=point: sd("adp-exact", order, *point))
        assert least == 1 or point[1] > 0.01
        assert least == 3 or point != (0.5, 0.25)
        laplace = sd("pure", 1, *point)
        below = [sd("pdp", order, *point) < laplace for order in (2, 3)]
        assert below == [point == (0.5, 0.25)] * 2
    columns = [("pure", 1), ("pdp", 2), ("pdp", 3), *(("adp-exact", order) for order in (1, 2, 3))]
    rows = [[(), (), *(order for _, order in columns)]]
    return rows + [[*point, *(sd(*column, *point) for column in columns)] for point in GRID]
