"""Adult's empty cells, from a full run: docs/empty-cells.md."""

from conftest import ROOT

from facts import fact
from ggexp import GeneralizedGaussian
from ggexp.releases.threshold import Threshold
from ggexp.run.columns import read_csv

DOMAINS = {"adult": "all", "no-fnlwgt": "no fnlwgt", "five-columns": "five columns"}
POINTS = {
    "threshold": [(0.5, None), (2, None)],
    "stability": [(0.5, 0.01), (2, 0.25)],
}
METRICS = ("kept", "kept_records", "added", "l1")


@fact
def releases(empty_cells):
    """For Laplace noise: kept and added cells, l1 and accuracy, and numbers quoted in the text."""

    def mean(dataset, metric, *point, mechanism="laplace"):
        return empty_cells.grid(dataset, metric).at(mechanism, *point).mean

    rows = []
    for domain, name in DOMAINS.items():
        for kind, points in POINTS.items():
            for point in points:
                dataset = f"{domain}-{kind}"
                means = [mean(dataset, metric, *point) for metric in METRICS]
                accuracy = empty_cells.grid(dataset, "accuracy").at("laplace", *point)
                shares = (100 * accuracy.mean, 100 * accuracy.sd)
                rows.append([name, kind, point[0], point[1] or (), *means, shares])
        grid = empty_cells.grid(f"{domain}-stability", "l1")
        for epsilon in grid.epsilons:  # Laplace noise is the best of the four
            for delta in grid.deltas("laplace"):
                means = {name: grid.at(name, epsilon, delta).mean for name in grid.mechanisms}
                assert min(means, key=means.get) == "laplace"
    baseline = empty_cells.baseline.set_index(["dataset", "model"])["accuracy"] * 100
    originals = [baseline[f"{domain}-stability", "original"] for domain in DOMAINS]
    few_cells = [mean("adult-stability", metric, 1, 0.05) for metric in ("kept", "accuracy")]
    light_tail = mean("adult-threshold", "kept", 2, 0.25, mechanism="ggm-3")
    heavy_tail = mean("adult-threshold", "kept", 2, None)
    l1 = [100 * mean("five-columns-threshold", "l1", e, None) / 20_375 for e in (2, 0.5)]
    return {
        "table": rows,
        "originals": originals,
        "majorities": [baseline[f"{domain}-stability", "majority"] for domain in DOMAINS],
        "l1": (l1[0], 2, l1[1], 0.5),
        "true-cells": (2, heavy_tail),
        "tails": (light_tail, heavy_tail),
        "stability": (2, 0.25, mean("adult-stability", "kept", 2, 0.25)),
        "stability-at-a-hundredth": mean("adult-stability", "kept", 2, 0.01),
        "few-cells": (1, 0.05, few_cells[0], 100 * few_cells[1], 18_000, originals[0]),
    }


@fact
def own_splits(empty_cells):
    """The largest differences of accuracies, in percentage points, from a run with other splits."""
    keys = ["dataset", "mechanism", "epsilon", "delta", "metric"]
    earlier = read_csv(ROOT / "tests/data/empty_cells/own_splits.csv")
    merged = earlier.merge(empty_cells.summary, on=keys, suffixes=("", "_now"), validate="1:1")
    assert len(merged) == len(earlier)
    merged = merged[merged["metric"] == "accuracy"].set_index("dataset")
    changes = (merged["mean_now"] - merged["mean"]).abs()
    return [100 * changes[f"adult-{kind}"].max() for kind in POINTS]


@fact
def threshold_of_laplace():
    cells = 19_440_691_200_000  # all cells of the paper's domain
    return 2, Threshold(cells).threshold(GeneralizedGaussian(1, 0.5), None)
