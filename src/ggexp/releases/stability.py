"""Releases of the cells of a histogram that are not empty, above a threshold that hides these."""

from dataclasses import dataclass

from ggexp import checks
from ggexp.mechanisms.noise import Noise
from ggexp.releases.unlisted import Unlisted


@dataclass(frozen=True)
class Stability(Unlisted):
    """Noise is added to the cells that are not empty, and counts up to a threshold become 0.

    One record must make one cell at most empty or not.
    """

    uses_delta = True
    neighbours = ("add-remove",)

    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return 1 + t with Pr(noise > t) = δ, at least 0.

        A record that is alone in its cell is released with probability δ. For Laplace noise t is
        ln(1/(2δ)) b.
        """
        return max(0.0, 1 + noise.upper_point(checks.open_unit("delta", delta)))
