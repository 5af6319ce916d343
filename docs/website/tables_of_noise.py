"""The tables of docs/numbers.md about noise, computed by the library."""
# ruff: noqa: D205, D401  (the docstrings of sections are the texts above their tables)

import warnings
from itertools import product
from math import sqrt

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import gennorm
from sections import DELTAS, EPSILONS, GRID, SMALL_DELTAS, section, table

from ggexp import Mechanism, bounded
from ggexp.companions.figures import tabulate_noise
from ggexp.companions.rules import noise_by
from ggexp.figures import tabulate_best_order
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.noise import Noise


@section("Noise by rule")
def noise_by_rule() -> str:
    """The standard deviation for one count."""
    rules = [("pure", 1), ("pdp", 2), ("pdp", 3), *(("adp-exact", order) for order in (1, 2, 3))]
    rows = [
        [*point, *(noise_of(rule, order, *point).sd for rule, order in rules)] for point in GRID
    ]
    titles = [f"`{rule}`, p = {order}" for rule, order in rules]
    return table(" | ".join(["ε", "δ", *titles]), "g g .2f", rows)


def noise_of(rule: str, order: float | None, epsilon: float, delta: float) -> Noise:
    """Return the noise of a rule, also if its scale is too small for its guarantee."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="noise of calibration 'adp-")
        return noise_by(rule, order, epsilon=epsilon, delta=delta)


@section("Orders if a record is replaced")
def orders_if_replaced() -> str:
    """The smallest standard deviation under exact (ε, δ)-approximate DP, for the orders 1 to 3,
    if one record is added or removed (±1), and if one is replaced.
    """
    orders = (1, 1.25, 1.5, 2, 3)
    rows = []
    for epsilon, delta in product(EPSILONS, (*SMALL_DELTAS, *DELTAS)):
        sds = {
            (cells, order): Mechanism(order, "adp-exact")
            .noise(epsilon=epsilon, delta=delta, cells=cells)
            .sd
            for cells in (1, 2)
            for order in orders
        }
        rows.append([epsilon, delta, *sds.values(), sds[2, 2] / sds[2, 1]])
    titles = [f"{neighbours}: {order:g}" for neighbours in ("±1", "replaced") for order in orders]
    header = " | ".join(["ε | δ", *titles, "replaced: 2 ÷ 1"])
    return table(header, " ".join(["g", "g", *[".3f"] * 10, ".2f"]), rows)


@section("Exact δ")
def exact_deltas() -> str:
    """Of approximate DP ([exact privacy loss](exact-privacy-loss.md))."""
    mechanisms = [("adp-classical", 2), ("pdp", 2), ("pdp", 3)]
    rows = [
        [
            *point,
            *(noise_of(rule, p, *point).delta(epsilon=point[0]) for rule, p in mechanisms),
        ]
        for point in GRID
    ]
    return table("ε | claimed δ | Gaussian-aDP | Gaussian-pDP | GGM-3", "g g .3g", rows)


@section("Looseness of rules")
def looseness() -> str:
    """Scales relative to the rule `adp-exact` of the same order."""
    names = ("adp-classical", "adp-lecture", "zcdp", "pdp", "pdp-exact")
    rules = [*((name, 2) for name in names), ("pdp", 3)]
    points = [(0.5, 1e-6), (0.5, 0.01), (0.5, 0.25), (2, 0.25), (6, 0.1)]
    rows = [[*point, *(relative_scale(*rule, *point) for rule in rules)] for point in points]
    return table(" | ".join(["ε", "δ", *names, "pdp, order 3"]), "g g .3f", rows)


def relative_scale(rule: str, order: float, epsilon: float, delta: float) -> float:
    """Return the scale of a rule divided by the smallest scale for approximate DP."""
    return (
        noise_of(rule, order, epsilon, delta).scale
        / noise_of("adp-exact", order, epsilon, delta).scale
    )


@section("Two bounds at large ε")
def false_bounds() -> str:
    """Above these ε, the exact δ exceeds the claimed δ."""
    deltas = (1e-6, 0.01, 0.1, 0.25)

    def excess(epsilon: float, rule: str, delta: float) -> float:
        return relative_scale(rule, 2, epsilon, delta) - 1

    rows = [
        [f"`{rule}`", *(brentq(excess, 1, 99, args=(rule, delta)) for delta in deltas)]
        for rule in ("adp-classical", "adp-lecture")
    ]
    return table("false above ε = | " + " | ".join(f"δ = {d:g}" for d in deltas), "s .3f", rows)


@section("Smallest noise for counts")
def least_absolute() -> str:
    """The smallest mean absolute value under approximate DP, and the ratios of other noise to it
    ([integer-valued noise](integer-valued-noise.md)).
    """
    rows = []
    for point in [(0.1, 0.01), (0.1, 0.25), (0.5, 0.01), (2, 0.25), (5, 0.01)]:
        found = [*tabulate_noise.mean_absolutes(*point)]
        rows.append([*point, found[0][2], *(value / smallest for _, value, smallest in found)])
    titles = [name for name, *_ in tabulate_noise.mean_absolutes(1, 0.01)]
    return table(" | ".join(["ε", "δ", "smallest", *titles]), "g g .3f .2f", rows)


@section("Integer-valued noise beside rounded noise")
def beside_rounded() -> str:
    """The mean absolute value under approximate DP, before clamping: of the smallest integer-valued
    noise, of geometric noise, which satisfies ε-DP, and of the best of five kinds of real-valued
    noise (Laplace, the orders 1, 2 and 3 and truncated Laplace), as it is and rounded.
    """
    kinds = [(1, "pure"), *((order, "adp-exact") for order in (1, 2, 3)), (1, "adp-truncated")]
    rows = []
    for point in product(EPSILONS, (*SMALL_DELTAS, *DELTAS)):
        smallest = noise_of("adp-optimal", None, *point).mean_absolute
        noises = [noise_of(rule, order, *point) for order, rule in kinds]
        real = min(noise.mean_absolute for noise in noises)
        rounded = min(map(mean_absolute_rounded, noises))
        geometric = noise_of("pure-integer", None, *point).mean_absolute
        ratios = [smallest / other for other in (geometric, real, rounded)]
        rows.append([*point, smallest, *ratios])
    titles = "ε | δ | smallest | of geometric | of real-valued | of rounded real-valued"
    return table(titles, "g g .3f .2f", rows)


def mean_absolute_rounded(noise: Noise) -> float:
    """Return the mean absolute value of rounded noise, 2 Σ Pr(e > k + 1/2)."""
    halves = np.arange(50 * (noise.sd + 1)) + 0.5
    return 2 * sum(noise.upper_tail(half) for half in halves)


@section("Orders for several tables")
def orders_for_tables() -> str:
    """The standard deviation at which m tables satisfy (1, δ) together, for the better of Laplace
    noise (of ε/m for each table, or of order 1 by exact composition) and Gaussian noise, and how
    much smaller it is for order 1.5 and the best order ([several tables](several-tables.md)).
    """
    rows = []
    for delta, tables in product((*SMALL_DELTAS, 0.01, 0.1, 0.25), (2, 4, 7, 9, 16, 30)):
        budget = Budget(1.0, delta)
        laplace = min(sqrt(2) * tables, tabulate_best_order.noise(1, tables, budget).sd)
        better = min(laplace, tabulate_best_order.noise(2, tables, budget).sd)
        best = tabulate_best_order.best_noise(tables, budget)
        of_one = tabulate_best_order.noise(1.5, tables, budget).sd
        gains = [1 - sd / better for sd in (of_one, best.sd)]
        name = "Laplace" if better == laplace else "Gaussian"
        rows.append([delta, tables, name, better, *(f"{gain:.1%}" for gain in gains), best.order])
    titles = "δ | m | better | its sd | order 1.5 gains | best order gains | the best order"
    return table(titles, "g d s .3f s s .2f", rows)


@section("pDP beside aDP")
def pdp_beside_adp() -> str:
    """The smallest Gaussian noise at ε = 1 under each guarantee; δ′ is the exact δ of the noise
    for pDP ([errata](errata.md)).
    """
    rows = []
    for delta in (0.1, 0.01, 1e-6, 1e-12, 1e-100):
        exact = noise_of("pdp-exact", 2, 1, delta).delta(epsilon=1)
        rows.append([delta, relative_scale("pdp-exact", 2, 1, delta), exact / delta])
    return table("δ | σ of pDP / σ of aDP | δ′ / δ", "g .3f .3g", rows)


@section("Best order")
def best_orders() -> str:
    """The order with the smallest standard deviation under approximate DP, and standard
    deviations of other noise ([best order](best-order.md)).
    """
    names = ("order", "sd", "sd_laplace", "sd_gaussian", "sd_truncated")
    points = [(0.1, 1e-6), (0.1, 0.25), (0.5, 0.1), (1, 1e-6), (1, 0.1), (2, 0.4), (5, 0.4)]
    rows = []
    for point in points:
        found = tabulate_best_order.compare(1, Budget(*point))
        rows.append([*point, *(found[name] for name in names)])
    titles = "best order | noise of this order | Laplace | Gaussian | truncated Laplace"
    return table(f"ε | δ | {titles}", "g g .3f", rows)


@section("Bounded support")
def bounded_scales() -> str:
    """Scales b for ε-DP of one count in [0, 20] at ε = 1, the largest loss at one of them, and
    root mean squared errors ([bounding](bounding.md)).
    """
    width = 20
    rows = []
    for order in (1, 2, 3, 4):
        sufficient = bounded.truncated_scale(
            order=order, epsilon=1, widths=[width], sensitivities=[1]
        )
        lemma_9, exact = (
            bounded.gg_scale(order=order, epsilon=1, utility_sensitivity=sensitivity)
            for sensitivity in (
                bounded.lemma_9(order, [(0, width)], [1]),
                bounded.utility_sensitivity(order, [width], [1]),
            )
        )
        inflated = bounded.inflated_scale(order=order, epsilon=1, width=width, sensitivity=1)
        loss = truncated_loss(order, exact, width)
        errors = [
            bounded_error(order, b, count, width, inflated=b == inflated)
            for b in (exact, inflated)
            for count in (10, 1)
        ]
        rows.append([order, sufficient, lemma_9, exact, loss, *errors[:2], inflated, *errors[2:]])
    titles = "Definition 5 | exponential, Lemma 9 | exponential, exact Δ_u | its largest loss"
    return table(
        f"p | {titles} | its error at 10 | at 1 | BIT | its error at 10 | at 1", "g .2f", rows
    )


def truncated_loss(order: float, b: float, width: float) -> float:
    """Return the largest log ratio of the truncated densities of two neighbours, on a grid."""
    s, release = np.linspace(0, width - 1, 191)[:, None], np.linspace(0, width, 2001)

    def log_density(value: np.ndarray) -> np.ndarray:
        noise = gennorm(order, loc=value, scale=b)
        return noise.logpdf(release) - np.log(noise.cdf(width) - noise.cdf(0))

    return float(np.abs(log_density(s + 1) - log_density(s)).max())


def bounded_error(order: float, b: float, count: float, width: float, *, inflated: bool) -> float:
    """Return the root mean squared error of a truncated or boundary-inflated release."""
    noise = gennorm(order, loc=count, scale=b)
    square = sum(
        quad(lambda x: (x - count) ** 2 * noise.pdf(x), *part)[0]
        for part in ((0, count), (count, width))
    )
    if inflated:
        square += count**2 * noise.cdf(0) + (width - count) ** 2 * noise.sf(width)
    else:
        square /= noise.cdf(width) - noise.cdf(0)
    return float(sqrt(square))
