"""The numbers of docs/empty-cells.md, from the copy of a full run (tests/data/README.md)."""

import pytest
from printed import agrees, numbers, table, text

from ggexp.experiment.sparse import Kind
from ggexp.mechanisms.distribution import GeneralizedGaussian

PAGE = "empty-cells.md"
DOMAINS = {"adult": "all", "no-fnlwgt": "no fnlwgt", "five-columns": "five columns"}
POINTS = {
    "threshold": [(0.5, None), (1, None), (2, None)],
    "stability": [(0.5, 0.01), (1, 0.05), (2, 0.25)],
}
RECORDS = {"adult": 20_009, "no-fnlwgt": 20_009, "five-columns": 20_375}


def mean(results, dataset, metric, epsilon, delta, mechanism="laplace"):
    return results.grid(dataset, metric).at(mechanism, epsilon, delta)


def rows(results):
    """What the table says: a row for each domain, release, and some ε and δ."""
    made = []
    for domain, name in DOMAINS.items():
        for kind, points in POINTS.items():
            for epsilon, delta in points:
                at = [
                    mean(results, f"{domain}-{kind}", metric, epsilon, delta)
                    for metric in ("kept", "kept_records", "added", "l1", "accuracy")
                ]
                made.append(
                    [
                        name,
                        kind,
                        f"{epsilon:g}",
                        "" if delta is None else f"{delta:g}",
                        *(f"{one.mean:,.1f}" for one in at[:1]),
                        *(f"{one.mean:,.0f}" for one in at[1:4]),
                        f"{100 * at[4].mean:.1f} ± {100 * at[4].sd:.1f} %",
                    ]
                )
    return made


def test_what_is_left(empty_cells):
    assert table(PAGE, "cells kept")[1:] == rows(empty_cells)


def test_baselines(empty_cells):
    baseline = empty_cells.baseline.set_index(["dataset", "model"])["accuracy"] * 100
    page = text(PAGE).partition("trained on the original counts have ")[2]
    printed = numbers(page.partition("%")[0])
    for number, domain in zip(printed, DOMAINS, strict=True):
        assert agrees(number, baseline[f"{domain}-stability", "original"])


def test_shares_in_the_conclusions(empty_cells):
    page = text(PAGE)
    for epsilon, share in ((2, "6.8 %"), (0.5, "22.7 %")):
        distance = mean(empty_cells, "five-columns-threshold", "l1", epsilon, None).mean
        assert f"{100 * distance / RECORDS['five-columns']:.1f} %" == share
        assert share in page
    light = mean(empty_cells, "adult-threshold", "kept", 2, 0.25, "ggm-3").mean
    heavy = mean(empty_cells, "adult-threshold", "kept", 2, None).mean
    assert f"GGM-3 at (2, 0.25) keeps {light:.0f} cells, Laplace noise {heavy:.1f}" in page
    at_quarter, at_hundredth = (
        mean(empty_cells, "adult-stability", "kept", 2, delta).mean for delta in (0.25, 0.01)
    )
    assert f"At (2, 0.25) it keeps {at_quarter:,.0f} cells" in page
    assert f"it keeps {at_hundredth:.0f}" in page


def test_the_threshold_of_laplace_noise():
    at = Kind("threshold", 19_440_691_200_000).threshold(GeneralizedGaussian(1, 0.5), None)
    assert f"At ε = 2 a count must exceed {at:.1f}" in text(PAGE)


@pytest.mark.parametrize("dataset", ["adult", "no-fnlwgt", "five-columns"])
def test_laplace_noise_is_the_best_by_stability(empty_cells, dataset):
    grid = empty_cells.grid(f"{dataset}-stability", "l1")
    for epsilon in grid.epsilons:
        for delta in grid.deltas("laplace"):
            means = {name: grid.at(name, epsilon, delta).mean for name in grid.mechanisms}
            assert min(means, key=means.get) == "laplace"
