"""The errors of releases in all readings of their scale, their rounding and the KL divergence."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from math import comb, exp, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq

from ggexp.claims.sd_errors import sd_error
from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.experiment.summary import statistics
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import rule
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.mechanisms.guarantee import delta_of, pdp_delta_of
from ggexp.mechanisms.loss_distribution import ROUNDING
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.rules import by_scale
from ggexp.mechanisms.sensitivity import CHANGED_CELLS
from ggexp.mechanisms.solver import checked
from ggexp.mechanisms.tails import density, upper_point, upper_tail
from ggexp.multiverse.choices import Factorial, Reading
from ggexp.progress import log_progress
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.records import largest_remainder
from ggexp.releases.simulate import release
from ggexp.streams import stream

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

#: The columns of every measured table, before the columns of its factorial's choices.
COLUMNS = (
    *("dataset", "metric", "mechanism", "epsilon", "delta"),
    *("repeats", "mean", "sd", "se", "sd_se"),
)
#: The names in the column ``mechanism`` of measures of the data before sanitizing, and of a table
#: of equal counts, which has no information but n and the cells.
ORIGINAL, EQUAL = "original", "equal"
#: The number of tables that are drawn if a table is made smaller.
DRAWS = 20
#: Alternative of ``rounding`` -> a function of released counts.
ROUNDED: Mapping[str, Callable[[Floats], Floats]] = {
    "none": lambda counts: counts,
    "nearest": np.rint,
}
#: Alternative of ``prior`` -> the pseudo-count, as a function of n and the number of cells.
PRIORS: Mapping[str, Callable[[float, int], float]] = {
    "1/2": lambda n, cells: 0.5,
    "1": lambda n, cells: 1.0,
    "1/cells": lambda n, cells: 1 / cells,
    "sqrt(n)/cells": lambda n, cells: sqrt(n) / cells,
}
#: The alternatives of ``direction``, in the order of the results of `kl_dirichlet`.
DIRECTIONS = ("forward", "reverse")
GGM_3, GAUSSIAN_ADP, NEIGHBOURS = "ggm-3-scale", "gaussian-adp-scale", "neighbours"
#: Mechanism -> the choice that only its scale depends on.
SCALE_OF = {"ggm-3": GGM_3, "gaussian-adp": GAUSSIAN_ADP}


def measure_readings(
    factorial: Factorial,
    dataset: str,
    outer: Reading,
    *,
    cells: pd.DataFrame,
    points: Sequence[NoisyPoint],
    seed: int,
    **_: Any,
) -> pd.DataFrame:
    """Return the summaries of the errors of a data set: a row for each metric, point and reading.

    outer: the alternatives of `choices.OUTER` that this job measures. cells: a row for each listed
        cell, with its ``count``. points: the grid points. seed: of the noise.
    """
    counts = cells["count"].to_numpy()
    rows: list[dict[str, object]] = []
    for size in factorial.alternatives("n"):
        tables = resized(counts, dataset, size, factorial.repeats, seed)
        own = {"n": size} if "n" in factorial.varies else {}
        total = float(tables[0][1].sum())
        rows.append(
            {"metric": "records", "mechanism": ORIGINAL, "mean": total, "repeats": 1, **own}
        )
        for noisy in log_progress(points, "grid points"):
            point = noisy.point
            for scale, noise in noises(point, factorial):
                parts = []
                for name, resized_counts, repeats in tables:
                    own_noise = NoisyPoint(replace(point, dataset=name), noise)
                    parts.append(_errors(own_noise, factorial, resized_counts, seed, repeats))
                for reading in parts[0]:
                    errors = pd.Series(np.concatenate([part[reading] for part in parts]))
                    values = {**statistics(errors), "sd_se": sd_error(errors)}
                    rows.append({**asdict(point), **values, **dict(reading), **scale, **own})
    return measured(rows, factorial, dataset, outer)


def measured(
    rows: Iterable[Mapping[str, object]], factorial: Factorial, dataset: str, outer: Reading
) -> pd.DataFrame:
    """Return the `COLUMNS` of rows as a measured table; "" means all alternatives of a choice.

    outer: the alternatives of rows that name no others.
    """
    table = pd.DataFrame([{**outer, **row, "dataset": dataset} for row in rows])
    table = table.reindex(columns=[*COLUMNS, *factorial.varies])
    return table.fillna(dict.fromkeys(factorial.varies, "")).astype({"repeats": "int64"})


def resized(
    counts: Counts, dataset: str, size: str, repeats: int, seed: int
) -> list[tuple[str, Counts, int]]:
    """Return the tables that an alternative of ``n`` uses: names, counts and numbers of repeats.

    A table that is too small is scaled to n records in the same proportions, rounded by largest
    remainders. Of one that is too large, `DRAWS` samples are drawn without replacement, because
    their empty cells differ; together they have the given number of repeats.
    """
    total = int(counts.sum())
    n = int(size) if size.isdigit() else total
    if n == total:
        return [(dataset, counts, repeats)]
    if n > total:
        scaled = counts.astype(np.float64) * (n / total)
        return [(f"{dataset}-large", largest_remainder(scaled, n), repeats)]
    rng = stream(seed, f"{n} records of {dataset}")
    return [
        (f"{dataset}-small-{draw}", rng.multivariate_hypergeometric(counts, n), part)
        for draw in range(DRAWS)
        if (part := len(range(draw, repeats, DRAWS)))
    ]


def _errors(
    noisy: NoisyPoint, factorial: Factorial, counts: Counts, seed: int, repeats: int
) -> dict[tuple[tuple[str, str], ...], Floats]:
    """Return the errors of each repeat, by metric and reading: pairs of a column and its value."""
    n, cells = float(counts.sum()), counts.size
    directions = factorial.alternatives("direction")
    errors: dict[tuple[tuple[str, str], ...], Floats] = {}
    for repeat in range(repeats):
        released = release(counts, noisy, seed=seed, repeat=repeat)
        for rounding in factorial.alternatives("rounding"):
            sanitized = ROUNDED[rounding](released)
            known: dict[tuple[str, ...], float] = {("l1", rounding): l1(counts, sanitized)}
            for prior in factorial.alternatives("prior"):
                divergences = kl_dirichlet(counts, sanitized, PRIORS[prior](n, cells))
                for direction, divergence in zip(DIRECTIONS, divergences, strict=True):
                    if direction in directions:
                        known["kl", rounding, prior, direction] = divergence
            for (metric, *alternatives), error in known.items():
                choices = zip(("rounding", "prior", "direction"), alternatives, strict=False)
                varied = (choice for choice in choices if choice[0] in factorial.varies)
                reading = ("metric", metric), *varied
                errors.setdefault(reading, np.empty(repeats))[repeat] = error
    return errors


def noises(point: GridPoint, factorial: Factorial) -> Iterator[tuple[Reading, Noise]]:
    """Yield the readings of the scale that differ at a grid point, each with the noise."""
    choices = {NEIGHBOURS, SCALE_OF.get(point.mechanism, NEIGHBOURS)}
    if point.epsilon < rule("adp-classical").proven_below:
        choices -= {GAUSSIAN_ADP}  # because its alternatives agree
    for reading in factorial.readings(choices):
        yield reading, noise(point, factorial.complete(reading))


def noise(point: GridPoint, reading: Reading) -> Noise:
    """Return the noise at a grid point in a complete reading."""
    calibration, delta = point.calibration, point.delta
    cells = CHANGED_CELLS[reading[NEIGHBOURS]]  # type: ignore[index]  # the schema has no others
    if point.mechanism == "ggm-3" and delta is not None:
        match reading[GGM_3]:
            case "two-sided":
                calibration = "pdp-exact"
            case "one-sided":
                return one_sided(3, point.budget, cells)
            case "as-printed":
                return printed_condition(3, point.budget, cells)
            case "leading-term":
                return leading_term(3, point.budget, cells)
    if point.mechanism == "gaussian-adp" and reading[GAUSSIAN_ADP] == "exact":
        if point.epsilon >= rule(calibration).proven_below:
            calibration = "adp-exact"
    mechanism = Mechanism(point.order, calibration)
    return mechanism.noise(epsilon=point.epsilon, delta=delta, cells=cells)


def one_sided(order: int, budget: Budget, cells: int) -> Noise:
    """Return the noise of the smallest scale with Pr(L > ε) <= δ for the privacy loss L."""
    if cells == 1:
        return Mechanism(order, "pdp").noise(epsilon=budget.epsilon, delta=2 * budget.delta)

    def exact(noise: GeneralizedGaussian, *, epsilon: float, cells: int) -> float:
        # δ of approximate DP is P - e^ε Q, δ of probabilistic DP is P + Q, and P = Pr(L > ε)
        approximate = delta_of(noise, epsilon=epsilon, cells=cells)
        probabilistic = pdp_delta_of(noise, epsilon=epsilon, cells=cells)
        return (approximate + exp(epsilon) * probabilistic) / (1 + exp(epsilon))

    return by_scale(exact)(rule("pdp").alone, order, budget, cells)


def printed_condition(order: int, budget: Budget, cells: int) -> GeneralizedGaussian:
    """Return the noise of the scale b with Pr(Σ_k a_k > b^p - ε Δ_p^p) = δ for a record.

    a_k = Σ_{j=1}^{p-1} C(p, j) |e_k|^(p-j) over the cells k that change, and Δ_p^p is the number of
    these cells. Source: the paper, the text after Corollary 7.
    """
    epsilon, delta = budget.epsilon, budget.delta

    def excess(scale: float) -> float:
        # in terms of g = |e|/b: the terms of the sum, and what remains for it
        terms = [comb(order, j) * scale ** (order - j) for j in range(1, order)]
        room = scale**order - epsilon * cells
        return _exceeds(lambda g: float(np.polyval([*terms, 0], g)), order, room, cells) - delta

    # the sum is positive; above the upper end, no draw below the tail's point exceeds the room
    g = upper_point(order, delta / (4 * cells))
    ends = (epsilon * cells) ** (1 / order), 10 * cells * order * (g + 1) ** 2
    b = checked(lambda b: excess(b) <= ROUNDING * delta, brentq(excess, *ends), 1e-12)
    return GeneralizedGaussian(order, b)


def leading_term(order: int, budget: Budget, cells: int) -> GeneralizedGaussian:
    """Return the noise of the scale b with Pr(Σ_k p |e_k|^(p-1) > ε b^p) = δ for a record."""
    delta = budget.delta

    def excess(room: float) -> float:
        return _exceeds(lambda g: g ** (order - 1), order, room, cells) - delta

    g = upper_point(order, delta / (4 * cells))
    found = brentq(excess, 0, cells * g ** (order - 1))
    room = checked(lambda room: excess(room) <= ROUNDING * delta, found, 1e-12)
    return GeneralizedGaussian(order, order * room / budget.epsilon)


def _exceeds(magnitude: Callable[[float], float], order: int, room: float, cells: int) -> float:
    """Return Pr(Σ_k magnitude(|g_k|) > room) for independent g_k of GG(0, 1, p), one or two."""
    if room <= 0:
        return 1.0

    def inverse(value: float) -> float:
        high = 1.0
        while magnitude(high) < value:
            high *= 2
        return float(brentq(lambda g: magnitude(g) - value, 0, high, xtol=1e-15))

    end = inverse(room)
    first = 2 * upper_tail(order, end)
    if cells == 1:
        return first

    def integrand(g: float) -> float:
        return 4 * density(order, g) * upper_tail(order, inverse(room - magnitude(g)))

    return float(first + quad(integrand, 0, end, epsabs=1e-12)[0])
