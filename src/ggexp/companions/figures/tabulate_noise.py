"""The numbers of Figures S1, S2, S4, S6, S7 and F1 to F3: noise on one count, and its privacy.

The text of the paper's first version that we have does not contain the settings of Figures F1 to
F3; these settings are ours.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from math import exp, gamma, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad

from ggexp import checks
from ggexp.companions.approximate_guesses import of_pdp
from ggexp.companions.least_integer import certify_pdp
from ggexp.companions.rules import noise_by
from ggexp.guarantees import advantage
from ggexp.guarantees.comparison import noises_at
from ggexp.guarantees.composition import Composition
from ggexp.mechanisms import calibration
from ggexp.mechanisms.bounded import clamp, truncated_scale
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.loss_distribution import LossDistribution, randomized_response
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import AnyOrder, Delta, Epsilon

EPSILONS = (0.5, 1.0, 2.0)  # the paper's grid
DELTAS = (0.01, 0.05, 0.1, 0.25)
LAPLACE = Mechanism(1, "pure")
PDP = {"gaussian-pdp": Mechanism(2, "pdp"), "ggm-3": Mechanism(3, "pdp")}
MECHANISMS = {"laplace": LAPLACE, **PDP, "gaussian-adp": Mechanism(2, "adp-classical")}
# multiples of the claimed ε at which δ is computed, dense just below 1, because Laplace noise has
# δ = 0 from 1 on
MULTIPLES = np.sort([*np.linspace(0, 4, 81), 0.99, 0.999, 0.9999])

RULES = (  # of Figure S4, with the order of the noise
    ("pdp", 2),
    ("pdp-exact", 2),
    ("adp-classical", 2),
    ("adp-lecture", 2),
    ("zcdp", 2),
    ("pdp", 3),
)
SOME_EPSILONS = (0.1, 0.5, 2.0, 10.0)  # one panel for each
SOME_DELTAS = (1e-6, 0.01, 0.1, 0.25)
ALONG_EPSILON = np.geomspace(0.05, 20, 61)
ALONG_DELTA = np.geomspace(1e-9, 0.4, 61)

EPSILON, DELTA = 1.0, 0.05  # of Figure S7
RELEASES = (1, 10)  # one panel for each
#: False positive rates, closest to each other near 0, where curves are steep.
RATES = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-6, 0.01, 41)]))
GUARANTEE = "guarantee"


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Ignore warnings that some scales are too small or not proven."""
    with warnings.catch_warnings(action="ignore"):
        yield


@_without_warnings()
def loss_curves() -> pd.DataFrame:
    """Return the numbers of Figure S1: exact δ of the paper's mechanisms at its grid points.

    mechanism, order, calibration, scale: the mechanism. epsilon, delta: its claim. exact_delta: the
    exact δ of approximate DP if ε is at_epsilon. Laplace noise claims only ε; it has rows for each
    δ.
    """
    frames = []
    for epsilon, delta, (name, mechanism) in product(EPSILONS, DELTAS, MECHANISMS.items()):
        noise = mechanism.noise(epsilon=epsilon, delta=delta)
        key = {
            "mechanism": name,
            "order": mechanism.order,
            "calibration": mechanism.calibration,
            "epsilon": epsilon,
            "delta": delta,
            "scale": noise.scale,
        }
        at_epsilons = MULTIPLES * epsilon
        exact = [noise.delta(epsilon=at_epsilon) for at_epsilon in at_epsilons]
        frames.append(pd.DataFrame(key | {"at_epsilon": at_epsilons, "exact_delta": exact}))
    return pd.concat(frames, ignore_index=True)


@_without_warnings()
def looseness() -> pd.DataFrame:
    """Return the columns of Figure S4.

    They are panel, calibration, order, epsilon, delta, ratio and exact_delta.
    ratio: the rule's scale divided by the scale of "adp-exact" at the same order. exact_delta: the
    δ of the rule's scale at ε, larger than delta if the ratio is below 1. In the panel "epsilon", ε
    varies and δ is one of `SOME_DELTAS`; in the panel "delta", δ varies and ε is one of
    `SOME_EPSILONS`.
    """
    grid = [("epsilon", e, d) for d in SOME_DELTAS for e in ALONG_EPSILON]
    grid += [("delta", e, d) for e in SOME_EPSILONS for d in ALONG_DELTA]
    rows = []
    for (rule, order), (panel, epsilon, delta) in product(RULES, grid):
        setting = {"order": order, "epsilon": epsilon, "delta": delta}
        b = noise_by(rule, **setting).scale
        ratio = b / calibration.calibrate("adp-exact", **setting).scale
        exact = GeneralizedGaussian(order, b).delta(epsilon=epsilon)
        row = {"panel": panel, "calibration": rule} | setting
        rows.append(row | {"ratio": ratio, "exact_delta": exact})
    return pd.DataFrame(rows)


