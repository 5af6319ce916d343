"""Guarantees of differential privacy, and which of them a release satisfies.

A calibration rule states a guarantee of its noise; `of_release` decides whether the noise satisfies
it, by its exact privacy loss, and what is left of it after post-processing. Nothing else in this
program decides that.
"""

from enum import StrEnum
from math import exp, expm1, inf

from ggexp import checks
from ggexp.mechanisms import privacy_loss
from ggexp.mechanisms.distribution import GeneralizedGaussian, Noise, TruncatedLaplace
from ggexp.mechanisms.tails import upper_tail

#: A guarantee counts as satisfied if it is at an ε and δ larger by this share, since a scale is
#: rounded to a floating point number, and close to order 1 its last bit moves δ.
ROUNDING = 1e-9


class Guarantee(StrEnum):
    """A guarantee, whose value is its text in tables; each implies those below it.

    PURE: the privacy loss never exceeds ε.
    PROBABILISTIC: it exceeds ε, either way, with probability at most δ.
    APPROXIMATE: no event is likelier than e^ε times its probability under the neighbour, plus δ.
    """

    PURE = "ε-DP"
    PROBABILISTIC = "(ε, δ)-pDP"
    APPROXIMATE = "(ε, δ)-aDP"

    def implies(self, other: "Guarantee") -> bool:
        """Return whether this guarantee implies another with the same ε and δ."""
        order = list(Guarantee)
        return order.index(self) <= order.index(other)

    @property
    def has_delta(self) -> bool:
        """Whether it has a δ."""
        return self is not Guarantee.PURE


def of_release(
    stated: Guarantee,
    noise: Noise,
    *,
    epsilon: float,
    delta: float | None,
    processed: bool,
    sensitivity: float = 1.0,
) -> Guarantee | None:
    """Return the guarantee that a release satisfies at (ε, δ), None if it satisfies none.

    stated: the guarantee of the mechanism's rule; a stronger one is not looked for.
    noise: what is added to a statistic that differs by the sensitivity between neighbours.
    delta: δ, ignored if the stated guarantee has none.
    processed: whether anything was done to the noisy values, such as clamping them at 0.

    The probability in probabilistic DP is one of single outcomes. Clamping, rounding or rescaling
    makes one outcome of several, whose loss may exceed ε although the loss of most of them did not
    (docs/bounding.md); approximate DP is left. The other two bound probabilities of events, and
    survive any processing.
    Raises ValueError naming the argument, its value and what is allowed.

    >>> from ggexp import Mechanism
    >>> at = {"epsilon": 0.5, "delta": 0.01}
    >>> noise = Mechanism(2, "pdp").noise(**at)
    >>> print(of_release(Guarantee.PROBABILISTIC, noise, **at, processed=False))
    (ε, δ)-pDP
    >>> print(of_release(Guarantee.PROBABILISTIC, noise, **at, processed=True))
    (ε, δ)-aDP
    """
    at = {
        "epsilon": checks.positive("epsilon", epsilon) * (1 + ROUNDING),
        "sensitivity": sensitivity,
    }
    if stated is Guarantee.PURE:
        return stated if exact_delta(noise, **at) == 0 else None
    allowed = checks.open_unit("delta", delta) * (1 + ROUNDING)
    if stated is Guarantee.PROBABILISTIC and not processed and pdp_delta(noise, **at) <= allowed:
        return stated
    return Guarantee.APPROXIMATE if exact_delta(noise, **at) <= allowed else None


def too_small(calibration: str, epsilon: float, delta: float | None, exact: float) -> str:
    """Return a sentence about noise that satisfies no guarantee at (ε, δ), with its exact δ."""
    at = f"epsilon = {epsilon:g}" + ("" if delta is None else f" and delta = {delta:g}")
    return (
        f"noise of calibration {calibration!r} does not satisfy its guarantee at {at}: its exact "
        f"delta is {exact:.4g}; use 'adp-exact'"
    )


def exact_delta(noise: Noise, *, epsilon: float, sensitivity: float = 1.0) -> float:
    """Return the smallest δ for which noise satisfies (ε, δ)-approximate DP.

    epsilon: ε >= 0. sensitivity: Δ > 0, in the units of the noise.

    The loss of truncated Laplace noise is at most h = Δ/b, or infinite beyond A - Δ. With
    c = e^(-A/b) its δ is (1 - e^((ε-h)/2) + c (e^ε - 1)/2) / (1 - c) for ε <= h, and for larger ε
    the same as at h. (If its range 2A is hardly wider than Δ, every finite loss is below ε.)
    Raises ValueError naming the argument, its value and what is allowed.
    """
    if isinstance(noise, GeneralizedGaussian):
        return privacy_loss.delta(
            order=noise.order, scale=noise.scale, epsilon=epsilon, sensitivity=sensitivity
        )
    h = checks.positive("sensitivity", sensitivity) / noise.scale
    a = noise.bound / noise.scale
    loss = min(checks.not_negative("epsilon", epsilon), h)
    if (loss + h) / 2 > a:
        return _upper_tail(noise, noise.bound - sensitivity)
    infinite = -exp(loss - a) * expm1(-loss)
    return (infinite - 2 * expm1((loss - h) / 2)) / (-2 * expm1(-a))


def pdp_delta(noise: Noise, *, epsilon: float, sensitivity: float = 1.0) -> float:
    """Return the smallest δ for which noise satisfies (ε, δ)-probabilistic DP, Pr(|loss| > ε).

    epsilon: ε > 0. sensitivity: Δ > 0, in the units of the noise.
    With the loss above ε where e > t, it is below -ε where e < -t - Δ.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    h = checks.positive("sensitivity", sensitivity) / noise.scale
    checks.positive("epsilon", epsilon)
    if isinstance(noise, GeneralizedGaussian) and noise.order > 1:
        t = noise.scale * privacy_loss.where_loss_is(epsilon, noise.order, h)
    else:
        t = noise.bound - sensitivity if isinstance(noise, TruncatedLaplace) else inf
        if epsilon < h:  # the largest loss that is finite
            t = min(t, noise.scale * (epsilon - h) / 2)
    return 0.0 if t == inf else _upper_tail(noise, t) + _upper_tail(noise, t + sensitivity)


def _upper_tail(noise: Noise, x: float) -> float:
    """Return Pr(e > x) of the noise, without cancellation far out."""
    if isinstance(noise, GeneralizedGaussian):
        return upper_tail(noise.order, x / noise.scale)
    if x < 0:
        return 1 - _upper_tail(noise, -x)
    if x >= noise.bound:
        return 0.0
    beyond = expm1((x - noise.bound) / noise.scale) / expm1(-noise.bound / noise.scale)
    return exp(-x / noise.scale) * beyond / 2
