"""Time and memory of a release's support vector machine by number of cells, compared with SVC.

    python benchmarks/growth_svm.py 10000 25000    # the numbers of cells
    python benchmarks/growth_svm.py 3000 --counts 100      # a hundred times as many records
    python benchmarks/growth_svm.py 100000 --library 0     # without SVC, which takes half an hour

For each number of cells, makes two tables of records with three categorical factors and a yes/no
target: one with overlapping and one with separated classes. Trains classifiers on a block of 125
releases (or the number of `--releases`) and predicts 20,000 test records; then scikit-learn's SVC
fits and predicts the first release. Both use one core. Prints processor times, their ratio, the
difference between the accuracies of the first release, and the peak memory before SVC starts. Each
measurement is appended to `benchmarks/growth_svm.csv`, from which `make numbers` makes a table.
"""

import argparse
import logging
import resource
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ggexp.svm.classifier import SharedKernelSVM
from ggexp.svm.coding import design_matrices
from ggexp.workload import BLOCK, classification_megabytes, release_seconds

FACTORS = ["a", "b", "c"]
ROOT = Path(__file__).parents[1]
RECORDS_PER_CELL = 1.6  # training records per cell
TEST_RECORDS = 20_000
NOISE_SCALE = 2.0  # scale of the Laplace noise that a release adds to the counts


class Problem(NamedTuple):
    """Training cells and test records as points; weights: the counts of the cells."""

    points: NDArray[np.float64]
    signs: NDArray[np.float64]
    weights: NDArray[np.float64]
    test_points: NDArray[np.float64]
    test_signs: NDArray[np.float64]


def make_records(levels: int, records: int, overlapping: bool) -> pd.DataFrame:
    """Return records of three factors with the given number of levels, and a target."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, levels, (records, len(FACTORS)))
    x, y, z = ((codes - (levels - 1) / 2) / (levels / 4)).T
    score = 1.2 * x + y * z - 0.5 * y
    threshold = rng.random(records) if overlapping else 0.5
    positive = 1 / (1 + np.exp(-1.5 * score)) > threshold
    return pd.DataFrame(codes, columns=FACTORS).assign(target=np.where(positive, 1.0, -1.0))


def make_problem(cells: int, overlapping: bool) -> Problem:
    """Return a problem with about the given number of cells.

    Its factors have the number of levels that gives the closest number of cells.
    """
    training = round(RECORDS_PER_CELL * cells)
    expected_levels = round((cells * (0.8 if overlapping else 1.5)) ** (1 / 3))
    tables = [
        make_records(levels, training + TEST_RECORDS, overlapping)
        for levels in range(max(2, expected_levels - 6), expected_levels + 7)
    ]
    records = min(tables, key=lambda table: abs(len(table[:training].drop_duplicates()) - cells))
    names = [*FACTORS, "target"]
    counted = records[:training].groupby(names).size().reset_index(name="count")
    test, weights = records[training:], counted["count"].to_numpy(np.float64)
    factors, test_factors = counted[FACTORS].astype(str), test[FACTORS].astype(str)
    points, test_points = design_matrices(factors, weights, test_factors)
    signs, test_signs = (table["target"].to_numpy() for table in (counted, test))
    return Problem(points, signs, weights, test_points, test_signs)


def release(weights: NDArray[np.float64], repeat: int) -> NDArray[np.float64]:
    """Return the sanitized weights of a repeat."""
    noise = np.random.default_rng([7, repeat]).laplace(0, NOISE_SCALE, len(weights))
    return np.clip(np.round(weights + noise), 0, None)


def measure(
    cells: int, overlapping: bool, counts: int, releases: int, library: bool
) -> dict[str, float]:
    """Return times in seconds on one core, and other results, by name.

    counts: the factor by which the number of records of each cell is multiplied.
    """
    points, signs, weights, test, test_signs = make_problem(cells, overlapping)
    weights = counts * weights
    start = time.process_time()
    classifier = SharedKernelSVM(points, signs, weights, test, test_signs)
    results = {
        "cells": len(points),
        "mean count": weights.mean(),
        "prepared": time.process_time() - start,
    }
    released = [release(weights, repeat) for repeat in range(releases)]
    start = time.process_time()
    accuracies = classifier.accuracies(released.__getitem__, range(releases))
    results["release"] = (time.process_time() - start) / releases
    results["expected"] = release_seconds(len(points), weights.sum())
    results["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    if library:
        nonzero = released[0] > 0
        start = time.process_time()
        model = SVC(C=1, gamma=1 / points.shape[1], tol=1e-3)
        model.fit(points[nonzero], signs[nonzero], sample_weight=released[0][nonzero])
        predicted = model.predict(test)
        results["SVC"] = time.process_time() - start
        results["ratio"] = results["SVC"] / results["release"]
        results["accuracy minus SVC's"] = accuracies[0] - float(np.mean(predicted == test_signs))
    classes = [np.count_nonzero(signs < 0), np.count_nonzero(signs > 0)]
    results["MB declared"] = classification_megabytes(classes, len(test), weights.sum())
    return results


def main() -> None:
    """Print all measurements and append them to the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cells", type=int, nargs="+")
    parser.add_argument("--counts", type=int, default=1)
    parser.add_argument("--releases", type=int, default=BLOCK)
    parser.add_argument("--library", type=int, choices=(0, 1), default=1)
    parser.add_argument("--classes", choices=("overlapping", "separated"), action="append")
    options = parser.parse_args()
    logging.basicConfig(format="%(message)s")  # messages about fallbacks
    table = ROOT / "benchmarks/growth_svm.csv"
    for cells in options.cells:
        for classes in options.classes or ("overlapping", "separated"):
            results = measure(
                cells,
                classes == "overlapping",
                options.counts,
                options.releases,
                bool(options.library),
            )
            numbers = (f"{name} {value:.5g}" for name, value in results.items())
            print(f"{classes}: {', '.join(numbers)}", flush=True)
            row = pd.DataFrame([{"classes": classes, **results}])
            tables = [pd.read_csv(table), row] if table.exists() else [row]
            pd.concat(tables).to_csv(table, index=False, float_format="%.4g")


if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        main()
