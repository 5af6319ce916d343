"""The privacy loss distribution of each family of noise, and of an (ε, δ) with unknown noise."""

from functools import singledispatch
from math import exp, expm1

import numpy as np

from ggexp import checks
from ggexp.mechanisms.canonical import Canonical
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.geometric import Geometric
from ggexp.mechanisms.loss_distribution import Array, Atoms, LossDistribution
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.real_losses import Laplace, Smooth
from ggexp.mechanisms.staircase import Staircase
from ggexp.mechanisms.truncated_laplace import TruncatedLaplace
from ggexp.mechanisms.whole_noise import WholeNoise
from ggexp.ranges import DeltaOrZero, EpsilonOrZero, Sensitivity

MAX_EXACT = 2.0**53  # whole numbers up to this size are floating-point numbers
ROUNDING = 1e-9  # losses this close to a multiple of the unit, in units, are rounded to it


def randomized_response(*, epsilon: EpsilonOrZero, delta: DeltaOrZero = 0.0) -> Atoms:
    """Return the privacy loss distribution of (ε, δ)-randomized response.

    No release that satisfies (ε, δ)-approximate DP has a larger δ' at any ε', alone or composed
    with others (Kairouz, Oh and Viswanath 2015).
    """
    checks.not_negative("epsilon", epsilon)
    checks.below_one("delta", delta)
    if epsilon == 0:
        return Atoms(np.zeros(1), np.array([1 - delta]), delta)
    yes = (1 - delta) / (1 + exp(-epsilon))
    no = yes * exp(-epsilon)
    return Atoms(np.array([-epsilon, epsilon]), np.array([no, yes]), delta, epsilon)


@singledispatch
def of_noise(noise: Noise, *, sensitivity: Sensitivity = 1.0) -> LossDistribution:
    """Return the privacy loss distribution of noise on a statistic.

    sensitivity: the difference of the statistic between neighbours.
    """
    raise ValueError(f"{noise.family} noise has no privacy loss distribution")


def has_losses(noise: Noise) -> bool:
    """Return whether `of_noise` accepts the family of the noise."""
    return of_noise.dispatch(type(noise)) is not of_noise.dispatch(Noise)


@of_noise.register
def _of_whole(noise: WholeNoise, *, sensitivity: float = 1.0) -> Atoms:
    """Return the distribution for whole-number noise."""
    losses, probabilities = noise.losses(sensitivity)
    finite = np.isfinite(losses)
    infinite = float(probabilities[~finite].sum())
    return _atoms(losses[finite], probabilities[finite], infinite, None)


@of_noise.register
def _of_geometric(noise: Geometric, *, sensitivity: float = 1.0) -> Atoms:
    """Return the distribution for geometric noise: the loss (Δ - 2m)/b, m = max(0, min(K, Δ))."""
    shift = checks.whole("sensitivity", sensitivity)
    m = np.arange(shift, -1, -1)
    decay = np.exp(-m / noise.scale)
    probabilities = decay * -expm1(-1 / noise.scale)
    probabilities[[0, -1]] = decay[[0, -1]]
    probabilities /= 1 + exp(-1 / noise.scale)
    return Atoms((shift - 2 * m) / noise.scale, probabilities, 0.0, 1 / noise.scale)


@of_noise.register
def _of_discrete(noise: DiscreteGeneralizedGaussian, *, sensitivity: float = 1.0) -> Atoms:
    """Return the distribution for discrete GG noise: multiples of 1/b^p if p is a whole number."""
    losses, probabilities = noise.losses(sensitivity)
    shift = checks.whole("sensitivity", sensitivity)
    end = noise.logs.size
    if noise.order != round(noise.order) or float(end) ** noise.order >= MAX_EXACT:
        return _atoms(losses, probabilities, 0.0, None)
    values = np.arange(1.0 - end, end)[shift:]
    multiples = np.abs(values - shift) ** noise.order - np.abs(values) ** noise.order
    unit = noise.scale**-noise.order
    return _atoms(multiples * unit, probabilities, 0.0, unit)


@of_noise.register
def _of_canonical(noise: Canonical, *, sensitivity: float = 1.0) -> Atoms:
    """Return the distribution for discrete canonical noise: ±ε at Δ = 1, except at the ends."""
    atoms = _of_whole(noise, sensitivity=sensitivity)
    multiples = atoms.losses / noise.log_ratio
    whole = np.rint(multiples)
    losses = np.where(np.abs(multiples - whole) < ROUNDING, whole * noise.log_ratio, atoms.losses)
    return _atoms(losses, atoms.probabilities, atoms.infinite, noise.log_ratio)


@of_noise.register
def _of_staircase(noise: Staircase, *, sensitivity: float = 1.0) -> Atoms:
    """Return the distribution for staircase noise."""
    losses, probabilities = noise.losses(sensitivity)
    unit = noise.width / noise.scale
    return _atoms(np.rint(losses / unit) * unit, probabilities, 0.0, unit)


@of_noise.register
def _of_generalized_gaussian(
    noise: GeneralizedGaussian, *, sensitivity: float = 1.0
) -> LossDistribution:
    """Return the distribution for generalized Gaussian noise."""
    h = checks.positive("sensitivity", sensitivity) / noise.scale
    return Laplace(h) if noise.order == 1 else Smooth(noise.order, h)


@of_noise.register
def _of_truncated(noise: TruncatedLaplace, *, sensitivity: float = 1.0) -> LossDistribution:
    """Return the distribution for truncated Laplace noise."""
    h = checks.positive("sensitivity", sensitivity) / noise.scale
    bound = noise.bound / noise.scale
    if 2 * bound <= h:  # no value is possible both with and without the record
        return Atoms(np.zeros(1), np.zeros(1), 1.0)
    return Laplace(h, bound)


def _atoms(losses: Array, probabilities: Array, infinite: float, unit: float | None) -> Atoms:
    """Return atoms in ascending order, with equal losses merged."""
    is_positive = probabilities > 0
    ascending, index = np.unique(losses[is_positive], return_inverse=True)
    summed = np.bincount(index, probabilities[is_positive]).astype(np.float64)
    return Atoms(ascending, summed, infinite, unit)
