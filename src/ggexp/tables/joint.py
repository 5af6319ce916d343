"""One guarantee for several tables of the same records: the noise of each table."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from ggexp import checks
from ggexp.mechanisms import convolution
from ggexp.mechanisms.budget import Budget, rounded_up
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.optimal_integer import Canonical
from ggexp.ranges import Cells, Delta, Epsilon

#: The integer-valued noise for (ε, δ) among which `smallest_integer_valued` chooses. The best order
#: of discrete generalized Gaussian noise is near 1.5 for ten tables, and tends to 2 for more.
CANDIDATES = (
    Mechanism(None, "adp-optimal"),
    Mechanism(1.5, "adp-exact-integer"),
    Mechanism(2, "adp-exact-integer"),
)
SCALES = ("scale", "bound")  #: the parameters of noise that are in records
RESOLUTION = 1e-3  #: the relative precision of the scales of weighted tables


def smallest_integer_valued(
    *, epsilon: Epsilon, delta: Delta | None, tables: Cells
) -> tuple[Mechanism, Noise]:
    """Return the integer-valued noise with the smallest standard deviation, and its mechanism.

    The mechanism is one of `CANDIDATES`.
    delta: None for ε-DP, which geometric noise satisfies with ε/m for each of the m tables.

    >>> from ggexp.tables.joint import smallest_integer_valued
    >>> mechanism, noise = smallest_integer_valued(epsilon=1, delta=1e-6, tables=2)
    >>> mechanism
    Mechanism(order=None, calibration='adp-optimal')
    """
    candidates = CANDIDATES[: 1 if tables == 1 else None]
    if delta is None:
        candidates = (Mechanism(None, "pure-integer"),)
    noises = [each.noise(epsilon=epsilon, delta=delta, cells=tables) for each in candidates]
    return min(zip(candidates, noises, strict=True), key=lambda pair: pair[1].sd)


def weighted(
    mechanism: Mechanism, budget: Budget, *, weights: Sequence[float], equal: Noise | None = None
) -> list[Noise]:
    """Return the noise of each table, whose scale is inversely proportional to the table's weight.

    The tables jointly satisfy (ε, δ). For ε-DP, ε is divided among the tables in proportion to
    their weights. Otherwise the scales exceed the smallest sufficient ones by at most `RESOLUTION`.
    equal: the noise of the mechanism for equal weights, if it is known.

    >>> from ggexp import Mechanism
    >>> from ggexp.mechanisms.budget import Budget
    >>> from ggexp.tables.joint import weighted
    >>> noises = weighted(Mechanism(1, "pure"), Budget(1), weights=[3, 1])
    >>> [round(noise.scale, 3) for noise in noises]
    [1.333, 4.0]
    """
    epsilon, delta = budget.epsilon, budget.delta or None
    parts = [checks.positive("weights", weight) for weight in weights]
    if not mechanism.uses_delta:
        unit = Fraction(epsilon) / sum(map(Fraction, parts))
        shares = [-rounded_up(-unit * Fraction(part)) for part in parts]  # rounded down
        return [mechanism.noise(epsilon=share) for share in shares]
    unwidened = equal or mechanism.noise(epsilon=epsilon, delta=delta, cells=len(parts))
    allowed = checks.open_unit("delta", delta)

    def noises(narrowing: float) -> list[Noise]:
        return [_widened(unwidened, max(parts) / (part * narrowing)) for part in parts]

    def suffices(narrowing: float) -> bool:
        losses = [(noise.loss(), count) for noise, count in Counter(noises(narrowing)).items()]
        return convolution.delta(losses, epsilon).pessimistic <= allowed

    narrowing = _largest(suffices, 1.0, max(parts) / min(parts))
    while not suffices(narrowing):  # δ of integer-valued noise is not monotone in its scale
        narrowing *= 1 - RESOLUTION
    return noises(narrowing)


def _widened(noise: Noise, factor: float) -> Noise:
    """Return noise of the same family on a scale that is larger by this factor."""
    if isinstance(noise, Canonical):
        return replace(noise, log_ratio=noise.log_ratio / factor)
    wider = {name: value * factor for name, value in noise.numbers.items() if name in SCALES}
    return replace(noise, **wider)


def _largest(suffices: Callable[[float], bool], low: float, high: float) -> float:
    """Return a number that suffices, at most `RESOLUTION` below the largest; ``low`` suffices."""
    if suffices(high):
        return high
    while high - low > RESOLUTION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if suffices(middle) else (low, middle)
    return low
