"""The audited releases of a cell of a histogram, with sufficient or insufficient noise."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from ggexp.companions import audit
from ggexp.companions.rules import RULES, noise_by
from ggexp.mechanisms import bounded
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.integer_valued import IntegerValuedNoise
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.sensitivity import CHANGED_CELLS, Neighbours
from ggexp.releases.kinds import KINDS, STABILITY, THRESHOLD
from ggexp.releases.simulate import noisy_counts, rescale
from ggexp.releases.unlisted import Unlisted
from ggexp.streams import stream

EVERY_CELL = "every cell"
RELEASES = 1_000_000  # releases of each of two neighbours
RELEASES_PDP = 5_000_000  # more, because this guarantee is about single, rarely released values
RELEASES_ABOVE = 200_000  # fewer, because noise above a threshold takes far longer to draw
REACH, DIFFERENCES = 6.0, 121  # largest distance of a threshold, in sds, and their number
TOTAL = 1_000_000  # n, so large that rescaling changes a count of 100 by only about 0.001


class Bounded(NamedTuple):
    """A mechanism that satisfies ε-DP for one count between 0 and n (paper, section 2.5).

    calibration: the name of the definition of its scale. scale: (order, ε, n) -> b.
    mechanism: (order, b, 0, n) -> a mechanism that releases counts.
    detected_divisor: the audit must detect insufficient noise, whose scale is divided by this
        factor. At order p, the smaller scale is calibrated to detected_divisor^p times ε.
    releases: the number of releases of each of two neighbours.
    """

    calibration: str
    scale: Callable[[float, float, int], float]
    mechanism: type[bounded.Truncated] | type[bounded.Inflated]
    detected_divisor: float
    releases: int


def _truncated_scale(order: float, epsilon: float, total: int) -> float:
    return bounded.bounded_gg(order=order, epsilon=epsilon, low=0, high=total, sensitivity=1).scale


def _inflated_scale(order: float, epsilon: float, total: int) -> float:
    return bounded.inflated_scale(order=order, epsilon=epsilon, width=total, sensitivity=1)


BOUNDED = {
    # its scale is at least twice the needed scale, and its releases take 20 times as long
    "truncated": Bounded("definition-5", _truncated_scale, bounded.Truncated, 2.5, RELEASES // 5),
    "boundary-inflated": Bounded("definition-6", _inflated_scale, bounded.Inflated, 1.25, RELEASES),
}


@dataclass(frozen=True)
class Audited:
    """A cell of a histogram, released with sufficient or insufficient noise.

    released: the kind of release, which is `EVERY_CELL`, `THRESHOLD`, `STABILITY` or a key of
        `BOUNDED`. For `BOUNDED` the histogram is only this cell.
    made_for: the multiple of ε to which the noise is calibrated. For `STABILITY`, only the noise
        that determines the threshold is calibrated to this multiple. A value above 1 is a
        fault that the audit must find.
    records: the count of the cell. It is larger by 1 in the neighbour. With "replace-one", a second
        cell has the same count, which is smaller by 1 in the neighbour.
    total: n, the same for both neighbours, because it is taken as public.
    cells: the number of cells of the domain, for `THRESHOLD` only, whose threshold depends on it.
    neighbours: "replace-one" for `EVERY_CELL` only.
    """

    released: str
    mechanism: str
    order: float | None
    calibration: str
    epsilon: float
    delta: float | None
    made_for: float
    records: int
    total: int = TOTAL
    cells: int | None = None
    neighbours: Neighbours = "add-remove"

    @cached_property
    def noise(self) -> Noise:
        """The noise of the mechanism at ε."""
        return self._noise(self.epsilon)

    @cached_property
    def made_noise(self) -> Noise:
        """The noise of the mechanism at the multiple `made_for` of ε."""
        return self._noise(self.made_for * self.epsilon)

    def _noise(self, epsilon: float) -> Noise:
        if self.released in BOUNDED:
            assert self.order is not None
            b = BOUNDED[self.released].scale(self.order, epsilon, self.total)
            return GeneralizedGaussian(self.order, b)
        cells = CHANGED_CELLS[self.neighbours]
        return noise_by(
            self.calibration, self.order, epsilon=epsilon, delta=self.delta, cells=cells
        )

    @property
    def histograms(self) -> tuple[audit.Counts, audit.Counts]:
        """Two neighbours: the changing cells, and all other records as one further cell."""
        changes = [1, -1][: CHANGED_CELLS[self.neighbours]]
        counts = [self.records] * len(changes)
        histogram = np.array([*counts, self.total - sum(counts)])
        return histogram, histogram + np.array([*changes, 0])

    @property
    def statistic(self) -> Callable[[audit.Floats], audit.Floats]:
        """The function of released counts whose distributions are compared."""
        return audit.first_cell if self.neighbours == "add-remove" else audit.two_cells

    def guarantees(self) -> dict[Guarantee, bool]:
        """Return the guarantees to test, and whether the releases should satisfy each of them."""
        if self.released in BOUNDED:
            return {Guarantee.PURE: self.made_for == 1}
        stated = RULES[self.calibration].guarantee
        if self.released == STABILITY:
            satisfied = self._satisfied(Guarantee.APPROXIMATE, self.noise)
            is_high = self.threshold(self.made_noise) >= self.threshold(self.noise)
            return {Guarantee.APPROXIMATE: satisfied is not None and is_high}
        tested = self._satisfied(stated, self.noise) or Guarantee.APPROXIMATE
        claims = {tested: self._satisfied(tested, self.made_noise) is tested}
        if tested is Guarantee.PROBABILISTIC and claims[tested]:
            claims[Guarantee.PURE] = self._satisfied(Guarantee.PURE, self.made_noise) is not None
        return claims

    def _satisfied(self, stated: Guarantee, noise: Noise) -> Guarantee | None:
        return of_release(
            stated,
            noise,
            Budget.given(self.epsilon, self.delta),
            cells=CHANGED_CELLS[self.neighbours],
            processed=self.is_processed,
        )

    @property
    def releases(self) -> int:
        """The mean number of releases of each neighbour in a full audit."""
        if self.released in BOUNDED:
            return BOUNDED[self.released].releases
        if self.released == THRESHOLD and self.delta is not None:
            return RELEASES_ABOVE
        # fewer are enough if the loss beyond a bound is infinite, or if δ is computed exactly
        is_rare = self.noise.largest == inf and not self.noise.is_integer_valued
        is_pdp = Guarantee.PROBABILISTIC in self.guarantees()
        return RELEASES_PDP if is_pdp and is_rare else RELEASES

    def exact_delta(self, guarantee: Guarantee) -> float | None:
        """Return the δ of integer-valued noise from its exact sampler, None for other noise.

        It is the δ of one noisy count before clamping, which preserves all guarantees except
        probabilistic DP.
        """
        if self.neighbours == "replace-one":
            return None
        noise = self.noise if self.released == STABILITY else self.made_noise
        if not isinstance(noise, IntegerValuedNoise):
            return None
        is_pdp = guarantee is Guarantee.PROBABILISTIC
        return float(noise.exact_delta(epsilon=self.epsilon, probabilistic=is_pdp))

    @property
    def is_processed(self) -> bool:
        """Whether noisy counts may be clamped, set to 0 by a threshold, or subtracted."""
        is_first_cell = self.neighbours == "add-remove"
        return self.released != EVERY_CELL or self.records == 0 or not is_first_cell

    def cuts(self) -> audit.Floats:
        """Return the values at which released counts of the cell are divided into intervals.

        They are computed from the sufficient noise, even if releases have insufficient noise.
        """
        if self.neighbours == "replace-one":  # the difference of two cells, around 0 and 2
            steps = 1 + np.linspace(-REACH, REACH, DIFFERENCES) * self.noise.sd
            return np.unique(np.floor(steps) + 0.5) if self.noise.is_integer_valued else steps
        cuts = audit.thresholds(self.noise, self.records)
        if self.released in BOUNDED:  # separates the upper bound from smaller values
            highest = np.nextafter(self.total, 0)
            return np.append(cuts[cuts < highest], highest)
        return cuts

    def release(self, counts: audit.Counts, rng: np.random.Generator, times: int) -> audit.Floats:
        """Return an array (times, cells) of independent releases by the library's functions."""
        if self.released in BOUNDED:
            mechanism = BOUNDED[self.released].mechanism(
                **self.made_noise.numbers, low=0, high=self.total
            )
            return mechanism.release(np.full((times, 1), counts[0]), rng)
        if self.released == EVERY_CELL:
            noisy = noisy_counts(counts, self.made_noise, rng, times=times, total=self.total)
            return rescale(noisy, self.total)
        # a faulty release by stability has sufficient noise, but a threshold that is too low
        noise = self.noise if self.released == STABILITY else self.made_noise
        threshold = self.threshold(self.made_noise if self.released == STABILITY else self.noise)
        return simulate_unlisted(
            self._kind, counts, noise, rng, times=times, total=self.total, threshold=threshold
        )

    def threshold(self, noise: Noise) -> float:
        """Return the threshold of the kind of release for this noise."""
        return self._kind.threshold(noise, self.delta)

    @property
    def _kind(self) -> Unlisted:
        kind = KINDS[self.released](self.cells or self.histograms[0].size)
        assert isinstance(kind, Unlisted)
        return kind

    def stream(self, seed: int) -> np.random.Generator:
        """Return the random stream of the releases, which depends on the seed and all fields."""
        named = {
            name: value if isinstance(value, str | None) else repr(float(value))
            for name, value in asdict(self).items()
            if (name, value) != ("neighbours", "add-remove")
        }
        return stream(seed, json.dumps(["audit", named], sort_keys=True))


def simulate_unlisted(
    kind: Unlisted,
    counts: audit.Counts,
    noise: Noise,
    rng: np.random.Generator,
    *,
    times: int,
    total: float,
    threshold: float,
) -> audit.Floats:
    """Return independent releases, drawn as by ``kind.simulate``, as an array (times, cells).

    counts: the original counts of all cells, including empty cells. total: n, which is public.
    """
    released, empty = np.zeros((times, counts.size), order="F"), counts == 0
    released[:, ~empty] = noisy_counts(
        counts[~empty], noise, rng, times=times, total=total, threshold=threshold
    )
    added = np.zeros(times * int(empty.sum()))
    places, values = kind.release_empty(added.size, noise, rng, total=total, threshold=threshold)
    added[places] = values
    released[:, empty] = added.reshape(times, -1)
    return rescale(released, total)
