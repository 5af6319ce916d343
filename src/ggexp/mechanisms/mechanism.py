"""Mechanisms: an order and a calibration rule, which together give noise."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms import calibration
from ggexp.mechanisms.calibration import BEST, Order
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.optimal_order import best_order


@dataclass(frozen=True)
class Mechanism:
    """A mechanism: an order p and the calibration rule that sets the noise.

    order: p >= 1 (1 Laplace, 2 Gaussian, 3 the paper's GGM-3), "best" for the order of least
        standard deviation at each (ε, δ), None for a rule whose noise has no order.
    calibration: a name in `ggexp.mechanisms.calibration.RULES`.
    Raises ValueError for an unknown rule or an order that it does not fit.
    """

    order: Order
    calibration: str

    def __post_init__(self) -> None:
        rule = calibration.rule(self.calibration)
        if self.order == BEST:
            rule.check_best()
        else:
            rule.check_order(self.order)  # type: ignore[arg-type]  # which refuses other texts

    @property
    def uses_delta(self) -> bool:
        """Whether the guarantee has a δ."""
        return calibration.rule(self.calibration).uses_delta

    def order_at(self, epsilon: float, delta: float | None) -> float | None:
        """Return the order at (ε, δ): if it is the best one, its number in thousandths.

        Streams hash that number, and an optimizer's last digits depend on its tolerance.
        """
        if self.order == BEST:
            return _best_order(
                checks.positive("epsilon", epsilon), checks.open_unit("delta", delta)
            )
        return self.order  # type: ignore[return-value]  # no other text is an order

    def noise(
        self, *, epsilon: float, delta: float | None = None, sensitivity: float = 1.0
    ) -> Noise:
        """Return the noise at (ε, δ), centred at 0; see `ggexp.mechanisms.calibration.noise`."""
        return calibration.noise(
            self.calibration,
            order=self.order_at(epsilon, delta),
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
        )

    def scale(
        self, *, epsilon: float, delta: float | None = None, sensitivity: float = 1.0
    ) -> float:
        """Return the scale b of the noise at (ε, δ); see `ggexp.mechanisms.calibration.scale`."""
        return calibration.scale(
            self.calibration,
            order=self.order_at(epsilon, delta),
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
        )

    def bound(
        self, *, epsilon: float, delta: float | None = None, sensitivity: float = 1.0
    ) -> float | None:
        """Return what the noise at (ε, δ) never exceeds, or None."""
        noise = self.noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        return noise.numbers.get("bound")

    def release(
        self,
        values: NDArray[np.float64],
        rng: np.random.Generator,
        *,
        epsilon: float,
        delta: float | None = None,
        sensitivity: float = 1.0,
    ) -> NDArray[np.float64]:
        """Return the values with independent noise added to each, same shape.

        Raises ValueError for a value that is not finite, TypeError for an rng that is no Generator.
        """
        checks.all_finite("values", values)
        drawn = self.noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity).sample(
            rng, np.size(values)
        )
        return np.asarray(values) + drawn.reshape(np.shape(values))


@cache  # for all data sets
def _best_order(epsilon: float, delta: float) -> float:
    """Return the best order in thousandths, for any sensitivity: scales are proportional to it."""
    return round(best_order(epsilon=epsilon, delta=delta).order, 3)
