"""The design: the grid points of every data set, with the scale of their noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ggexp.experiment.grid import GridPoint
from ggexp.mechanisms import sensitivity
from ggexp.mechanisms.mechanism import Mechanism


@dataclass(frozen=True)
class Design:
    """An experiment's design: its seed, its repeats, and the grid points of each data set.

    repeats: releases per grid point, >= 1.
    scales: data set -> its grid points, in the configuration's order (mechanism, ε, δ), each with
        the scale b of its noise, in records. Scales are computed here, while a run is planned, so
        that an edit of a calibration rule reruns only what it changes.
    """

    seed: int
    repeats: int
    scales: Mapping[str, Mapping[GridPoint, float]]

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Design":
        """Return the design of a configuration that `configuration.check` has passed."""
        scales = {
            dataset: {
                GridPoint(
                    dataset, name, mechanism.order, mechanism.calibration, epsilon, delta
                ): mechanism.scale(epsilon=epsilon, delta=delta, sensitivity=moved)
                for name in config["histograms"][dataset]["mechanisms"]
                for mechanism in [Mechanism(**config["mechanisms"][name])]
                for moved in [sensitivity.histogram(mechanism.order, config["neighbours"])]
                for epsilon in config["epsilon"]
                for delta in (config["delta"] if mechanism.uses_delta else [None])
            }
            for dataset in config["datasets"]
        }
        return cls(config["seed"], int(config["repeats"]), scales)
