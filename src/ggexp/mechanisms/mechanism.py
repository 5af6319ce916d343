"""Mechanisms, an order with a calibration rule, and the order with the least noise."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import exp, lgamma, log

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms import calibration
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import BEST, EXACT
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import AnyOrder, Cells, Delta, Epsilon, Sensitivity

MAX_ORDER = 100.0  # the largest order that is tried, see the notes of `best_order`
_ORDERS = np.concatenate([[1.0], 1 + np.geomspace(1e-3, MAX_ORDER - 1, 21)])
_DEGREE = 16  # the degree of the interpolating polynomial, for one cell


@dataclass(frozen=True)
class Mechanism:
    """A mechanism: an order p and the calibration rule that sets its noise.

    order: 1 is Laplace, 2 is Gaussian and 3 is the paper's GGM-3. "best" is the order with the
        smallest standard deviation at each (ε, δ).
    calibration: a name in `ggexp.mechanisms.calibration.RULES`.

    >>> import numpy as np
    >>> from ggexp import Mechanism
    >>> mechanism = Mechanism(order=2, calibration="pdp")
    >>> round(mechanism.noise(epsilon=1, delta=0.05).scale, 3)
    3.095
    >>> rng = np.random.default_rng(1)
    >>> mechanism.release(np.array([12.0, 0, 30]), rng, epsilon=1, delta=0.05).round(1)
    array([12.8,  1.8, 30.7])
    """

    order: AnyOrder
    calibration: str

    def __post_init__(self) -> None:
        rule = calibration.rule(self.calibration)
        if self.order != BEST:
            rule.check_order(self.order)  # type: ignore[arg-type]  # refuses other strings
        elif rule.name != EXACT:
            raise ValueError(
                f"order {BEST!r} fits calibration {EXACT!r} only, got {rule.name!r}: it is the "
                "order with the smallest standard deviation for exact (ε, δ)-approximate DP"
            )

    @property
    def uses_delta(self) -> bool:
        """Whether the guarantee has a δ."""
        return calibration.rule(self.calibration).guarantee.has_delta

    def order_at(self, budget: Budget, cells: Cells = 1) -> float | None:
        """Return the order at (ε, δ); the best order is rounded, because random streams hash it."""
        if self.order == BEST:
            return _rounded_best_order(budget, cells)
        return self.order  # type: ignore[return-value]  # no other string is an order

    def noise(
        self,
        *,
        epsilon: Epsilon,
        delta: Delta | None = None,
        sensitivity: Sensitivity = 1.0,
        cells: Cells = 1,
    ) -> Noise:
        """Return the noise at (ε, δ), as `ggexp.mechanisms.calibration.calibrate`.

        cells: the number of cells that one record may change and that satisfy the guarantee
            together: 2 if it is replaced, or one in each of several tables.
        """
        return calibration.calibrate(
            self.calibration,
            order=self.order_at(Budget.given(epsilon, delta), cells),
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
            cells=cells,
        )

    def release(
        self,
        values: NDArray[np.float64],
        rng: np.random.Generator,
        *,
        epsilon: Epsilon,
        delta: Delta | None = None,
        sensitivity: Sensitivity = 1.0,
    ) -> NDArray[np.float64]:
        """Return the values with independent noise added. The sensitivity is of each value."""
        checks.all_finite("values", values)
        noise = self.noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        draws = noise.sample(rng, np.size(values))
        return np.asarray(values) + draws.reshape(np.shape(values))


@cache  # because all data sets use the same orders
def _rounded_best_order(budget: Budget, cells: int) -> float:
    """Return the best order, rounded to thousandths; it does not depend on the sensitivity."""
    best = best_order(epsilon=budget.epsilon, delta=budget.delta, cells=cells)
    return round(best.order, 3)


def best_order(*, epsilon: Epsilon, delta: Delta, cells: Cells = 1) -> GeneralizedGaussian:
    """Return the GG noise for (ε, δ)-approximate DP with the smallest standard deviation.

    Its ``order`` is the best p in [1, 100], to within 1e-3. Its ``scale`` is the scale of the rule
    "adp-exact" at this order. The search takes about 20 ms for one cell, and about 1 s for two.

    The standard deviation may have two minima as a function of p, as near δ = 0.9 at small ε.
    Therefore the minimum is first bracketed, by the smallest of the values at 22 orders from 1 to
    100. Within the bracket, it is a root of the derivative of an interpolating polynomial. This is
    more precise than a comparison of the values, which hardly differ at large p.

    As ε decreases towards 0, the best order grows without bound, and the noise approaches uniform
    noise. The result is 100 if the best order is larger, with an sd within 0.03 % of uniform noise.

    >>> from ggexp import best_order
    >>> noise = best_order(epsilon=0.5, delta=0.01)
    >>> round(noise.order, 2), round(noise.sd, 4)
    (1.15, 2.5888)
    """

    def noise(order: float) -> GeneralizedGaussian:
        calibrated = calibration.calibrate(
            EXACT, order=order, epsilon=epsilon, delta=delta, cells=cells
        )
        assert isinstance(calibrated, GeneralizedGaussian)
        return calibrated

    def log_sd(order: float) -> float:
        return log(noise(order).scale) + (lgamma(3 / order) - lgamma(1 / order)) / 2

    # a scale for several cells takes far longer to find
    orders, degree = (_ORDERS, _DEGREE) if cells == 1 else (_ORDERS[::3], _DEGREE // 2)
    values: list[float] = []
    for order in orders:
        values.append(log_sd(order))
        if cells > 2 and values[-1] > min(values) + log(2):
            break  # the best order of many cells is close to 2
    lowest = int(np.argmin(values))
    order = 1.0
    if lowest:
        low, high = orders[lowest - 1], orders[min(lowest + 1, len(orders) - 1)]
        order = _minimizer(log_sd, low, high, degree)
    return noise(order)


def _minimizer(function: Callable[[float], float], low: float, high: float, degree: int) -> float:
    """Return the minimizer in [low, high] of a smooth function, from a polynomial."""
    ends = [log(low), log(high)]
    at_logarithms = np.vectorize(lambda x: function(exp(x)), otypes=[float])
    fitted = Chebyshev.interpolate(at_logarithms, degree, domain=ends)
    roots = fitted.deriv().roots()
    inside = roots[(np.abs(roots.imag) < 1e-9) & (roots.real > ends[0]) & (roots.real < ends[1])]
    stationary = [exp(x) for x in inside.real]
    return float(min([low, high, *stationary], key=function))
