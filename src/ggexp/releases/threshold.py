"""Releases of a histogram with too many cells to list: noise on all cells, and a threshold."""

from dataclasses import dataclass

from ggexp.mechanisms.noise import Noise
from ggexp.releases.unlisted import Unlisted


@dataclass(frozen=True)
class Threshold(Unlisted):
    """Noise is added to all cells, and noisy counts up to a threshold become 0.

    expected_empty: the expected number of released cells if all cells are empty.
    """

    adds_cells = True
    expected_empty: float = 200.0

    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return the count that a cell's noisy count must exceed to be released, >= 0."""
        share = min(1 / 2, self.expected_empty / self.cells)  # the tail beyond 0 is 1/2
        return noise.upper_point(share)
