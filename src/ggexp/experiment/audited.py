"""What the audit releases: a cell of a histogram, with the noise of a mechanism or with less."""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ggexp.guarantees import audit
from ggexp.mechanisms import bounded, calibration
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.releases.kinds import KINDS, STABILITY
from ggexp.releases.sanitize import sanitize_times
from ggexp.releases.unlisted import Unlisted
from ggexp.streams import stream

EVERY_CELL = "every cell"
RELEASES = 1_000_000  # of each of two neighbours
RELEASES_PDP = 8_000_000  # a statement about single values, which few releases come near
TOTAL = 1_000_000  # n: rescaling by it moves a count of 100 by some 0.001, and hides nothing


class Bounded(NamedTuple):
    """A mechanism of ε-DP for one count between 0 and n (paper, section 2.5).

    calibration: the definition that its scale is from. scale: (order, ε, n) -> b.
    mechanism: (order, b, 0, n) -> what releases counts.
    cut: the share of its scale with which it must be caught. releases: of each of two neighbours.
    """

    calibration: str
    scale: Callable[[float, float, int], float]
    mechanism: type[bounded.Truncated] | type[bounded.Inflated]
    cut: float
    releases: int


def _truncated_scale(order: float, epsilon: float, total: int) -> float:
    return bounded.bounded_gg(order=order, epsilon=epsilon, low=0, high=total, sensitivity=1).scale


def _inflated_scale(order: float, epsilon: float, total: int) -> float:
    return bounded.inflated_scale(order=order, epsilon=epsilon, width=total, sensitivity=1)


BOUNDED = {
    # its scale is twice what is needed and more, and a release takes twenty times as long
    "truncated": Bounded("definition-5", _truncated_scale, bounded.Truncated, 0.4, RELEASES // 5),
    "boundary-inflated": Bounded("definition-6", _inflated_scale, bounded.Inflated, 0.8, RELEASES),
}


@dataclass(frozen=True)
class Audited:
    """A cell of a histogram, and the noise in it: a mechanism's at a grid point, or less than that.

    released: how the histogram is released: `EVERY_CELL`, `THRESHOLD`, `STABILITY` or one of
        `BOUNDED`, of which the cell is all.
    scale_factor: of the scale b, what the noise has; or of `STABILITY`, what its threshold is from.
    records: in the cell; its neighbour has one more.
    bound_factor: of the bound of the noise, what it has; None if that is not looked at.
    total: n, which neighbours share, as it is taken as public.
    cells: of the domain, of `THRESHOLD` alone, whose threshold follows from it.
    """

    released: str
    mechanism: str
    order: float | None
    calibration: str
    epsilon: float
    delta: float | None
    scale_factor: float
    records: int
    bound_factor: float | None = None
    total: int = TOTAL
    cells: int | None = None

    @cached_property
    def noise(self) -> Noise:
        """The noise that the mechanism adds."""
        if self.released in BOUNDED:
            assert self.order is not None
            b = BOUNDED[self.released].scale(self.order, self.epsilon, self.total)
            return GeneralizedGaussian(self.order, b)
        mechanism = Mechanism(self.order, self.calibration)
        return mechanism.noise(epsilon=self.epsilon, delta=self.delta)

    @cached_property
    def less(self) -> Noise:
        """The noise with its shares of the scale and the bound."""
        factors = {"scale": self.scale_factor, "bound": self.bound_factor or 1.0}
        numbers = self.noise.numbers
        return replace(
            self.noise, **{name: factors[name] * numbers[name] for name in factors & numbers.keys()}
        )

    @property
    def is_whole(self) -> bool:
        """Whether nothing is taken from the noise."""
        return self.scale_factor == 1 and self.bound_factor in (None, 1)

    @property
    def counts(self) -> audit.Counts:
        """The histogram with one record less: the cell and, where there are others, the rest."""
        return np.array([self.records, self.total - self.records])

    def guarantees(self) -> dict[Guarantee, bool]:
        """Return what the releases are held against, and of each whether they should satisfy it."""
        if self.released in BOUNDED:
            return {Guarantee.PURE: self.is_whole}
        stated = calibration.rule(self.calibration).guarantee
        satisfied = self._satisfied(Guarantee.APPROXIMATE if self.released == STABILITY else stated)
        if satisfied is None:
            return {Guarantee.APPROXIMATE: False}
        if satisfied is Guarantee.PROBABILISTIC and self.is_whole:
            return {satisfied: True, Guarantee.PURE: self._satisfied(Guarantee.PURE) is not None}
        return {satisfied: self.is_whole}

    def _satisfied(self, stated: Guarantee) -> Guarantee | None:
        return of_release(
            stated,
            self.noise,
            epsilon=self.epsilon,
            delta=self.delta,
            processed=self.is_processed,
        )

    @property
    def releases(self) -> int:
        """How many releases of each neighbour a full audit takes, on average."""
        if self.released in BOUNDED:
            return BOUNDED[self.released].releases
        return RELEASES_PDP if Guarantee.PROBABILISTIC in self.guarantees() else RELEASES

    @property
    def is_processed(self) -> bool:
        """Whether some releases of the cell are clamped, or fall below a threshold."""
        return self.released != EVERY_CELL or self.records == 0

    def cuts(self) -> audit.Floats:
        """Return the values at which releases of the cell are cut; they follow the whole noise."""
        cuts = audit.thresholds(self.noise, self.records)
        if self.released in BOUNDED:  # the upper bound apart from all that is below it
            highest = np.nextafter(self.total, 0)
            return np.append(cuts[cuts < highest], highest)
        return cuts

    def release(self, counts: audit.Counts, rng: np.random.Generator, times: int) -> audit.Floats:
        """Return independent releases of counts by the program's own function, times x cells."""
        if self.released in BOUNDED:
            mechanism = BOUNDED[self.released].mechanism(
                **self.less.numbers, low=0, high=self.total
            )
            return mechanism.release(np.full((times, 1), counts[0]), rng)
        if self.released == EVERY_CELL:
            return sanitize_times(counts, self.less, rng, times=times, total=self.total)
        added, known = self.less, self.noise  # the threshold is from noise that is known
        if self.released == STABILITY:
            added, known = known, added
        kind = KINDS[self.released](self.cells or self.counts.size)
        assert isinstance(kind, Unlisted)
        threshold = kind.threshold(known, self.delta)
        return kind.sanitize_times(
            counts, added, rng, times=times, total=self.total, threshold=threshold
        )

    def stream(self, seed: int) -> np.random.Generator:
        """Return the random stream of its releases.

        It depends on the fields. One with a default is left out if it has that: it came later than
        the others, and what was audited before keeps its stream.
        """
        named = {
            field.name: value if isinstance(value, str | None) else repr(float(value))
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }
        return stream(seed, json.dumps(["audit", named], sort_keys=True))
