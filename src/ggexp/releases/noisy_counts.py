"""Noisy counts of tables: the noise and its guarantee, its samplers, and what follows the noise."""

import secrets
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.table import Table
from ggexp.mechanisms import guarantee
from ggexp.mechanisms.budget import Budget, rounded_up
from ggexp.mechanisms.calibration import LEAST_NOISE, rule
from ggexp.mechanisms.exact import ExactSampler
from ggexp.mechanisms.guarantee import Guarantee, delta_of
from ggexp.mechanisms.integer_valued import IntegerValuedNoise
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import AnyOrder
from ggexp.releases.simulate import rescale
from ggexp.words import rounded

#: The number of significant digits of a composed ε, and of its δ.
DIGITS = 6

Sampler = Callable[[int], NDArray[Any]]
RandomBytes = Callable[[int], bytes]


@dataclass(frozen=True)
class NoisyCounts:
    """The noise on each count of a table, and the guarantee of one count after post-processing.

    noises: of each table. calibration: their rule. δ is None for ε-DP. is_joint: whether the
    guarantee is that of one count in each of several tables of the same records, together.
    """

    noises: Sequence[Noise]
    calibration: str
    guarantee: Guarantee
    epsilon: float
    delta: float | None
    is_joint: bool = False

    def of_counts(self, number: int) -> tuple[float, float | None]:
        """Return the ε and the δ of all counts, of which a number differ by 1 between neighbours.

        Under ε-DP, the ε of these counts add up. Otherwise δ is 1 - (1 - δ)^number, and ε is that
        of the exact composition of the noise at this δ, both rounded up to `DIGITS` digits.
        """
        if number == 1 or self.delta is None:
            return rounded_up(number * Fraction(self.epsilon)), self.delta
        from ggexp.guarantees.composition import Composition

        delta = rounded(rounded_up(1 - (1 - Fraction(self.delta)) ** number), DIGITS)
        bound = Composition([(self.noises[0], number)]).epsilon(delta=delta).pessimistic
        return rounded(bound, DIGITS), delta


def released_noise(
    order: AnyOrder,
    calibration: str | None,
    *,
    epsilon: float,
    delta: float | None,
    weights: Sequence[int] = (),
) -> NoisyCounts:
    """Return the noise for each count of one table, or of several tables of the same records.

    calibration: None chooses the smallest known integer-valued noise. weights: of several tables; a
    table of twice the weight of another one has about half its noise.
    Raises ValueError if the noise satisfies no guarantee.
    """
    tables = len(weights) or 1
    if calibration is None and weights:
        from ggexp.tables.joint import smallest_integer_valued

        mechanism, noise = smallest_integer_valued(epsilon=epsilon, delta=delta, tables=tables)
    else:
        mechanism = Mechanism(order, calibration or LEAST_NOISE[delta is not None])
        # The warning that the noise is too small is raised as an error below.
        with warnings.catch_warnings(action="ignore"):
            noise = mechanism.noise(epsilon=epsilon, delta=delta, cells=tables)
    calibration = mechanism.calibration
    stated, spent = rule(calibration).guarantee, Budget.given(epsilon, delta)
    satisfied = guarantee.of_release(stated, noise, spent, processed=True, cells=tables)
    if satisfied is None:
        exact = delta_of(noise, epsilon=epsilon, cells=tables)
        raise ValueError(guarantee.too_small_message(calibration, spent, exact))
    noises: Sequence[Noise] = [noise] * tables
    if len({*weights}) > 1:
        from ggexp.tables.joint import weighted

        noises = weighted(mechanism, spent, weights=weights, equal=noise)
    delta = delta if satisfied.has_delta else None
    return NoisyCounts(noises, calibration, satisfied, epsilon, delta, is_joint=tables > 1)


def samplers(
    noises: Sequence[Noise], seed: int | None, random_bytes: RandomBytes = secrets.token_bytes
) -> list[Sampler]:
    """Return functions that draw the noise for a number of cells, reproducibly if they have a seed.

    Otherwise, integer-valued noise is drawn exactly, from random bytes.
    """
    rng = np.random.default_rng(seed)

    def sampler(noise: Noise) -> Sampler:
        if not noise.is_integer_valued:
            return partial(noise.sample, rng)
        if seed is None:
            return ExactSampler(cast(IntegerValuedNoise, noise), random_bytes).sample
        return lambda cells: noise.sample(rng, cells).astype(np.int64)

    return [sampler(noise) for noise in noises]


def release_counts(
    counts: NDArray[np.int64], sample: Sampler, *, rescaled: bool = False
) -> NDArray[Any]:
    """Return the counts with noise from one of the `samplers`, and 0 instead of negative results.

    rescaled: whether they are also clamped at their total and rescaled to sum to it.
    """
    released = np.maximum(counts + sample(counts.size), 0)
    if not rescaled:
        return released
    total = int(counts.sum())
    return rescale(np.minimum(released, total).astype(np.float64), total)


def release_tables(
    tables: Sequence[Table],
    noisy: NoisyCounts,
    *,
    seed: int | None,
    rescaled: bool,
    is_consistent: bool,
    random_bytes: RandomBytes = secrets.token_bytes,
) -> list[NDArray[Any]]:
    """Return the counts of tables with noise, as from `release_counts`, or consistent."""
    drawn = zip(tables, samplers(noisy.noises, seed, random_bytes), strict=True)
    if not is_consistent:
        return [release_counts(each.counts, s, rescaled=rescaled) for each, s in drawn]
    from ggexp.tables.consistency import consistent

    counts = {}
    for table, sample in drawn:
        true = table.counts.astype(np.float64)
        counts[(*table.factors,)] = (true + sample(true.size)).reshape(table.shape)
    variances = {c: noise.sd**2 for c, noise in zip(counts, noisy.noises, strict=True)}
    return [fitted.ravel() for fitted in consistent(counts, variances).values()]
