"""The design: the grid points of every data set, with their noise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ggexp.experiment.cells import uses_delta
from ggexp.experiment.grid import GridPoint, NoisyPoint
from ggexp.mechanisms import calibration, sensitivity
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_order import best_order

#: The order of a configuration that stands for the best one at each (ε, δ).
BEST = "best"


@dataclass(frozen=True)
class Design:
    """An experiment's design: its seed, its repeats, and the grid points of each data set.

    repeats: releases per grid point, >= 1.
    points: data set -> its grid points, in the configuration's order (mechanism, ε, δ), each with
        its noise, in records. The noise is calibrated here, while a run is planned, so that an edit
        of a calibration rule reruns only what it changes.
    """

    seed: int
    repeats: int
    points: Mapping[str, Sequence[NoisyPoint]]

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Design":
        """Return the design of a configuration that `configuration.check` has passed."""
        points: dict[str, list[NoisyPoint]] = {name: [] for name in config["datasets"]}
        for dataset, name, epsilon, delta in _places(config):
            mechanism = mechanism_at(config["mechanisms"][name], epsilon, delta)
            moved = sensitivity.histogram(mechanism.order, config["neighbours"])
            point = GridPoint(dataset, name, mechanism.order, mechanism.calibration, epsilon, delta)
            noise = mechanism.noise(epsilon=epsilon, delta=delta, sensitivity=moved)
            points[dataset].append(NoisyPoint(point, noise))
        return cls(config["seed"], int(config["repeats"]), points)


def _places(config: Mapping[str, Any]) -> Iterator[tuple[str, str, float, float | None]]:
    """Yield data set, mechanism, ε and δ of each grid point, δ None where nothing there has one."""
    for dataset in config["datasets"]:
        settings = config["histograms"][dataset]
        for name in settings["mechanisms"]:
            rule = calibration.rule(config["mechanisms"][name]["calibration"])
            for epsilon in map(float, config["epsilon"]):  # so that 1 and 1.0 are one job
                for delta in map(float, config["delta"]) if uses_delta(settings, rule) else [None]:
                    yield dataset, name, epsilon, delta


def mechanism_at(settings: Mapping[str, Any], epsilon: float, delta: float | None) -> Mechanism:
    """Return the mechanism of these settings at (ε, δ), where it is known which order is best."""
    if settings["order"] != BEST:
        return Mechanism(**settings)
    assert delta is not None  # of "adp-exact", the one rule that has a best order
    return Mechanism(_best_order(epsilon, delta), settings["calibration"])


@cache  # for all data sets
def _best_order(epsilon: float, delta: float) -> float:
    """Return the best order in thousandths.

    Streams hash it, and an optimizer's last digits hang on its tolerance. Its sensitivity does not
    matter: scales are proportional to it.
    """
    return round(best_order(epsilon=epsilon, delta=delta).order, 3)