@_without_warnings()
def trade_off() -> pd.DataFrame:
    """Return the columns of Figure S7: releases, mechanism, false_positive, false_negative.

    false_negative: the smallest false negative rate at each false positive rate, for a number of
    releases by each of the paper's mechanisms at (1, 0.05). The rows of "guarantee" are the
    lower bounds on this rate for all mechanisms that satisfy (1, 0.05)-approximate DP.
    """
    worst = randomized_response(Budget(EPSILON, DELTA))
    noises = {
        name: mechanism.noise(epsilon=EPSILON, delta=DELTA)
        for name, mechanism in MECHANISMS.items()
    }
    losses: list[tuple[str, Noise | LossDistribution]] = [*noises.items(), (GUARANTEE, worst)]
    curves = [
        pd.DataFrame(
            {
                "releases": releases,
                "mechanism": name,
                "false_positive": RATES,
                "false_negative": Composition([(loss, releases)]).trade_off(RATES),
            }
        )
        for releases in RELEASES
        for name, loss in losses
    ]
    return pd.concat(curves, ignore_index=True)


# ---- Figure S2
MANY_EPSILONS = np.unique([*np.geomspace(0.1, 5, 30), 0.5, 1, 2])
OPTIMUM = Mechanism(None, "adp-optimal")
GEOMETRIC = Mechanism(None, "pure-integer")
APPROXIMATE = {
    **MECHANISMS,
    "best-order": Mechanism("best", "adp-exact"),
    "truncated-laplace": Mechanism(1, "adp-truncated"),
    "geometric": GEOMETRIC,
    "discrete-gaussian": Mechanism(2, "adp-exact-integer"),
}
PROBABILISTIC = {
    "laplace": LAPLACE,
    **PDP,
    "truncated-laplace": Mechanism(1, "adp-truncated"),
    "geometric": GEOMETRIC,
    "discrete-gaussian": Mechanism(2, "pdp-exact-integer"),
}


