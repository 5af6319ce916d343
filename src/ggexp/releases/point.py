"""Grid points, the random stream of each repeat, and the noise at a grid point."""

import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ggexp.mechanisms import noise
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import Delta, Epsilon, Order
from ggexp.streams import stream


@dataclass(frozen=True)
class GridPoint:
    """A grid point, the unit of work: a data set, a mechanism, ε and, if it is used, δ.

    The names of the data set and the mechanism are those in the configuration. The order is None if
    the noise has none, and δ is None if the mechanism has none.

    >>> from ggexp import GridPoint
    >>> point = GridPoint("czech", "gaussian", 2, "adp-exact", 0.5, 0.01)
    >>> point.path
    'czech/gaussian/epsilon-0.5_delta-0.01'
    >>> point.stream(seed=1, repeat=0).integers(100, size=3)
    array([57, 80, 59])
    """

    dataset: str
    mechanism: str
    order: Order | None
    calibration: str
    epsilon: Epsilon
    delta: Delta | None

    @property
    def budget(self) -> Budget:
        """ε and δ."""
        return Budget.given(self.epsilon, self.delta)

    @property
    def label(self) -> str:
        """The part of a file name that states ε and δ, for example ``epsilon-0.5_delta-0.01``."""
        label = f"epsilon-{float(self.epsilon)!r}"
        return label if self.delta is None else f"{label}_delta-{float(self.delta)!r}"

    @property
    def path(self) -> str:
        """The relative path of files of the grid point: ``dataset/mechanism/label``."""
        return f"{self.dataset}/{self.mechanism}/{self.label}"

    def columns(self, rows: int) -> dict[str, NDArray[Any]]:
        """Return the key columns of a table about this grid point; a missing δ is None."""
        return {
            "dataset": np.full(rows, self.dataset),
            "mechanism": np.full(rows, self.mechanism),
            "epsilon": np.full(rows, float(self.epsilon)),
            "delta": np.full(rows, None if self.delta is None else float(self.delta)),
        }

    def stream(self, seed: int, repeat: int) -> np.random.Generator:
        """Return the random stream of a repeat, counted from 0.

        It depends only on the seed, the named fields of the grid point and the repeat. Therefore a
        run with more repeats begins with the same repeats, and no two grid points share a stream.
        """
        return stream(seed, self._name, repeat)

    @cached_property
    def _name(self) -> str:
        """The text that identifies the grid point. Numbers are floats, so that 1 and 1.0 agree."""
        fields = {
            name: value if isinstance(value, str | None) else repr(float(value))
            for name, value in asdict(self).items()
        }
        if self.order is None:
            fields["order"] = "none"
        return json.dumps(fields, sort_keys=True)


class PointParameters(TypedDict):
    """A grid point and its noise as plain numbers and strings, by name, which jobs receive."""

    point: dict[str, Any]
    noise: dict[str, Any]


@dataclass(frozen=True)
class NoisyPoint:
    """A grid point with the noise of its mechanism at its ε and δ.

    Jobs receive the result of `parameters`. Therefore they rerun if the noise changes, but not if
    only the code of the calibration rule changes.

    >>> from ggexp import GridPoint, Mechanism, NoisyPoint
    >>> point = GridPoint("czech", "gaussian", 2, "adp-exact", 0.5, 0.01)
    >>> noisy = NoisyPoint(point, Mechanism(2, "adp-exact").noise(epsilon=0.5, delta=0.01))
    >>> NoisyPoint.from_parameters(noisy.parameters()) == noisy
    True
    """

    point: GridPoint
    noise: Noise

    def parameters(self) -> PointParameters:
        """Return the point and its noise as plain numbers and strings."""
        return {"point": asdict(self.point), "noise": self.noise.parameters()}

    @classmethod
    def from_parameters(cls, parameters: PointParameters) -> "NoisyPoint":
        """Return the inverse of `parameters`."""
        return cls(GridPoint(**parameters["point"]), noise.from_parameters(parameters["noise"]))
