"""The design: the grid points of every data set, with their noise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ggexp.mechanisms import calibration
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import CHANGED_CELLS
from ggexp.releases.kinds import kind_of
from ggexp.releases.point import GridPoint, NoisyPoint

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


@dataclass(frozen=True)
class Design:
    """An experiment's design: its seed, its repeats, and the grid points of each data set.

    repeats: releases per grid point, >= 1.
    points: data set -> grid points with their noise, in the order of the configuration (mechanism,
        ε, δ). The unit of the noise is records. Noise is calibrated when a run is planned, so that
        an edit of a calibration rule reruns only the jobs whose noise changes.
    """

    seed: int
    repeats: int
    points: Mapping[str, Sequence[NoisyPoint]]

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Design":
        """Return the design of a configuration. config: the result of `configuration.check`."""
        points: dict[str, list[NoisyPoint]] = {name: [] for name in config["datasets"]}
        for dataset, name, epsilon, delta in _grid(config):
            mechanism = Mechanism(**{"order": None, **config["mechanisms"][name]})
            cells = CHANGED_CELLS[config["neighbours"]]
            try:
                order = mechanism.order_at(epsilon, delta, cells)
                noise = _noise(mechanism, epsilon, delta, cells)
            except ValueError as error:
                at = f"epsilon: {epsilon!r}" + f", delta: {delta!r}" * (delta is not None)
                raise ValueError(f"mechanisms.{name}, at {at}: {error}") from error
            point = GridPoint(dataset, name, order, mechanism.calibration, epsilon, delta)
            points[dataset].append(NoisyPoint(point, noise))
        return cls(config["seed"], int(config["repeats"]), points)


@cache  # because all data sets use the same noise, and noise for two cells takes longer to find
def _noise(mechanism: Mechanism, epsilon: float, delta: float | None, cells: int) -> Noise:
    """Return the noise of a mechanism at (ε, δ), on each of the cells that change."""
    return mechanism.noise(epsilon=epsilon, delta=delta, cells=cells)


def _grid(config: Mapping[str, Any]) -> Iterator[tuple[str, str, float, float | None]]:
    """Yield the data set, mechanism, ε and δ (None if not used) of each grid point."""
    for dataset in config["datasets"]:
        settings = config["histograms"][dataset]
        for name in settings["mechanisms"]:
            rule = calibration.rule(config["mechanisms"][name]["calibration"])
            uses_delta = rule.uses_delta or kind_of(settings).uses_delta
            for epsilon in map(float, config["epsilon"]):  # so that 1 and 1.0 are the same job
                for delta in map(float, config["delta"]) if uses_delta else [None]:
                    yield dataset, name, epsilon, delta