@_without_warnings()
def above_best() -> pd.DataFrame:
    """Return the numbers of Figure S2, which do not depend on random draws.

    panel: "approximate" or "probabilistic", the kind of DP that the noise satisfies at epsilon and
    delta. mechanism: its name. value: for a count that changes by 1, E|e| in the first panel and
    the standard deviation in the second. bound: a lower bound on the value, for all noise in the
    first panel, and for symmetric integer-valued noise in the second. ratio: value over bound.
    """
    # adp-classical warns from ε = 1 on, but its noise is sufficient up to ε = 5
    rows = [
        (panel, name, epsilon, delta, value, bound)
        for epsilon in map(float, MANY_EPSILONS)
        for delta in DELTAS
        for panel, values in (("approximate", mean_absolutes), ("probabilistic", deviations))
        for name, value, bound in values(epsilon, delta)
    ]
    columns = ["panel", "mechanism", "epsilon", "delta", "value", "bound"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(ratio=table["value"] / table["bound"])


def mean_absolutes(epsilon: float, delta: float) -> Iterator[tuple[str, float, float]]:
    """Yield each mechanism with its E|e|, and the smallest possible E|e|, that of the optimum."""
    smallest = OPTIMUM.noise(epsilon=epsilon, delta=delta).mean_absolute
    for name, mechanism in APPROXIMATE.items():
        yield name, mechanism.noise(epsilon=epsilon, delta=delta).mean_absolute, smallest


def deviations(epsilon: float, delta: float) -> Iterator[tuple[str, float, float]]:
    """Yield each mechanism and truncated geometric noise with its sd, and the lower bound."""
    certificate = certify_pdp(Fraction(exp(epsilon)), Fraction(delta))
    bound = sqrt(certificate.bound)
    for name, mechanism in PROBABILISTIC.items():
        yield name, mechanism.noise(epsilon=epsilon, delta=delta).sd, bound
    yield "truncated-geometric", sqrt(certificate.variance), bound


# ---- Figure S6
GUESS_EPSILONS = np.linspace(0, 4, 161)
PRIORS = (0.5, 0.1, 0.01)
#: Attributes of the Adult data, from few levels to many, whose frequencies are priors.
ATTRIBUTES = ("sex", "race", "occupation", "native-country", "capital-gain")
ANSWERS = (2, 10, 100)  # numbers of equally likely answers, if there are no data
WORST = "worst prior"


def guessing_advantage(adult: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the columns of Figure S6: panel, prior, radius, epsilon, delta, advantage, paper.

    adult: the cells of the Adult histogram (attributes and ``count``), if Adult is among the data
        sets. Without these cells, the answers are equally likely.

    panel: the subject of the guess, "presence" (whether a person is in the table) or "answer" (the
    answer of a person in the table). prior: the prior of the adversary. radius: as for
    `ggexp.guarantees.advantage.of`, 1 for "presence" and 2 for "answer". advantage: the largest
    advantage under ε-DP, or, in rows with a δ, the bound on the mean advantage under
    (ε, δ)-probabilistic DP. paper: whether ε is one of the paper's.
    """
    priors = {WORST: None} | {f"prior {prior:g}": prior for prior in PRIORS}
    frames = [_curve("presence", name, prior, radius=1.0) for name, prior in priors.items()]
    points = [*product(EPSILONS, DELTAS)]
    means = pd.DataFrame(points, columns=["epsilon", "delta"])
    bounds = (of_pdp(epsilon=e, delta=d, prior=None) for e, d in points)
    means["advantage"] = [bound.average for bound in bounds]
    frames.append(means.assign(panel="presence", prior=WORST, radius=1.0, paper=True))
    frames += [
        _curve("answer", name, prior, radius=2.0)
        for name, prior in ({WORST: None} | _answer_priors(adult)).items()
    ]
    return pd.concat(frames, ignore_index=True)


def _answer_priors(adult: pd.DataFrame | None) -> dict[str, Any]:
    """Return priors of answers: the frequencies in Adult's attributes, or equal probabilities."""
    names = [] if adult is None else [name for name in ATTRIBUTES if name in adult]
    if adult is None or not names:
        return {f"1 of {number} answers": 1 / number for number in ANSWERS}
    total = adult["count"].sum()
    return {name: (adult.groupby(name)["count"].sum() / total).to_numpy() for name in names}


def _curve(panel: str, name: str, prior: advantage.Prior, radius: float) -> pd.DataFrame:
    """Return the rows of one curve."""
    epsilons = GUESS_EPSILONS
    advantages = [advantage.of(epsilon=epsilon, prior=prior, radius=radius) for epsilon in epsilons]
    key = {"panel": panel, "prior": name, "radius": radius}
    columns = {"epsilon": epsilons, "delta": np.nan, "advantage": advantages}
    return pd.DataFrame(key | columns | {"paper": np.isin(epsilons, EPSILONS)})


# ---- Figures F1 to F3
ORDERS = {"laplace": 1, "gaussian": 2}
BOUNDS = (2.0, 5.0)  # of F3, on both sides of the statistic
BINS = 16
DRAWS = 100_000


class Example(NamedTuple):
    """A panel of F1: the number of statistics within [0, width], ε, and the value of each."""

    values: int
    epsilon: float
    width: float
    value: float


#: All statistics may change at once, each by at most 1.
EXAMPLES = {
    "a": Example(1, 1.0, 10.0, 5.0),
    "b": Example(1, 0.5, 20.0, 4.0),
    "c": Example(5, 1.0, 10.0, 5.0),
    "d": Example(5, 0.5, 20.0, 4.0),
}


def truncated_densities() -> pd.DataFrame:
    """Return the columns of Figure F1.

    They are panel, values, epsilon, width, value, mechanism, scale, x and density.
    density: the density of the noise x on one statistic, for the truncated GG mechanisms of
    orders 1 and 2 that satisfy ε-DP, with the scale of the paper's Definition 5.
    """
    frames = []
    for panel, example in EXAMPLES.items():
        x = np.linspace(-example.value, example.width - example.value, 401)
        for mechanism, order in ORDERS.items():
            b = truncated_scale(
                order=order,
                epsilon=example.epsilon,
                widths=[example.width] * example.values,
                sensitivities=[1.0] * example.values,
            )
            noise = GeneralizedGaussian(order, b)
            inside = noise.scipy.cdf(x[-1]) - noise.scipy.cdf(x[0])
            key = {"panel": panel, **example._asdict(), "mechanism": mechanism, "scale": b}
            frames.append(pd.DataFrame(key | {"x": x, "density": _density(noise, x) / inside}))
    return pd.concat(frames, ignore_index=True)


def densities() -> pd.DataFrame:
    """Return the columns of Figure F2: epsilon, mechanism, delta, sd, x, density.

    The noise is from the Laplace mechanism for ε-DP (delta is missing) and from the Gaussian
    mechanism for (ε, δ)-pDP. sd: the standard deviation of the noise.
    """
    frames = []
    for epsilon in EPSILONS:
        x = np.linspace(-5 / epsilon, 5 / epsilon, 401)
        for key, noise in _noises(epsilon):
            columns = {"sd": noise.sd, "x": x, "density": _density(noise, x)}
            frames.append(pd.DataFrame(key | columns))
    return pd.concat(frames, ignore_index=True)


def histograms(seed: int) -> pd.DataFrame:
    """Return the histograms of Figure F3, of noise bounded on both sides.

    The columns bound, epsilon, mechanism and delta state the noise of F2, with values outside
    ± bound set to the bound. sd, bounded_sd: the standard deviations before and after bounding.
    left, right: the edges of a bin, which are equal for values on a bound. probability: the
    probability of the bin. share: the share of `DRAWS` draws that are in it.
    """
    # a separate stream, independent of all other streams from the same seed
    rng, frames = np.random.default_rng([seed, *b"f3"]), []
    for bound in BOUNDS:
        edges = np.linspace(-bound, bound, BINS + 1)
        left, right = np.append(-bound, edges), np.append(edges, bound)
        for epsilon in EPSILONS:
            for key, noise in _noises(epsilon):
                drawn = clamp(noise.sample(rng, DRAWS), -bound, bound)
                inner = np.histogram(drawn[np.abs(drawn) < bound], edges)[0]
                counts = [np.sum(drawn == -bound), *inner, np.sum(drawn == bound)]
                tail = noise.scipy.sf(bound)
                columns = {
                    "sd": noise.sd,
                    "bounded_sd": _bounded_sd(noise, bound),
                    "left": left,
                    "right": right,
                    "probability": [tail, *np.diff(noise.scipy.cdf(edges)), tail],
                    "share": np.array(counts) / DRAWS,
                }
                frames.append(pd.DataFrame({"bound": bound} | key | columns))
    return pd.concat(frames, ignore_index=True)


def _noises(epsilon: float) -> list[tuple[dict[str, Any], GeneralizedGaussian]]:
    """Return Laplace noise for ε-DP and Gaussian noise for (ε, δ)-pDP, with their key columns."""
    noises = [("laplace", np.nan, GeneralizedGaussian(1, 1 / epsilon))]
    for delta in DELTAS:
        b = calibration.calibrate("pdp", order=2, epsilon=epsilon, delta=delta).scale
        noises.append(("gaussian", delta, GeneralizedGaussian(2, b)))
    return [
        ({"epsilon": epsilon, "mechanism": name, "delta": delta}, noise)
        for name, delta, noise in noises
    ]


def _density(noise: GeneralizedGaussian, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the density of the noise at each x."""
    p, b = noise.order, noise.scale
    return np.exp(-((np.abs(x) / b) ** p)) / (2 * b * gamma(1 + 1 / p))


def _bounded_sd(noise: GeneralizedGaussian, bound: float) -> float:
    """Return the sd of clamped noise: its square is ∫ 2x Pr(|e| > x) dx up to the bound."""
    tail = noise.scipy.sf
    return sqrt(quad(lambda x: 4 * x * tail(x), 0, bound)[0])


def trade_off_table(epsilon: Epsilon, delta: Delta) -> pd.DataFrame:
    """Return the trade-off curves of the noise in `ggexp.noise_table`, for one release of a count.

    The columns are guarantee and calibration, as in `ggexp.noise_table`; order, as text;
    false_positive, one of `RATES`, and the smallest false_negative rate at it. Noise that satisfies
    no guarantee is omitted. The calibration "guarantee" is the lower bound for all mechanisms with
    the guarantee.
    """
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    curves: list[tuple[AnyOrder, str, Noise | LossDistribution, Guarantee | None]] = []
    for guarantee in Guarantee:
        allowed = delta if guarantee.has_delta else 0.0
        worst = randomized_response(Budget(epsilon, allowed))
        curves.append((None, "guarantee", worst, guarantee))
    parts = [
        pd.DataFrame(
            {
                "guarantee": str(satisfied),
                "order": "" if order is None else str(order),
                "calibration": calibration,
                "false_positive": RATES,
                "false_negative": Composition([(release, 1)]).trade_off(RATES),
            }
        )
        for order, calibration, release, satisfied in [*curves, *noises_at(Budget(epsilon, delta))]
        if satisfied is not None
    ]
    return pd.concat(parts, ignore_index=True)
