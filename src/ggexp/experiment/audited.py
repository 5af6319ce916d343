"""The releases of the audit: a cell of a histogram, with the noise of a mechanism or with less."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from ggexp.guarantees import audit
from ggexp.mechanisms import bounded, calibration
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.releases.kinds import KINDS, STABILITY, THRESHOLD
from ggexp.releases.sanitize import sanitize_times
from ggexp.releases.unlisted import Unlisted
from ggexp.streams import stream

EVERY_CELL = "every cell"
RELEASES = 1_000_000  # of each of two neighbours
RELEASES_PDP = 5_000_000  # a statement about single values, which few releases come near
RELEASES_ABOVE = 200_000  # of noise above a threshold, whose values take far longer to draw
TOTAL = 1_000_000  # n: rescaling by it moves a count of 100 by some 0.001, and hides nothing


class Bounded(NamedTuple):
    """A mechanism that satisfies ε-DP for one count between 0 and n (paper, section 2.5).

    calibration: the definition that gives its scale. scale: (order, ε, n) -> b.
    mechanism: (order, b, 0, n) -> a mechanism that releases counts.
    caught: the audit must catch 1/caught of its scale, which is that of caught^p times ε at order
    p. releases: of each of two neighbours.
    """

    calibration: str
    scale: Callable[[float, float, int], float]
    mechanism: type[bounded.Truncated] | type[bounded.Inflated]
    caught: float
    releases: int


def _truncated_scale(order: float, epsilon: float, total: int) -> float:
    return bounded.bounded_gg(order=order, epsilon=epsilon, low=0, high=total, sensitivity=1).scale


def _inflated_scale(order: float, epsilon: float, total: int) -> float:
    return bounded.inflated_scale(order=order, epsilon=epsilon, width=total, sensitivity=1)


BOUNDED = {
    # its scale is twice what is needed and more, and a release takes twenty times as long
    "truncated": Bounded("definition-5", _truncated_scale, bounded.Truncated, 2.5, RELEASES // 5),
    "boundary-inflated": Bounded("definition-6", _inflated_scale, bounded.Inflated, 1.25, RELEASES),
}


@dataclass(frozen=True)
class Audited:
    """A cell of a histogram and its noise, that of a mechanism at a grid point or less.

    released: how the histogram is released: `EVERY_CELL`, `THRESHOLD`, `STABILITY` or one of
        `BOUNDED`, whose histogram is only the cell.
    made_for: the multiple of ε for which the noise is made, or for `STABILITY` the noise of the
        threshold; more than 1 for a fault that the audit must find.
    records: in the cell; its neighbour has one more.
    total: n, which neighbours share, because it is taken as public.
    cells: of the domain, for `THRESHOLD` only, whose threshold follows from it.
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

    @cached_property
    def noise(self) -> Noise:
        """The noise that the mechanism adds."""
        return self._noise(self.epsilon)

    @cached_property
    def made(self) -> Noise:
        """The noise that is made for the multiple of ε."""
        return self._noise(self.made_for * self.epsilon)

    def _noise(self, epsilon: float) -> Noise:
        if self.released in BOUNDED:
            assert self.order is not None
            b = BOUNDED[self.released].scale(self.order, epsilon, self.total)
            return GeneralizedGaussian(self.order, b)
        mechanism = Mechanism(self.order, self.calibration)
        return mechanism.noise(epsilon=epsilon, delta=self.delta)

    @property
    def counts(self) -> audit.Counts:
        """The histogram with one record less: the cell and, where there are others, the rest."""
        return np.array([self.records, self.total - self.records])

    def guarantees(self) -> dict[Guarantee, bool]:
        """Return the guarantees to test, and for each whether the releases should satisfy it."""
        if self.released in BOUNDED:
            return {Guarantee.PURE: self.made_for == 1}
        stated = calibration.rule(self.calibration).guarantee
        if self.released == STABILITY:
            satisfied = self._satisfied(Guarantee.APPROXIMATE, self.noise)
            is_high = self.threshold(self.made) >= self.threshold(self.noise)
            return {Guarantee.APPROXIMATE: satisfied is not None and is_high}
        meant = self._satisfied(stated, self.noise) or Guarantee.APPROXIMATE
        held = {meant: self._satisfied(meant, self.made) is meant}
        if meant is Guarantee.PROBABILISTIC and held[meant]:
            held[Guarantee.PURE] = self._satisfied(Guarantee.PURE, self.made) is not None
        return held

    def _satisfied(self, stated: Guarantee, noise: Noise) -> Guarantee | None:
        return of_release(
            stated, noise, epsilon=self.epsilon, delta=self.delta, processed=self.is_processed
        )

    @property
    def releases(self) -> int:
        """The mean number of releases of each neighbour in a full audit."""
        if self.released in BOUNDED:
            return BOUNDED[self.released].releases
        if self.released == THRESHOLD and self.delta is not None:
            return RELEASES_ABOVE
        # the loss of other noise is infinite beyond its bound, or is computed exactly
        is_rare = self.noise.largest == inf and not self.noise.is_whole
        is_pdp = Guarantee.PROBABILISTIC in self.guarantees()
        return RELEASES_PDP if is_pdp and is_rare else RELEASES

    def exact_delta(self, guarantee: Guarantee) -> float | None:
        """Return the δ of whole-number noise as it is drawn for releases, None for other noise.

        It is that of the noisy count before clamping, which breaks only probabilistic DP.
        """
        drawn = self.noise if self.released == STABILITY else self.made
        if drawn.lacks("exact_delta"):
            return None
        is_pdp = guarantee is Guarantee.PROBABILISTIC
        return float(drawn.exact_delta(epsilon=self.epsilon, probabilistic=is_pdp))

    @property
    def is_processed(self) -> bool:
        """Whether some releases of the cell are clamped, or fall below a threshold."""
        return self.released != EVERY_CELL or self.records == 0

    def cuts(self) -> audit.Floats:
        """Return the values at which releases of the cell are cut, from the whole noise."""
        cuts = audit.thresholds(self.noise, self.records)
        if self.released in BOUNDED:  # the upper bound apart from all that is below it
            highest = np.nextafter(self.total, 0)
            return np.append(cuts[cuts < highest], highest)
        return cuts

    def release(self, counts: audit.Counts, rng: np.random.Generator, times: int) -> audit.Floats:
        """Return independent releases of counts by the program's own function, times x cells."""
        if self.released in BOUNDED:
            mechanism = BOUNDED[self.released].mechanism(
                **self.made.numbers, low=0, high=self.total
            )
            return mechanism.release(np.full((times, 1), counts[0]), rng)
        if self.released == EVERY_CELL:
            return sanitize_times(counts, self.made, rng, times=times, total=self.total)
        # at a threshold of stability that is too low the noise is as it should be
        noise = self.noise if self.released == STABILITY else self.made
        threshold = self.threshold(self.made if self.released == STABILITY else self.noise)
        return self._kind.sanitize_times(
            counts, noise, rng, times=times, total=self.total, threshold=threshold
        )

    def threshold(self, noise: Noise) -> float:
        """Return the threshold that the kind of release computes from some noise."""
        return self._kind.threshold(noise, self.delta)

    @property
    def _kind(self) -> Unlisted:
        kind = KINDS[self.released](self.cells or self.counts.size)
        assert isinstance(kind, Unlisted)
        return kind

    def stream(self, seed: int) -> np.random.Generator:
        """Return the random stream of its releases, which depends on the fields."""
        named = {
            name: value if isinstance(value, str | None) else repr(float(value))
            for name, value in asdict(self).items()
        }
        return stream(seed, json.dumps(["audit", named], sort_keys=True))
