"""The design: the grid points of every data set, with their noise."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import CHANGED_CELLS, Neighbours
from ggexp.releases.point import GridPoint, NoisyPoint

if TYPE_CHECKING:  # pydantic, which the library alone does not need
    from ggexp.experiment.keys import Configuration
    from ggexp.experiment.notebook import GivenNoise

#: The mechanisms that are compared on a user's own table by default.
PROPOSED_MECHANISMS = {
    "geometric": Mechanism(None, "pure-integer"),
    "optimal": Mechanism(None, "adp-optimal"),
    "discrete-gaussian": Mechanism(2, "adp-exact-integer"),
    "laplace": Mechanism(1, "pure"),
    "truncated-laplace": Mechanism(1, "adp-truncated"),
    "best-order": Mechanism("best", "adp-exact"),
}


def grid(config: "Configuration") -> dict[str, list[NoisyPoint]]:
    """Return data set -> grid points with their noise, in the order mechanism, ε, δ."""
    return {
        dataset: [
            point
            for name in data.mechanisms
            for point in grid_points(
                *(dataset, name, config.mechanisms[name].mechanism),
                *(config.budgets(name, data), config.neighbours),
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
    budgets: Iterable[Budget],
    neighbours: Neighbours,
) -> list[NoisyPoint]:
    """Return the grid points of a mechanism, with their noise; a δ of 0 is not used."""
    cells = CHANGED_CELLS[neighbours]
    points = []
    for budget in budgets:
        try:
            order, noise = mechanism.order_at(budget, cells), _noise(mechanism, budget, cells)
        except ValueError as error:
            raise ValueError(f"mechanisms.{name}, at {budget}: {error}") from error
        at = budget.epsilon, budget.delta or None
        points.append(
            NoisyPoint(GridPoint(dataset, name, order, mechanism.calibration, *at), noise)
        )
    return points
