"""The design: the grid points of every data set, with their noise."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import CHANGED_CELLS, Neighbours
from ggexp.releases.point import GridPoint, NoisyPoint

if TYPE_CHECKING:  # pydantic, which the library alone does not need
    from ggexp.experiment.keys import Configuration
    from ggexp.experiment.notebook import GivenNoise

#: The mechanisms that are compared on a user's own table by default: name -> configuration. Counts
#: are whole numbers; the smallest noise for them is integer-valued noise.
PROPOSED_MECHANISMS: dict[str, dict[str, Any]] = {
    "geometric": {"calibration": "pure-integer"},
    "optimal": {"calibration": "adp-optimal"},
    "discrete-gaussian": {"order": 2, "calibration": "adp-exact-integer"},
    "laplace": {"order": 1, "calibration": "pure"},
    "truncated-laplace": {"order": 1, "calibration": "adp-truncated"},
    "best-order": {"order": "best", "calibration": "adp-exact"},
}


def grid(config: "Configuration") -> dict[str, list[NoisyPoint]]:
    """Return data set -> grid points with their noise, in the order mechanism, ε, δ.

    config: a checked configuration. The unit of the noise is records.
    """
    return {
        dataset: [
            point
            for name in data.mechanisms
            for point in grid_points(
                *(dataset, name, config.mechanisms[name].mechanism),
                *(config.guarantees(name, data), config.neighbours),
            )
        ]
        for dataset, data in config.data.items()
    }


@cache  # because all data sets use the same noise, and noise for two cells takes longer to find
def _noise(mechanism: "Mechanism | GivenNoise", budget: Budget, cells: int) -> Noise:
    """Return the noise of a mechanism; a δ of 0 is none."""
    return mechanism.noise(epsilon=budget.epsilon, delta=budget.delta or None, cells=cells)


def grid_points(
    dataset: str,
    name: str,
    mechanism: "Mechanism | GivenNoise",
    guarantees: Iterable[tuple[float, float | None]],
    neighbours: Neighbours,
) -> list[NoisyPoint]:
    """Return the grid points of a mechanism, with their noise.

    mechanism: or what has its attributes, such as `ggexp.experiment.notebook.GivenNoise`.
    guarantees: the ε and δ (None if not used) of each point.
    """
    cells = CHANGED_CELLS[neighbours]
    points = []
    for epsilon, delta in guarantees:
        try:
            budget = Budget(epsilon, delta or 0.0)
            order = mechanism.order_at(budget, cells)
            noise = _noise(mechanism, budget, cells)
        except ValueError as error:
            at = f"epsilon: {epsilon!r}" + f", delta: {delta!r}" * (delta is not None)
            raise ValueError(f"mechanisms.{name}, at {at}: {error}") from error
        point = GridPoint(dataset, name, order, mechanism.calibration, epsilon, delta)
        points.append(NoisyPoint(point, noise))
    return points
