"""One guarantee for several tables: the noise of each, and the selections that chose them.

The privacy losses of independent steps add up, also if a step depends on the results of earlier
steps, as long as each step's loss is dominated by a fixed distribution. A table has the loss of its
noise; an ε-DP selection has at worst the loss of ε-randomized response.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ggexp import checks
from ggexp.mechanisms import convolution
from ggexp.mechanisms.loss_distribution import LossDistribution, randomized_response
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.optimal_integer import Canonical
from ggexp.mechanisms.solver import rounded_up
from ggexp.ranges import Cells, Delta, Epsilon

#: The integer-valued noise for (ε, δ) among which `smallest_integer_valued` chooses. The best order
#: of discrete generalized Gaussian noise is near 1.5 for ten tables, and tends to 2 for more.
CANDIDATES = (
    Mechanism(None, "adp-optimal"),
    Mechanism(1.5, "adp-exact-integer"),
    Mechanism(2, "adp-exact-integer"),
)
SCALES = ("scale", "bound")  #: the parameters of noise that are in records
RESOLUTION = 1e-3  #: the relative precision of the ε that is left for the tables


@dataclass(frozen=True)
class JointNoise:
    """The noise of each cell of m tables, and the ε of each of the selections beside them."""

    noise: Noise
    tables: int
    selections: int = 0
    selection_epsilon: float = 0.0

    def delta(self, epsilon: float) -> float:
        """Return the smallest δ of approximate DP of all steps together, rounded up."""
        return convolution.delta(self.parts, epsilon).pessimistic

    @property
    def parts(self) -> list[tuple[LossDistribution, int]]:
        """The privacy loss distributions of all steps, with their numbers."""
        steps = [(self.noise.loss(), self.tables)]
        if self.selections:
            response = randomized_response(epsilon=self.selection_epsilon, delta=0.0)
            steps.append((response, self.selections))
        return steps


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
    noises = [each.noise(epsilon=epsilon, delta=delta, tables=tables) for each in candidates]
    return min(zip(candidates, noises, strict=True), key=lambda pair: pair[1].sd)


def calibrate(
    mechanism: Mechanism,
    *,
    epsilon: Epsilon,
    delta: Delta | None,
    tables: int,
    selections: int = 0,
    share: float = 0.0,
) -> JointNoise:
    """Return the noise of m tables that jointly satisfy (ε, δ) with the selections beside them.

    selections: their number. share: the selections alone satisfy (share ε, share δ).
    The noise is that of ε' for the tables alone, with the largest ε' that suffices.
    """
    checks.positive("epsilon", epsilon)
    if not selections:
        noise = mechanism.noise(epsilon=epsilon, delta=delta, cells=tables)
        return JointNoise(noise, tables)
    each = _selection_epsilon(epsilon, delta, selections, share)

    def joint(of_tables: float) -> JointNoise:
        noise = mechanism.noise(epsilon=of_tables, delta=delta, cells=tables)
        return JointNoise(noise, tables, selections, each)

    if delta is None or not mechanism.uses_delta:
        return joint(epsilon * (1 - share))
    saved = _largest(lambda x: joint(x).delta(epsilon) <= delta, epsilon * (1 - share), epsilon)
    return joint(saved)


def weighted(
    mechanism: Mechanism,
    *,
    epsilon: Epsilon,
    delta: Delta | None = None,
    weights: Sequence[float],
    equal: Noise | None = None,
) -> list[Noise]:
    """Return the noise of each table, whose scale is inversely proportional to the table's weight.

    The tables jointly satisfy (ε, δ). For ε-DP, ε is divided among the tables in proportion to
    their weights. Otherwise the scales exceed the smallest sufficient ones by at most `RESOLUTION`.
    equal: the noise of the mechanism for equal weights, if it is known.

    >>> from ggexp import Mechanism
    >>> from ggexp.tables.joint import weighted
    >>> noises = weighted(Mechanism(1, "pure"), epsilon=1, weights=[3, 1])
    >>> [round(noise.scale, 3) for noise in noises]
    [1.333, 4.0]
    """
    parts = [checks.positive("weights", weight) for weight in weights]
    if not mechanism.uses_delta:
        unit = Fraction(epsilon) / sum(map(Fraction, parts))
        shares = [-rounded_up(-unit * Fraction(part)) for part in parts]  # rounded down
        return [mechanism.noise(epsilon=share) for share in shares]
    unwidened = equal or mechanism.noise(epsilon=epsilon, delta=delta, tables=len(parts))
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


def _selection_epsilon(epsilon: float, delta: float | None, selections: int, share: float) -> float:
    """Return the ε of each selection, such that all of them satisfy (share ε, share δ)."""
    if not 0 < share < 1:
        raise ValueError(f"share must be in (0, 1), got {share!r}")
    basic = share * epsilon / selections
    if delta is None:
        return basic

    def suffices(each: float) -> bool:
        response = randomized_response(epsilon=each, delta=0.0)
        return (
            convolution.delta([(response, selections)], share * epsilon).pessimistic
            <= share * delta
        )

    return _largest(suffices, basic, share * epsilon)


def _largest(suffices: Callable[[float], bool], low: float, high: float) -> float:
    """Return a number that suffices, at most `RESOLUTION` below the largest; ``low`` suffices."""
    if suffices(high):
        return high
    while high - low > RESOLUTION * high:
        middle = (low + high) / 2
        low, high = (middle, high) if suffices(middle) else (low, middle)
    return low
