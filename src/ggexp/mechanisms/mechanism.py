"""Mechanisms: generalized Gaussian noise of an order, with the scale of a calibration rule.

Noise of some rules has a bound too.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms import calibration
from ggexp.mechanisms.distribution import Noise, noise


@dataclass(frozen=True)
class Mechanism:
    """A GG mechanism: an order p and the calibration rule that sets its scale.

    order: p >= 1 (1 Laplace, 2 Gaussian, 3 the paper's GGM-3).
    calibration: a name in `ggexp.mechanisms.calibration.RULES`.
    Raises ValueError for an unknown rule or an order that it does not fit.
    """

    order: float
    calibration: str

    def __post_init__(self) -> None:
        calibration.rule(self.calibration).check_order(self.order)

    @property
    def uses_delta(self) -> bool:
        """Whether the guarantee has a δ."""
        return calibration.rule(self.calibration).uses_delta

    def scale(
        self, *, epsilon: float, delta: float | None = None, sensitivity: float = 1.0
    ) -> float:
        """Return the scale b of the noise at (ε, δ); see `ggexp.mechanisms.calibration.scale`."""
        return calibration.scale(
            self.calibration,
            order=self.order,
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
        )

    def bound(
        self, *, epsilon: float, delta: float | None = None, sensitivity: float = 1.0
    ) -> float | None:
        """Return the bound of the noise at (ε, δ), or None; see `calibration.bound`."""
        return calibration.bound(
            self.calibration,
            order=self.order,
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
        )

    def noise(
        self, *, epsilon: float, delta: float | None = None, sensitivity: float = 1.0
    ) -> Noise:
        """Return the distribution of the noise at (ε, δ), centred at 0."""
        b = self.scale(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        bound = self.bound(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
        return noise(self.order, b, bound)

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
