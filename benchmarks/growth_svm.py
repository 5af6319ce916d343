"""Time and memory of a release's support vector machine against cells, beside scikit-learn's SVC.

Run it with `python benchmarks/growth_svm.py 10000 25000`, the numbers of cells. For each it makes
two tables of records over three categorical factors and a yes/no target, one whose classes overlap
and one whose classes are separated, trains on a block of 125 releases (`--releases` for fewer), and
predicts 20,000 test records; then SVC fits and predicts the first release. Both use one core. It
prints processor time, the ratio, how the accuracies of that release differ, and the most memory
before SVC starts. All of them are lines of `benchmarks/growth_svm.csv`, from which
`benchmarks/growth.py` makes a table of docs/growth.md. With `--counts 100` each cell has a hundred
times as many records. At 10^5 cells SVC takes about half an hour: `--library 0` leaves it out.
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
#: Training records for each cell, test records, and the scale of the Laplace noise of releases.
RECORDS, TESTED, NOISE = 1.6, 20_000, 2.0


class Problem(NamedTuple):
    """Training cells and test records as points; weights are the cells' counts."""

    points: NDArray[np.float64]
    signs: NDArray[np.float64]
    weights: NDArray[np.float64]
    test_points: NDArray[np.float64]
    test_signs: NDArray[np.float64]


def make_records(levels: int, records: int, overlapping: bool) -> pd.DataFrame:
    """Return records of three factors of so many levels and a target."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, levels, (records, len(FACTORS)))
    x, y, z = ((codes - (levels - 1) / 2) / (levels / 4)).T
    score = 1.2 * x + y * z - 0.5 * y
    limit = rng.random(records) if overlapping else 0.5
    positive = 1 / (1 + np.exp(-1.5 * score)) > limit
    return pd.DataFrame(codes, columns=FACTORS).assign(target=np.where(positive, 1.0, -1.0))


def make_problem(cells: int, overlapping: bool) -> Problem:
    """Return a problem of about so many cells: of the number of levels that comes nearest."""
    training = round(RECORDS * cells)
    middle = round((cells * (0.8 if overlapping else 1.5)) ** (1 / 3))
    tables = [
        make_records(levels, training + TESTED, overlapping)
        for levels in range(max(2, middle - 6), middle + 7)
    ]
    records = min(tables, key=lambda of: abs(len(of[:training].drop_duplicates()) - cells))
    names = [*FACTORS, "target"]
    counted = records[:training].groupby(names).size().reset_index(name="count")
    test, weights = records[training:], counted["count"].to_numpy(np.float64)
    factors = counted[FACTORS].astype(str), weights, test[FACTORS].astype(str)
    points, test_points = design_matrices(*factors)
    signs, test_signs = (of["target"].to_numpy() for of in (counted, test))
    return Problem(points, signs, weights, test_points, test_signs)


def release(weights: NDArray[np.float64], repeat: int) -> NDArray[np.float64]:
    """Return the sanitized weights of a repeat."""
    noise = np.random.default_rng([7, repeat]).laplace(0, NOISE, len(weights))
    return np.clip(np.round(weights + noise), 0, None)


def measure(
    cells: int, overlapping: bool, counts: int, releases: int, library: bool
) -> dict[str, float]:
    """Return the times in seconds of one core, and what else is printed.

    counts: how many times as many records each cell has.
    """
    points, signs, weights, test, test_signs = make_problem(cells, overlapping)
    weights = counts * weights
    start = time.process_time()
    classifier = SharedKernelSVM(points, signs, weights, test, test_signs)
    found = {
        "cells": len(points),
        "mean count": weights.mean(),
        "prepared": time.process_time() - start,
    }
    copies = [release(weights, repeat) for repeat in range(releases)]
    start = time.process_time()
    accuracies = classifier.accuracies(copies.__getitem__, range(releases))
    found["release"] = (time.process_time() - start) / releases
    found["expected"] = release_seconds(len(points), weights.sum())
    found["MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    if library:
        kept = copies[0] > 0
        start = time.process_time()
        model = SVC(C=1, gamma=1 / points.shape[1], tol=1e-3)
        model.fit(points[kept], signs[kept], sample_weight=copies[0][kept])
        predicted = model.predict(test)
        found["SVC"] = time.process_time() - start
        found["ratio"] = found["SVC"] / found["release"]
        found["accuracy minus SVC's"] = accuracies[0] - float(np.mean(predicted == test_signs))
    classes = [np.count_nonzero(signs < 0), np.count_nonzero(signs > 0)]
    found["MB declared"] = classification_megabytes(classes, len(test), weights.sum())
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cells", type=int, nargs="+")
    parser.add_argument("--counts", type=int, default=1)
    parser.add_argument("--releases", type=int, default=BLOCK)
    parser.add_argument("--library", type=int, choices=(0, 1), default=1)
    parser.add_argument("--classes", choices=("overlapping", "separated"), action="append")
    options = parser.parse_args()
    logging.basicConfig(format="%(message)s")  # tells of fallbacks
    table = ROOT / "benchmarks/growth_svm.csv"
    for cells in options.cells:
        for classes in options.classes or ("overlapping", "separated"):
            found = measure(
                cells,
                classes == "overlapping",
                options.counts,
                options.releases,
                bool(options.library),
            )
            numbers = (f"{name} {value:.5g}" for name, value in found.items())
            print(f"{classes}: {', '.join(numbers)}", flush=True)
            row = pd.DataFrame([{"classes": classes, **found}])
            rows = [pd.read_csv(table), row] if table.exists() else [row]
            pd.concat(rows).to_csv(table, index=False, float_format="%.4g")


if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        main()
