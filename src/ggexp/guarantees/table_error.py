"""The error of a table that is released with whole-number noise, computed without the table.

Independent noise K is added to each of m counts c >= 0, and the results are clamped at 0. Clamping
increases no error, because c >= 0. Therefore Σ|K_i| bounds the l1 error and max |K_i| the largest
error of every table, and they have the distribution of the errors if nothing is clamped.

If the counts are then clamped at their sum n and rescaled to sum to n, let x be the clamped counts
and y the rescaled ones, D⁺ and D⁻ the sums of the positive and negative parts of x - c. Then
D⁺ <= ΣK_i⁺ and D⁻ <= ΣK_i⁻. Both c and y sum to n, so that the l1 error of y is 2Σ(y_i - c_i)⁺ =
2Σ(c_i - y_i)⁺. If x sums to n or more, then y <= x, and the l1 error is at most 2D⁺. If x sums to
less, then y >= x, and the l1 error is at most 2D⁻. If x is 0 everywhere, it is at most 2n = 2D⁻.
Therefore the l1 error is at most 2 max(ΣK_i⁺, ΣK_i⁻), and the largest error at most half of that.
The two sums have the same distribution, so that the l1 error exceeds t with a probability of at
most 2 Pr(ΣK_i⁺ > t/2).
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cached_property
from math import exp, floor, log, nextafter, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq

from ggexp import checks
from ggexp.guarantees import approximate_advantage
from ggexp.guarantees.whole_sums import ERROR, WholeSum
from ggexp.mechanisms.calibration import RULES, Order, least_whole, rule
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.whole_noise import TooManyValuesError, WholeNoise

#: The largest number of cells of a table.
MAX_CELLS = 10**8
#: The largest confidence: `ERROR` is a thousandth of its complement.
MAX_CONFIDENCE = 1 - 1e-6
#: An ε so small that its noise is that of the limit ε → 0 to the last digit.
ZERO = 1e-300
#: If this ε is not enough, no smaller one is. This check avoids the limit in most cases.
SMALL = 0.01
#: The largest ε of the search.
MAX_EPSILON = 1024.0
#: Significant digits of an ε.
DIGITS = 6


class Bound(Protocol):
    """A bound of an error: a random number >= 0 that exceeds the error of every table."""

    @property
    def mean(self) -> float:
        """The expectation of the bound, or an upper bound of it."""

    def tail(self, x: float) -> float:
        """Return the probability that the bound exceeds x, or an upper bound of it."""

    def point(self, probability: float) -> float:
        """Return the smallest x whose tail is at most a probability in (0, 1)."""


@dataclass(frozen=True)
class Largest:
    """The largest |K| of independent draws of noise."""

    noise: WholeNoise
    draws: int

    @property
    def mean(self) -> float:
        """The expectation, Σ Pr(largest > k)."""
        return float(-np.expm1(self.draws * np.log1p(-2 * self.noise.tails)).sum())

    def tail(self, x: float) -> float:
        """Return Pr(largest > x), for an x >= 0."""
        beyond = 2 * self.noise.upper_tail(floor(x))
        return float(-np.expm1(self.draws * np.log1p(-beyond)))

    def point(self, probability: float) -> float:
        """Return the smallest x with Pr(largest > x) <= probability, which lies in (0, 1)."""
        of_one = -np.expm1(np.log1p(-probability) / self.draws)
        return max(0.0, self.noise.upper_point(of_one / 2))


@dataclass(frozen=True)
class Rescaled:
    """A multiple of max(ΣK_i⁺, ΣK_i⁻) of independent draws of noise."""

    noise: WholeNoise
    draws: int
    factor: float

    @cached_property
    def _positive(self) -> WholeSum:
        """ΣK_i⁺."""
        return WholeSum(self.noise.tails, self.draws)

    @property
    def mean(self) -> float:
        """An upper bound of the mean: max(a, b) = (a + b + |a - b|)/2 and E|ΣK_i| <= √m sd."""
        n = self.draws
        return self.factor * (n * self.noise.mean_absolute + sqrt(n) * self.noise.sd) / 2

    def tail(self, x: float) -> float:
        """Return an upper bound of the probability that it exceeds x."""
        return min(1.0, 2 * self._positive.tail(x / self.factor))

    def point(self, probability: float) -> float:
        """Return the smallest x whose tail is at most a probability in (0, 1)."""
        return self.factor * self._positive.point(probability / 2)


class TableError(NamedTuple):
    """Bounds of the errors of every table with a given number of cells."""

    l1: Bound
    largest: Bound


def table_error(noise: Noise, cells: int, *, rescale: bool = False) -> TableError:
    """Return bounds of the errors of every table with a number of cells and whole-number noise.

    cells: m >= 1, the number of cells, including empty ones.
    rescale: whether the counts are also clamped at their sum, and rescaled to sum to it.

    Without rescaling the bounds have the distribution of the errors if nothing is clamped.
    Raises ValueError naming the argument, its value and what is allowed.
    """
    if checks.count("cells", cells) > MAX_CELLS:
        raise ValueError(f"cells must be at most {MAX_CELLS:,}, got {cells!r}")
    if not isinstance(noise, WholeNoise):
        raise ValueError(f"noise must take whole numbers alone, got {noise!r}")
    if rescale:
        return TableError(Rescaled(noise, cells, 2), Rescaled(noise, cells, 1))
    return TableError(WholeSum(2 * noise.tails, cells), Largest(noise, cells))


class NeededEpsilon(NamedTuple):
    """The smallest ε at which an error is within its bound, with the noise and guarantee at this ε.

    epsilon: to `DIGITS` significant digits, rounded up; 0 if every ε > 0 suffices.
    guarantee: the one that a clamped release satisfies at this ε.
    calibration: the rule of the noise. noise: at this ε, or in the limit if ε is 0.
    expected: the expectation of the bounded error, or of its bound if counts are rescaled.
    advantage: an upper bound of the mean guessing advantage about a record.
    """

    epsilon: float
    guarantee: Guarantee
    calibration: str
    noise: Noise
    expected: float
    advantage: float


def epsilon_for_error(
    *,
    cells: int,
    confidence: float,
    l1: float | None = None,
    max_error: float | None = None,
    delta: float | None = None,
    calibration: str | None = None,
    order: Order = None,
    rescale: bool = False,
) -> NeededEpsilon:
    """Return the smallest ε at which the error of every table is within a bound.

    The data are not needed.

    Parameters
    ----------
    cells : int
        m >= 1, the number of cells, including empty ones.
    confidence : float
        The probability in (0, 1 - 1e-6] that the error is within its bound.
    l1, max_error : float, optional
        The bound of the l1 error or of the largest error, >= 0, in records. Exactly one is needed.
    delta : float, optional
        δ in (0, 1), for rules that have one.
    calibration : str, optional
        A rule of whole-number noise, by default the rule with the least noise: "pure-integer", or
        "adp-optimal" with δ.
    order : float, optional
        p >= 1, for rules whose noise has an order.
    rescale : bool, optional
        Whether the counts are also clamped at their sum, and rescaled to sum to it. Another bound
        of the error holds then, and a smaller ε may do.

    Returns
    -------
    NeededEpsilon
        The ε with the guarantee, the rule, the noise, the expected error and the guessing
        advantage.

    Raises
    ------
    ValueError
        If an argument is outside its range, if not exactly one bound is given, or if no ε up to
        1024 is enough.

    Notes
    -----
    The errors of the default rules decrease in ε. If the noise has an order, its scale jumps, and a
    bisection finds the end of a jump.

    Examples
    --------
    >>> import ggexp
    >>> needed = ggexp.epsilon_for_error(cells=64, l1=92.05, confidence=0.95)
    >>> needed.epsilon, round(needed.expected, 1)
    (0.77989, 74.3)
    """
    mechanism = whole_mechanism(calibration, order, delta)
    chosen = mechanism.calibration
    if (l1 is None) == (max_error is None):
        raise ValueError(f"one of l1 and max_error must be given, got {l1!r} and {max_error!r}")
    name, bound = ("l1", l1) if max_error is None else ("max_error", max_error)
    checks.not_negative(name, bound)  # type: ignore[arg-type]  # which refuses None
    if not checks.open_unit("confidence", confidence) <= MAX_CONFIDENCE:
        raise ValueError(f"confidence must be at most {MAX_CONFIDENCE}, got {confidence!r}")

    def at(epsilon: float) -> tuple[Noise, Bound]:
        noise = mechanism.noise(epsilon=epsilon, delta=delta)
        errors = table_error(noise, cells, rescale=rescale)
        return noise, errors.l1 if name == "l1" else errors.largest

    def excess(epsilon: float) -> float:
        """Return the log odds of the tail above those allowed; at most 0 is enough."""
        tail = at(epsilon)[1].tail(bound) + ERROR  # type: ignore[arg-type]
        return _log_odds(tail) - _log_odds(1 - confidence)

    epsilon = 0.0
    try:
        has_limit = mechanism.uses_delta and excess(SMALL) <= 0
        if not (has_limit and _suffices(excess, ZERO)):
            epsilon = _smallest(excess)
        noise, errors = at(epsilon or ZERO)
        expected = errors.mean
    except TooManyValuesError as error:
        raise ValueError(f"{name} must be smaller, got {bound!r}: {error}") from error
    guarantee = of_release(
        rule(chosen).guarantee, noise, epsilon=epsilon or ZERO, delta=delta, processed=True
    )
    assert guarantee is not None
    share = delta if guarantee.has_delta and delta is not None else 0.0
    advantage = approximate_advantage.mean(epsilon=epsilon, delta=share, prior=None)
    return NeededEpsilon(epsilon, guarantee, chosen, noise, expected, advantage)


def whole_rules() -> list[str]:
    """Return the rules of whole-number noise whose guarantee holds after clamping."""
    return [
        name
        for name, one in RULES.items()
        if one.family.is_whole and one.guarantee is not Guarantee.PROBABILISTIC
    ]


def whole_mechanism(calibration: str | None, order: Order, delta: float | None) -> Mechanism:
    """Return the mechanism of a rule in `whole_rules`, by default the one with the least noise.

    Raises ValueError for another rule.
    """
    chosen = calibration or least_whole(delta)
    if rule(chosen).name not in whole_rules():
        raise ValueError(
            f"calibration must be one of {', '.join(whole_rules())}, got {chosen!r}: the exact "
            "distribution of a table's error is known for whole-number noise, and clamping breaks "
            "probabilistic DP"
        )
    return Mechanism(order, chosen)


def _smallest(excess: Callable[[float], float]) -> float:
    """Return the smallest ε, to `DIGITS` digits, at which a decreasing function is at most 0."""
    high = 1.0
    while excess(high) > 0:
        high *= 2
        if high > MAX_EPSILON:
            raise ValueError(f"no epsilon up to {MAX_EPSILON:g} is enough")
    low = high / 2
    while excess(low) <= 0:
        low, high = low / 2, low
    root = brentq(lambda x: excess(exp(x)), log(low), log(high), xtol=1e-9, maxiter=200)
    found = _digits(exp(root), ROUND_CEILING)
    while excess(found) > 0:
        found = _digits(nextafter(found, 2 * found), ROUND_CEILING)
    while excess(before := _digits(nextafter(found, 0), ROUND_FLOOR)) <= 0:
        found = before
    return found


def _suffices(excess: Callable[[float], float], epsilon: float) -> bool:
    """Return whether an ε is enough, False if its noise has too many values for a decision."""
    try:
        return excess(epsilon) <= 0
    except TooManyValuesError:
        return False


def _log_odds(probability: float) -> float:
    """Return ln(p/(1 - p)), finite at 0 and 1 too."""
    return log(max(probability, 1e-15)) - log(max(1 - probability, 1e-15))


def _digits(x: float, rounding: str) -> float:
    """Return a positive number rounded to `DIGITS` significant digits."""
    exact = Decimal(x)
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - DIGITS), rounding))
