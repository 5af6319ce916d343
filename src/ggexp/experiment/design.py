"""The design: the grid points of every data set, with their noise."""

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.sensitivity import CHANGED_CELLS, Neighbours
from ggexp.releases.point import GridPoint, NoisyPoint

if TYPE_CHECKING:  # pydantic, which the library alone does not need
    from ggexp.experiment.keys import Configuration

#: All data sets use the same noise, and noise for two cells takes longer to find.
_noise = cache(Mechanism.noise)
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


def grid_points(
    dataset: str,
    name: str,
    mechanism: Mechanism,
    guarantees: Iterable[tuple[float, float | None]],
    neighbours: Neighbours,
) -> list[NoisyPoint]:
    """Return the grid points of a mechanism, with their noise.

    guarantees: the ε and δ (None if not used) of each point.
    """
    cells = CHANGED_CELLS[neighbours]
    points = []
    for epsilon, delta in guarantees:
        try:
            order = mechanism.order_at(Budget.given(epsilon, delta), cells)
            noise = _noise(mechanism, epsilon=epsilon, delta=delta, cells=cells)
        except ValueError as error:
            at = f"epsilon: {epsilon!r}" + f", delta: {delta!r}" * (delta is not None)
            raise ValueError(f"mechanisms.{name}, at {at}: {error}") from error
        point = GridPoint(dataset, name, order, mechanism.calibration, epsilon, delta)
        points.append(NoisyPoint(point, noise))
    return points
