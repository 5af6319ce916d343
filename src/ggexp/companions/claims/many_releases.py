"""Tests of claims about choosing ε without the data, about composition, and about Figure S7."""

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np

from ggexp.claims.evidence import Comparison, Results
from ggexp.claims.registry import claim_test
from ggexp.companions.claims.rows import rows_of
from ggexp.guarantees.composition import Composition, advanced_of, basic_of
from ggexp.guarantees.table_error import epsilon_for_error
from ggexp.mechanisms.loss_distribution import randomized_response
from ggexp.mechanisms.mechanism import Mechanism

#: The counts of three tables with 64 cells.
TABLES: Mapping[str, Sequence[int]] = {
    "sparse": [1] * 22 + [0] * 42,
    "flat": [29] * 64,
    "one large cell": [1841] + [0] * 63,
}


@claim_test
def need_is_enough(
    results: Results,
    *,
    l1: float,
    confidence: float,
    delta: float | None,
    releases: int,
    standard_errors: float,
) -> list[Comparison]:
    """Test whether the l1 error of each of `TABLES` is within its bound often enough.

    The ε is computed without the table; negative counts are clamped at 0. standard_errors: the
    number of standard errors by which the share of releases within the bound may fall short of the
    confidence, because the expected share equals the confidence if no count is clamped.
    """
    need = epsilon_for_error(cells=64, l1=l1, confidence=confidence, delta=delta)
    rng = np.random.default_rng(results.seed)
    comparisons = []
    for name, counts in TABLES.items():
        noise = need.noise.sample(rng, releases * 64).reshape(releases, 64)
        errors = np.abs(np.maximum(counts + noise, 0) - counts).sum(axis=1)
        share = float(np.mean(errors <= l1))
        required = confidence - standard_errors * sqrt(confidence * (1 - confidence) / releases)
        where = f"ε={need.epsilon:g} for the table {name!r}"
        comparisons.append(
            Comparison(
                f"share of errors within the bound >= {required:.4f}", where, share - required
            )
        )
    return comparisons


@claim_test
def exact_is_below_advanced(
    *, releases: Sequence[tuple[float, float, int]], slacks: Sequence[float], saves: float
) -> list[Comparison]:
    """Test whether exact composition gives a smaller ε than advanced composition, by a share.

    releases: ε, δ and number of releases of each mechanism. The composition is of the worst
    mechanisms that satisfy (ε, δ)-DP. saves: the smallest required share. If basic composition has
    a smaller ε than advanced composition, exact composition is compared with basic composition.
    """
    worst = [(randomized_response(epsilon=e, delta=d), k) for e, d, k in releases]
    comparisons = []
    for slack in slacks:
        together, delta = advanced_of(releases, slack=slack)
        share = 1 - Composition(worst).epsilon(delta=delta).pessimistic / together
        margin = f"at least {saves:.0%} " if saves else ""
        is_basic = together == basic_of(releases).epsilon
        what = f"exact ε {margin}below {'basic' if is_basic else 'advanced'} composition"
        comparisons.append(Comparison(what, f"δ'={slack:g}", share - saves))
    return comparisons


@claim_test
def response_loses_the_most(
    *, epsilon: float, delta: float, k: int, mechanisms: Mapping[str, float | None]
) -> list[Comparison]:
    """Test whether k releases by randomized response have the largest δ at every ε.

    mechanisms: calibration rule -> order, of the mechanisms compared with randomized response.
    """
    epsilons = np.linspace(0, 1.2, 7) * epsilon * np.sqrt(k)
    worst = Composition([(randomized_response(epsilon=epsilon, delta=delta), k)])
    comparisons = []
    for rule, order in mechanisms.items():
        mechanism = Mechanism(order, rule)
        composed = Composition(
            [(mechanism.noise(epsilon=epsilon, delta=delta if mechanism.uses_delta else None), k)]
        )
        excess = min(
            worst.delta(epsilon=x).pessimistic - composed.delta(epsilon=x).optimistic
            for x in epsilons.tolist()
        )
        what = f"δ of randomized response > δ of {rule}"
        comparisons.append(Comparison(what, f"the worst ε of {epsilons.size}", excess))
    return comparisons


@claim_test
def curve_is_above(
    results: Results, *, above: str, below: str, releases: int, rates: Sequence[float]
) -> list[Comparison]:
    """Test whether a mechanism's trade-off curve is above that of another, in Figure S7."""
    curves = rows_of(results, "s7", releases=releases).set_index("false_positive")
    upper, lower = (
        np.interp(rates, curve.index, curve["false_negative"])
        for curve in (curves[curves["mechanism"] == name] for name in (above, below))
    )
    return [
        Comparison(
            f"false negative rate of {above} > {below}",
            f"false positive rate {rate:g}",
            float(excess),
        )
        for rate, excess in zip(rates, upper - lower, strict=True)
    ]
