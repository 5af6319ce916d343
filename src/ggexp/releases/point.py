"""Grid points, the random stream of each of their repeats, and the noise at them."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ggexp.mechanisms import noise
from ggexp.mechanisms.noise import Noise
from ggexp.streams import stream


@dataclass(frozen=True)
class GridPoint:
    """One grid point, the unit of work: a data set, a mechanism, an ε and, if it has one, a δ.

    mechanism: the name in the configuration; order and calibration are what it stands for. order is
        None if the noise has none.
    """

    dataset: str
    mechanism: str
    order: float | None
    calibration: str
    epsilon: float
    delta: float | None

    @property
    def label(self) -> str:
        """The part of a file name that tells ε and δ, e.g. ``epsilon-0.5_delta-0.01``."""
        label = f"epsilon-{float(self.epsilon)!r}"
        return label if self.delta is None else f"{label}_delta-{float(self.delta)!r}"

    @property
    def path(self) -> str:
        """The grid point's place below a folder: ``dataset/mechanism/label``."""
        return f"{self.dataset}/{self.mechanism}/{self.label}"

    def columns(self, rows: int) -> dict[str, NDArray[Any]]:
        """Return the key columns of a table with that many rows about this grid point.

        A δ that is not there is None.
        """
        return {
            "dataset": np.full(rows, self.dataset),
            "mechanism": np.full(rows, self.mechanism),
            "epsilon": np.full(rows, float(self.epsilon)),
            "delta": np.full(rows, None if self.delta is None else float(self.delta)),
        }

    def stream(self, seed: int, repeat: int) -> np.random.Generator:
        """Return the random stream of a repeat (from 0), the same in whatever order they run.

        It depends on the seed, the grid point's named fields and the repeat, and on nothing else:
        more repeats begin with the same ones, and no other grid point shares a stream.
        """
        return stream(seed, self._name, repeat)

    @cached_property
    def _name(self) -> str:
        """What tells grid points apart; numbers by their repr, so that 1 and 1.0 agree."""
        fields = {
            name: value if isinstance(value, str | None) else repr(float(value))
            for name, value in asdict(self).items()
        }
        if self.order is None:
            fields["order"] = "none"
        return json.dumps(fields, sort_keys=True)


@dataclass(frozen=True)
class NoisyPoint:
    """A grid point with the noise that its mechanism adds there.

    It is what jobs are told of a point, by `parameters`: so they run again if the noise changes,
    and not for an edit of the rule that it comes from.
    """

    point: GridPoint
    noise: Noise

    def parameters(self) -> dict[str, Any]:
        """Return the point and its noise as plain numbers and texts, by name."""
        return {"point": asdict(self.point), "noise": self.noise.parameters()}

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> "NoisyPoint":
        """Return the point with its noise from what `parameters` returned."""
        return cls(GridPoint(**parameters["point"]), noise.from_parameters(parameters["noise"]))
