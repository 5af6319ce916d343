"""Tests of claims about synthetic records and private modes.

Tables of `Results.figures`: records (the summary of synthetic records), count_bias (of cells) and
modes (the probabilities of a wrong mode).
"""

from collections.abc import Hashable, Mapping
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd

from ggexp.claims.evidence import (
    ONE_SPLIT,
    Comparison,
    Comparisons,
    Estimate,
    Point,
    Results,
    budget_of,
    claim_test,
    contrast,
    nearest,
    place,
    point_of,
)
from ggexp.claims.theory import noise_of
from ggexp.experiment.synthetic_errors import RELEASE
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.distribution import GeneralizedGaussian
from ggexp.releases.records import COUNTS, clamping_bias


@claim_test
def clamping_gain(*, count: int, scale: float, printed: float, unit: float) -> Comparisons:
    """Test whether clamping Laplace noise of a given scale biases a count by the printed amount.

    unit: place value of the last printed digit. The bias is computed independently of the run.
    """
    ours = clamping_bias(count, GeneralizedGaussian(1, scale), rounded=False)
    what = f"bias {ours:.6g} of a count of {count} with scale {scale:g}, {printed:g} stated"
    yield Comparison(what, "", unit / 2 - abs(ours - printed))


@claim_test
def small_cells_gain(results: Results) -> Comparisons:
    """Test whether cells with the smallest count have a positive bias if counts are clamped."""
    for row in _biases_of_smallest(results):
        what = f"{row['dataset']} {row['mechanism']}: bias > 0"
        yield Comparison(what, place(budget_of(row)), row["mean"], row["se"])


@claim_test
def gains_as_computed(results: Results, *, errors: float) -> Comparisons:
    """Test whether the bias of the smallest count is as computed, within exact standard errors.

    The standard error of a sample is unreliable for an increase that is rarely positive.
    """
    for row in _biases_of_smallest(results):
        what = f"{row['dataset']} {row['mechanism']}: bias within {errors:g} se of the exact one"
        margin = errors * _exact_se(row, results.scales) - abs(row["mean"] - row["exact"])
        yield Comparison(what, f"{place(budget_of(row))} ({row['exact']:.3g})", margin)


def _exact_se(row: Mapping[Hashable, Any], scales: pd.DataFrame) -> float:
    """Return the standard error of a row's mean increase of a rounded count, clamped at 0."""
    # for a rounded count R, E max(0, R)² is Σ (2k - 1) Pr(R >= k) over k > 0
    mechanism, budget = point_of(row)
    selected = (scales["mechanism"] == mechanism) & (scales["epsilon"] == budget.epsilon)
    selected &= scales["delta"].isna() | (scales["delta"] == budget.delta)
    (rule,) = scales[selected].to_dict("records")
    noise = noise_of(rule["calibration"], rule["order"], budget)
    count = row["original"]
    values = np.arange(1, count + noise.upper_point(1e-18) + 2)
    tails = np.array([noise.upper_tail(k - count - 0.5) for k in values])
    variance = float((2 * values - 1) @ tails - tails.sum() ** 2)
    return sqrt(variance / (row["cells"] * row["repeats"]))


@claim_test
def too_many_records(results: Results, *, dataset: str, at_least: float) -> Comparisons:
    """Test whether the method `COUNTS` makes more than n records, at each grid point.

    at_least: the smallest excess, as a share of n.
    """
    ours, n = (_estimates(results, dataset, "records", method) for method in (COUNTS, RELEASE))
    return _above_zero(f"records > {1 + at_least:g} n", (1, ours), (-1 - at_least, n))


@claim_test
def adds_at_most(
    results: Results, *, dataset: str, metric: str, method: str, share: float
) -> Comparisons:
    """Test whether making records increases an error by less than a share of the release's error.

    metric: "one_way" or "two_way". The increase is measured within each repeat.
    """
    added = _estimates(results, dataset, f"{metric}_added", method)
    release = _estimates(results, dataset, metric, RELEASE)
    what = f"{metric} error added by {method} < {share:.0%} of the error of the release"
    return _above_zero(what, (-1, added), (share, release))


@claim_test
def adds_more(results: Results, *, dataset: str, metric: str, more: str, less: str) -> Comparisons:
    """Test whether one method adds more to an error than another method, at each grid point."""
    larger, smaller = (
        _estimates(results, dataset, f"{metric}_added", name) for name in (more, less)
    )
    return _above_zero(f"{metric} error added by {more} > {less}", (1, larger), (-1, smaller))


@claim_test
def trains_as_well(results: Results, *, dataset: str, within: float) -> Comparisons:
    """Test whether classifiers trained on records are as accurate as those trained on releases.

    within: the allowed difference of the means, up or down; the nearer bound is compared.
    """
    methods = results.rows("records", dataset=dataset)["method"].unique()
    grid = results.grid(dataset, "accuracy")
    for method in methods:
        accuracies = _estimates(results, dataset, "accuracy", method)
        for (mechanism, budget), estimate in accuracies.items():
            release = grid.at(mechanism, budget)
            difference, error = contrast((1, estimate), (-1, release))
            what = f"{mechanism}, {method}: accuracy within {within:.2%} of the release"
            margins = within - difference, within + difference
            yield nearest(
                Comparison(what, place(budget), margin, error, ONE_SPLIT) for margin in margins
            )


@claim_test
def finds_the_mode(results: Results, *, mechanism: str, other: str) -> Comparisons:
    """Test whether one mechanism releases a wrong mode less often than another, at each ε and δ.

    The probabilities are exact. Their ratio is compared with 1, because both may be small.
    """
    for dataset, table in results.figure("modes").groupby("dataset", sort=False):
        rows = {point_of(row): row["wrong"] for row in table.to_dict("records")}
        for (name, budget), ours in rows.items():
            theirs = rows.get((other, budget), rows.get((other, Budget(budget.epsilon))))
            if name == mechanism and theirs is not None:
                what = f"{dataset}: Pr(wrong) of {mechanism} / Pr(wrong) of {other} < 1"
                yield Comparison(what, place(budget), 1 - ours / theirs)


def _above_zero(what: str, *terms: tuple[float, Mapping[Point, Estimate]]) -> Comparisons:
    """Compare a weighted sum of estimates with 0, at each point of the first term."""
    for point in terms[0][1]:
        margin = contrast(*((weight, estimates[point]) for weight, estimates in terms))
        yield Comparison(f"{point[0]}: {what}", place(point[1]), *margin)


def _estimates(results: Results, dataset: str, metric: str, method: str) -> dict[Point, Estimate]:
    """Return the estimates of a metric and a method, from the summary of synthetic records."""
    rows = results.rows("records", dataset=dataset, metric=metric, method=method)
    return {point_of(row): Estimate.of(row) for row in rows.to_dict("records")}


def _biases_of_smallest(results: Results) -> list[Mapping[Hashable, Any]]:
    """Return the biases of the cells with the smallest count, for the method `COUNTS`."""
    table = results.rows("count_bias", method=COUNTS)
    is_smallest = table["original"] == table.groupby("dataset")["original"].transform("min")
    return [*table[is_smallest].to_dict("records")]
