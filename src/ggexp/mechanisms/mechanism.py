"""Mechanisms: an order and a calibration rule, which together determine the noise."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms import calibration
from ggexp.mechanisms.calibration import BEST
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.optimal_order import best_order
from ggexp.ranges import AnyOrder, Cells, Delta, Epsilon, Sensitivity


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
        if self.order == BEST:
            rule.check_best()
        else:
            rule.check_order(self.order)  # type: ignore[arg-type]  # refuses other strings

    @property
    def uses_delta(self) -> bool:
        """Whether the guarantee has a δ."""
        return calibration.rule(self.calibration).uses_delta

    def order_at(self, epsilon: Epsilon, delta: Delta | None, cells: Cells = 1) -> float | None:
        """Return the order at (ε, δ); the best order is rounded, because random streams hash it."""
        if self.order == BEST:
            return _rounded_best_order(
                checks.positive("epsilon", epsilon), checks.open_unit("delta", delta), cells
            )
        return self.order  # type: ignore[return-value]  # no other string is an order

    def noise(
        self,
        *,
        epsilon: Epsilon,
        delta: Delta | None = None,
        sensitivity: Sensitivity = 1.0,
        cells: Cells = 1,
        tables: Cells = 1,
    ) -> Noise:
        """Return the noise at (ε, δ), as `ggexp.mechanisms.calibration.calibrate`.

        cells: the number of cells of a table that one record may change: 2 if it is replaced.
        tables: the number of tables of the same records, which satisfy the guarantee together.

        >>> from ggexp import Mechanism
        >>> round(Mechanism(1.5, "adp-exact").noise(epsilon=1, delta=1e-6, tables=10).sd, 3)
        12.609
        """
        cells = checks.count("cells", cells) * checks.count("tables", tables)
        return calibration.calibrate(
            self.calibration,
            order=self.order_at(epsilon, delta, cells),
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
        draws = self.noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity).sample(
            rng, np.size(values)
        )
        return np.asarray(values) + draws.reshape(np.shape(values))


@cache  # because all data sets use the same orders
def _rounded_best_order(epsilon: float, delta: float, cells: int) -> float:
    """Return the best order, rounded to thousandths; it does not depend on the sensitivity."""
    return round(best_order(epsilon=epsilon, delta=delta, cells=cells).order, 3)
