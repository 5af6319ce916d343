"""Releases of the non-empty cells of a histogram, above a threshold that hides single records."""

from dataclasses import dataclass

from ggexp import checks
from ggexp.mechanisms.noise import Noise
from ggexp.releases.unlisted import Unlisted


@dataclass(frozen=True)
class Stability(Unlisted):
    """Noise is added to the non-empty cells, and noisy counts up to a threshold become 0.

    Neighbours must be add-remove, so that at most one cell is empty in one
    table and not in the other.
    """

    uses_delta = True
    neighbours = ("add-remove",)

    def threshold(self, noise: Noise, delta: float | None) -> float:
        """Return 1 + t with Pr(noise > t) = δ, at least 0.

        A cell with a single record is released with probability δ. For Laplace noise of scale b, t
        is ln(1/(2δ)) b.
        """
        return max(0.0, 1 + noise.upper_point(checks.open_unit("delta", delta)))
