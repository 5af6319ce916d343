"""The error of a table that is released with integer-valued noise, computed without the table.

Independent noise K_i is added to each of m counts c_i >= 0, and the results are clamped at 0.
Clamping cannot increase an error, because c_i >= 0. Therefore Σ|K_i| bounds the l1 error of every
table, and max |K_i| its largest error. If nothing is clamped, the errors are equal to these bounds.

Now suppose that the noisy counts are also clamped at n = Σc_i and rescaled to sum to n. Let x be
the clamped counts and y the rescaled counts. Let D⁺ and D⁻ be the sums of the positive and the
negative parts of x - c. Then D⁺ <= ΣK_i⁺ and D⁻ <= ΣK_i⁻. Both c and y sum to n. Therefore the l1
error of y is 2Σ(y_i - c_i)⁺ = 2Σ(c_i - y_i)⁺. There are three cases:

- If x sums to n or more, then y <= x, and the l1 error is at most 2D⁺.
- If x sums to less than n, but not to 0, then y >= x, and the l1 error is at most 2D⁻.
- If x is 0 everywhere, the l1 error is at most 2n = 2D⁻.

Therefore the l1 error is at most 2 max(ΣK_i⁺, ΣK_i⁻), and the largest error is at most half of this
bound. The two sums have the same distribution. Therefore Pr(l1 error > t) <= 2 Pr(ΣK_i⁺ > t/2).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_FLOOR
from functools import cached_property, partial
from math import exp, floor, log, nextafter, prod, sqrt
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from ggexp import checks
from ggexp.guarantees import advantage as guessing
from ggexp.guarantees.integer_sums import ERROR, IntegerSum
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import LEAST_NOISE, RULES, rule
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee, epsilon_of
from ggexp.mechanisms.integer_valued import IntegerValuedNoise, TooManyValuesError
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.optimal_integer import Geometric
from ggexp.mechanisms.solver import checked, root
from ggexp.ranges import AnyOrder, Cells, Delta
from ggexp.words import rounded

#: The largest number of cells of a table.
MAX_CELLS = 10**8
#: The largest confidence. Its complement is 1000 times `ERROR`, the numerical error of a tail.
MAX_CONFIDENCE = 1 - 1e-6
#: An ε whose noise equals the limit of the noise for ε → 0 to the last digit.
NEARLY_ZERO = 1e-300
#: If this ε is too small, all smaller ε are too small, and the limit ε → 0 need not be tried.
SMALL_EPSILON = 0.01
#: Where no error is given that is acceptable, users choose from the errors of one count at these ε,
#: and from the ε for these errors.
EPSILONS, COUNT_ERRORS = (0.1, 0.5, 1, 2), (1, 5, 10)
#: The smallest scale of a search, at which nearly all noise is 0.
MIN_SCALE = 0.02
#: The largest ε of the search.
MAX_EPSILON = 1024.0
#: The number of significant digits of the resulting ε.
DIGITS = 6


@dataclass(frozen=True)
class Largest:
    """The largest |K| among independent draws of noise."""

    noise: IntegerValuedNoise
    draws: int

    @property
    def mean(self) -> float:
        """The expectation, Σ Pr(largest > k)."""
        return float(-np.expm1(self.draws * np.log1p(-2 * self.noise.tails)).sum())

    def tail(self, x: float) -> float:
        """Return Pr(largest > x), for an x >= 0."""
        tail_of_one = 2 * self.noise.upper_tail(floor(x))
        return float(-np.expm1(self.draws * np.log1p(-tail_of_one)))

    def upper_point(self, probability: float) -> float:
        """Return the smallest x with Pr(largest > x) <= probability, which lies in (0, 1)."""
        tail_of_one = -np.expm1(np.log1p(-probability) / self.draws)
        return max(0.0, self.noise.upper_point(tail_of_one / 2))


@dataclass(frozen=True)
class Rescaled:
    """A multiple of max(ΣK_i⁺, ΣK_i⁻) for independent draws K_i of noise."""

    noise: IntegerValuedNoise
    draws: int
    factor: float

    @cached_property
    def _positive(self) -> IntegerSum:
        """ΣK_i⁺."""
        return IntegerSum(self.noise.tails, self.draws)

    @property
    def mean(self) -> float:
        """An upper bound on the mean: max(a, b) = (a + b + |a - b|)/2 and E|ΣK_i| <= √m sd."""
        n = self.draws
        return self.factor * (n * self.noise.mean_absolute + sqrt(n) * self.noise.sd) / 2

    def tail(self, x: float) -> float:
        """Return an upper bound on the probability that the multiple exceeds x."""
        return min(1.0, 2 * self._positive.tail(x / self.factor))

    def upper_point(self, probability: float) -> float:
        """Return the smallest x whose tail is at most ``probability``, which lies in (0, 1)."""
        return self.factor * self._positive.upper_point(probability / 2)


#: A bound on an error: a random number >= 0 that is at least the error of every table. Its mean and
#: its tail may be upper bounds.
Bound = IntegerSum | Largest | Rescaled
Value = TypeVar("Value")


class TableError(NamedTuple, Generic[Value]):
    """Values for the sum of all errors of a table, the largest, and that of one given count."""

    l1: Value
    max_error: Value
    count_error: Value


def table_error(noise: Noise, cells: Cells, *, rescale: bool = False) -> TableError[Bound]:
    """Return bounds on the errors of every table with a given size and integer-valued noise.

    cells: the number of cells, including empty ones.
    rescale: whether the counts are also clamped at the sum of the table and rescaled to this sum.
    Without rescaling, the bounds are equal to the errors if nothing is clamped.
    """
    if checks.count("cells", cells) > MAX_CELLS:
        raise ValueError(f"cells must be at most {MAX_CELLS:,}, got {cells!r}")
    if not isinstance(noise, IntegerValuedNoise):
        raise ValueError(f"noise must take only whole numbers, got {noise!r}")
    if rescale:
        # no smaller bound is known for one count
        largest = Rescaled(noise, cells, 1)
        return TableError(Rescaled(noise, cells, 2), largest, largest)
    l1 = IntegerSum(2 * noise.tails, cells)
    return TableError(l1, Largest(noise, cells), Largest(noise, 1))


class NeededEpsilon(NamedTuple):
    """The smallest ε at which an error is within its bound, with the noise and guarantee at this ε.

    epsilon: to `DIGITS` significant digits, rounded up; 0 if every ε > 0 suffices.
    guarantee: the guarantee that a clamped release satisfies at this ε.
    calibration: the rule that calibrates the noise.
    noise: the noise at this ε, or its limit for ε → 0 if ε is 0.
    expected: the mean of the error bound, or an upper bound on this mean if counts are rescaled.
    advantage: an upper bound on the mean advantage in guessing a record.
    """

    epsilon: float
    guarantee: Guarantee
    calibration: str
    noise: Noise
    expected: float
    advantage: float


def epsilon_for_error(
    *,
    cells: Cells,
    confidence: float,
    l1: float | None = None,
    max_error: float | None = None,
    count_error: float | None = None,
    delta: Delta | None = None,
    calibration: str | None = None,
    order: AnyOrder = None,
    rescale: bool = False,
) -> NeededEpsilon:
    """Return the smallest ε at which the error of every table is within a bound.

    The table itself is not used.

    cells: the number of cells, including empty ones.
    confidence: the probability in (0, 1 - 1e-6] that the error is within its bound.
    l1, max_error, count_error: the bound on the l1 error, on the largest error, or on the error of
        one given count, in records. Give exactly one.
    calibration: a rule of integer-valued noise, by default the rule with the least noise:
        "pure-integer", or "adp-optimal" with δ.
    rescale: whether the counts are also clamped at the sum of the table and rescaled to this sum. A
        different bound on the error then holds, and a smaller ε may be enough.

    The errors of the default rules decrease in ε. If the noise has an order, its scale has jumps as
    a function of ε. The result may then lie at such a jump, where the error falls below its bound.
    Raises ValueError also if no ε up to 1024 is enough.

    >>> import ggexp
    >>> needed = ggexp.epsilon_for_error(cells=64, l1=92.05, confidence=0.95)
    >>> needed.epsilon, round(needed.expected, 1)
    (0.77989, 74.3)
    """
    mechanism = integer_valued_mechanism(calibration, order, delta)
    rule_name = mechanism.calibration
    name, bound = _error_bound(confidence, l1=l1, max_error=max_error, count_error=count_error)

    def noise_and_error(epsilon: float) -> tuple[Noise, Bound]:
        noise = mechanism.noise(epsilon=epsilon, delta=delta)
        return noise, getattr(table_error(noise, cells, rescale=rescale), name)

    def excess(epsilon: float) -> float:
        """Return the log odds of the tail minus the allowed log odds: ε is enough if <= 0."""
        tail = noise_and_error(epsilon)[1].tail(bound) + ERROR
        return _log_odds(tail) - _log_odds(1 - confidence)

    epsilon, has_limit = 0.0, False
    try:
        if mechanism.uses_delta and excess(SMALL_EPSILON) <= 0:
            with suppress(TooManyValuesError):  # which do not show that the limit is enough
                has_limit = excess(NEARLY_ZERO) <= 0
        if not has_limit:
            epsilon = _smallest_epsilon(excess)
        noise, errors = noise_and_error(epsilon or NEARLY_ZERO)
        expected = errors.mean
    except TooManyValuesError as error:
        raise ValueError(f"{name} must be smaller, got {bound!r}: {error}") from error
    guarantee = rule(rule_name).guarantee  # which `calibrate` checks in exact arithmetic
    spent = Budget(epsilon, (guarantee.has_delta and delta) or 0.0)
    advantage = guessing.mean(spent, prior=None)
    return NeededEpsilon(epsilon, guarantee, rule_name, noise, expected, advantage)


def epsilon_for_tables(
    *,
    tables: Sequence[int],
    confidence: float,
    l1: float | None = None,
    max_error: float | None = None,
    count_error: float | None = None,
    delta: Delta | None = None,
) -> NeededEpsilon:
    """Return the smallest ε for all tables together at which no table's error exceeds its bound.

    tables: the number of cells of each table, including empty ones, of the same records. δ and
        the error are of all tables: the bound holds for each of them with this confidence, except
        count_error, which is of one count of one table.
    The other parameters are as for `epsilon_for_error`. The noise is geometric or, with δ,
    discrete generalized Gaussian of order 1.5 or 2, whichever needs the smallest ε.
    """
    name, bound = _error_bound(confidence, l1=l1, max_error=max_error, count_error=count_error)

    def errors(noise: Noise) -> list[Bound]:
        sizes = tables if count_error is None else [1]
        return [getattr(table_error(noise, cells), name) for cells in sizes]

    def largest(family: Callable[[float], Noise]) -> Noise:
        """Return the noise of the largest scale with acceptable errors."""

        def excess(log_scale: float) -> float:
            tails = [error.tail(bound) + ERROR for error in errors(family(exp(log_scale)))]
            return _log_odds(1 - prod(1 - min(tail, 1.0) for tail in tails)) - allowed

        low, high = log(MIN_SCALE), 0.0
        while excess(high) <= 0:
            high += 1.0
        log_scale = root(excess, low, high, xtol=1e-9) - 1e-8
        return family(exp(checked(lambda x: excess(x) <= 0, log_scale, -1e-8)))

    allowed = _log_odds(1 - confidence)
    families: list[Callable[[float], Noise]] = [Geometric]
    if delta is not None:
        families += [partial(DiscreteGeneralizedGaussian, order) for order in (1.5, 2)]
    noises = [*map(largest, families)]
    needed = [epsilon_of(noise, delta=delta, cells=len(tables)) for noise in noises]
    best = int(np.argmin(needed))
    epsilon, noise = rounded(needed[best], DIGITS), noises[best]
    return NeededEpsilon(
        epsilon,
        Guarantee.PURE if delta is None else Guarantee.APPROXIMATE,
        "adp-exact-integer" if best else "pure-integer",
        noise,
        max(error.mean for error in errors(noise)),
        guessing.mean(Budget.given(epsilon, delta), prior=None),
    )


def _error_bound(confidence: float, **bounds: float | None) -> tuple[str, float]:
    """Return the name of the given bound and the bound, checked like the confidence."""
    given = {name: bound for name, bound in bounds.items() if bound is not None}
    if len(given) != 1:
        raise ValueError(f"one of {', '.join(bounds)} must be given, got {given or None}")
    if not checks.open_unit("confidence", confidence) <= MAX_CONFIDENCE:
        raise ValueError(f"confidence must be at most {MAX_CONFIDENCE}, got {confidence!r}")
    ((name, bound),) = given.items()
    return name, checks.not_negative(name, bound)


def integer_valued_rules() -> list[str]:
    """Return the rules with integer-valued noise whose guarantee holds after clamping."""
    return [
        name
        for name, candidate in RULES.items()
        if candidate.family.is_integer_valued and candidate.guarantee is not Guarantee.PROBABILISTIC
    ]


def integer_valued_mechanism(
    calibration: str | None, order: AnyOrder, delta: float | None
) -> Mechanism:
    """Return the mechanism of a rule of integer-valued noise, by default with the least noise."""
    chosen = calibration or LEAST_NOISE[delta is not None]
    if rule(chosen).name not in integer_valued_rules():
        raise ValueError(
            f"calibration must be one of {', '.join(integer_valued_rules())}, got {chosen!r}: the "
            "exact distribution of a table's error is known only for integer-valued noise, and "
            "probabilistic DP does not hold after clamping"
        )
    return Mechanism(order, chosen)


def _smallest_epsilon(excess: Callable[[float], float]) -> float:
    """Return the smallest ε, to `DIGITS` digits, at which a decreasing function is at most 0."""
    high = 1.0
    while excess(high) > 0:
        high *= 2
        if high > MAX_EPSILON:
            raise ValueError(f"no epsilon up to {MAX_EPSILON:g} is enough")
    low = high / 2
    while excess(low) <= 0:
        low, high = low / 2, low
    log_epsilon = root(lambda x: excess(exp(x)), log(low), log(high), xtol=1e-9)
    smallest = rounded(exp(log_epsilon), DIGITS)
    while excess(smallest) > 0:
        smallest = rounded(nextafter(smallest, 2 * smallest), DIGITS)
    while excess(smaller := rounded(nextafter(smallest, 0), DIGITS, ROUND_FLOOR)) <= 0:
        smallest = smaller
    return smallest


def _log_odds(probability: float) -> float:
    """Return ln(p/(1 - p)), or a finite value at 0 and 1."""
    return log(max(probability, 1e-15)) - log(max(1 - probability, 1e-15))
