"""The design: the grid points of every data set, and the scale of their noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ggexp.experiment.grid import GridPoint
from ggexp.mechanisms import Mechanism


@dataclass(frozen=True)
class Design:
    """An experiment's design: its seed, its repeats, and the grid points of each data set.

    repeats: releases per grid point, >= 1.
    points: data set -> its grid points, in the configuration's order (mechanism, ε, δ).
    """

    seed: int
    repeats: int
    points: Mapping[str, tuple[GridPoint, ...]]

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Design":
        """Return the design of a configuration that `configuration.check` has passed."""
        points = {
            dataset: tuple(
                GridPoint(dataset, name, mechanism.order, mechanism.calibration, epsilon, delta)
                for name in config["histograms"][dataset]["mechanisms"]
                for mechanism in [Mechanism(**config["mechanisms"][name])]
                for epsilon in config["epsilon"]
                for delta in (config["delta"] if mechanism.uses_delta else [None])
            )
            for dataset in config["datasets"]
        }
        return cls(config["seed"], int(config["repeats"]), points)


def scale(point: GridPoint) -> float:
    """Return the scale b of the noise at a grid point, for a histogram under add/remove (Δ = 1)."""
    mechanism = Mechanism(point.order, point.calibration)
    return mechanism.scale(epsilon=point.epsilon, delta=point.delta)
