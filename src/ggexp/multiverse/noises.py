"""The noise of a mechanism at a grid point, in each reading of its scale."""

from collections.abc import Callable, Iterator
from math import comb, exp

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

from ggexp.mechanisms.calibration import rule
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import CHANGED_CELLS
from ggexp.mechanisms.several_cells import delta_of, pdp_delta_of
from ggexp.mechanisms.several_cells_rules import by_scale
from ggexp.mechanisms.tails import density, upper_point, upper_tail
from ggexp.multiverse.choices import Factorial, Reading
from ggexp.releases.point import GridPoint

GGM_3, GAUSSIAN_ADP, NEIGHBOURS = "ggm-3-scale", "gaussian-adp-scale", "neighbours"
#: Mechanism -> the choice that only its scale depends on.
SCALE_OF = {"ggm-3": GGM_3, "gaussian-adp": GAUSSIAN_ADP}
#: The classical bound of the Gaussian mechanism is proven for ε below this value.
PROVEN_BELOW = 1


def noises(point: GridPoint, factorial: Factorial) -> Iterator[tuple[Reading, Noise]]:
    """Yield the readings of the scale that differ at a grid point, each with the noise."""
    choices = {NEIGHBOURS, SCALE_OF.get(point.mechanism, NEIGHBOURS)}
    if point.epsilon < PROVEN_BELOW:
        choices -= {GAUSSIAN_ADP}  # because its alternatives agree
    for reading in factorial.readings(choices):
        yield reading, noise(point, factorial.complete(reading))


def noise(point: GridPoint, reading: Reading) -> Noise:
    """Return the noise at a grid point in a complete reading."""
    order, calibration, delta = point.order, point.calibration, point.delta
    cells = CHANGED_CELLS[reading[NEIGHBOURS]]  # type: ignore[index]  # the schema has no others
    if point.mechanism == "ggm-3" and delta is not None:
        match reading[GGM_3]:
            case "two-sided":
                calibration = "pdp-exact"
            case "one-sided":
                return one_sided(3, point.epsilon, delta, cells)
            case "as-printed":
                return printed_condition(3, point.epsilon, delta, cells)
            case "leading-term":
                return leading_term(3, point.epsilon, delta, cells)
    is_exact = reading[GAUSSIAN_ADP] == "exact" and point.epsilon >= PROVEN_BELOW
    if point.mechanism == "gaussian-adp" and is_exact:
        calibration = "adp-exact"
    return Mechanism(order, calibration).noise(epsilon=point.epsilon, delta=delta, cells=cells)


def one_sided(order: int, epsilon: float, delta: float, cells: int) -> Noise:
    """Return the noise of the smallest scale with Pr(L > ε) <= δ for the privacy loss L.

    For one cell this is the rule `pdp` at 2δ.
    """
    if cells == 1:
        return Mechanism(order, "pdp").noise(epsilon=epsilon, delta=2 * delta)

    def exact(noise: GeneralizedGaussian, *, epsilon: float, cells: int) -> float:
        # δ of approximate DP is P - e^ε Q, δ of probabilistic DP is P + Q, and P = Pr(L > ε)
        approximate = delta_of(noise, epsilon=epsilon, cells=cells)
        probabilistic = pdp_delta_of(noise, epsilon=epsilon, cells=cells)
        return (approximate + exp(epsilon) * probabilistic) / (1 + exp(epsilon))

    return by_scale(exact)(rule("pdp").calibrate, order, epsilon, delta, cells)


def printed_condition(order: int, epsilon: float, delta: float, cells: int) -> GeneralizedGaussian:
    """Return the noise of the scale b with Pr(Σ_k a_k > b^p - ε Δ_p^p) = δ for a record.

    a_k = Σ_{j=1}^{p-1} C(p, j) |e_k|^(p-j) over the cells k that change, and Δ_p^p is the number of
    these cells. Source: the paper, the text after Corollary 7.
    """

    def excess(scale: float) -> float:
        # in terms of g = |e|/b: the terms of the sum, and what remains for it
        terms = [comb(order, j) * scale ** (order - j) for j in range(1, order)]
        room = scale**order - epsilon * cells
        return _exceeds(lambda g: float(np.polyval([*terms, 0], g)), order, room, cells) - delta

    # the sum is positive; above the upper end, no draw below the tail's point exceeds the room
    g = upper_point(order, delta / (4 * cells))
    return GeneralizedGaussian(
        order, brentq(excess, (epsilon * cells) ** (1 / order), 10 * cells * order * (g + 1) ** 2)
    )


def leading_term(order: int, epsilon: float, delta: float, cells: int) -> GeneralizedGaussian:
    """Return the noise of the scale b with Pr(Σ_k p |e_k|^(p-1) > ε b^p) = δ for a record."""

    def excess(room: float) -> float:
        return _exceeds(lambda g: g ** (order - 1), order, room, cells) - delta

    g = upper_point(order, delta / (4 * cells))
    room = brentq(excess, 0, cells * g ** (order - 1))
    return GeneralizedGaussian(order, order * room / epsilon)


def _exceeds(magnitude: Callable[[float], float], order: int, room: float, cells: int) -> float:
    """Return Pr(Σ_k magnitude(|g_k|) > room) for independent g_k of GG(0, 1, p), one or two.

    magnitude: increasing, 0 at 0.
    """
    if room <= 0:
        return 1.0

    def inverse(value: float) -> float:
        high = 1.0
        while magnitude(high) < value:
            high *= 2
        return float(brentq(lambda g: magnitude(g) - value, 0, high, xtol=1e-15))

    end = inverse(room)
    first = 2 * upper_tail(order, end)
    if cells == 1:
        return first
    second = quad(
        lambda g: 4 * density(order, g) * upper_tail(order, inverse(room - magnitude(g))),
        0,
        end,
        epsabs=1e-12,
    )[0]
    return float(first + second)
