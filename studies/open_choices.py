"""Measure the effect of open choices that are not settings, for docs/reproduction.md.

    python studies/open_choices.py

The paper leaves these choices open. In the workflow, releases are not rounded; numeric attributes
are scaled over the original training records and represented by the midpoints of their bins; and
errors are measured against the original counts of the cells. This study uses the histograms of a
finished run in results/. It prints the errors of the tables and the accuracy on Adult, with and
without rounding of the same releases; the accuracy with other scalings; and the cost of sanitizing
for two other readings of "original data". Takes about seven minutes on two cores.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from numpy.typing import NDArray

from ggexp.datasets.layout import Layout
from ggexp.datasets.records import Histogram, read_histogram
from ggexp.experiment.accuracy import build_classifier
from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import release as release_of
from ggexp.run.storage import read_parquet
from ggexp.svm.classifier import SharedKernelSVM
from ggexp.svm.coding import design_matrices

SEED = 20260101
REPEATS = 500  # releases of a table at each grid point
FITS = 100  # classifiers trained at each grid point
SCALED_FITS = 5  # classifiers trained at each grid point, if each needs its own kernel matrix
TARGET = "income"
RECORDS = yaml.safe_load(Path("config/config.yaml").read_text("utf-8"))["histograms"]["adult"][
    "records"
]
FILE = Path("data/downloads/adult.data")
Points = NDArray[np.float64]
Release = Callable[[int], NDArray[np.float64]]


def points(dataset: str) -> list[GridPoint]:
    """Return four grid points, in order of decreasing noise."""
    return [
        GridPoint(dataset, "gaussian-adp", 2, "adp-classical", 0.5, 0.01),
        GridPoint(dataset, "gaussian-pdp", 2, "pdp", 0.5, 0.01),
        GridPoint(dataset, "laplace", 1, "pure", 0.5, None),
        GridPoint(dataset, "laplace", 1, "pure", 2, None),
    ]


def releases(counts: NDArray[np.int64], point: GridPoint) -> Release:
    """Return a function that maps a repeat to the release of the run."""
    mechanism = Mechanism(point.order, point.calibration)
    noisy = NoisyPoint(point, mechanism.noise(epsilon=point.epsilon, delta=point.delta))
    return lambda repeat: release_of(counts, noisy, seed=SEED, repeat=repeat)


def show(label: str, values: NDArray[np.float64]) -> None:
    """Print the mean ± its standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    print(f"{label:60s} {values.mean():.5g} ± {error:.2g}", flush=True)


def rounding_of_tables(dataset: str) -> None:
    """Print the l1 and KL errors of releases, and their mean change if releases are rounded."""
    counts = read_parquet(f"results/histograms/{dataset}.parquet")["count"].to_numpy()
    for point in points(dataset):
        release = releases(counts, point)
        errors = np.empty((REPEATS, 4))
        for repeat in range(REPEATS):
            plain = release(repeat)
            rounded = np.rint(plain)
            errors[repeat] = [
                l1(counts, plain),
                l1(counts, rounded) - l1(counts, plain),
                kl_dirichlet(counts, plain)[0],
                kl_dirichlet(counts, rounded)[0] - kl_dirichlet(counts, plain)[0],
            ]
        for i, metric in enumerate(("l1", "change of l1", "KL", "change of KL")):
            show(f"{point.path}: {metric}", errors[:, i])


def rounding_of_adult(cells: pd.DataFrame, test: pd.DataFrame) -> None:
    """Print the accuracy with and without rounding of the releases."""
    counts = cells["count"].to_numpy()
    classifier = build_classifier(cells, test, TARGET, threads=2)
    print(f"original counts: {classifier.original_accuracy():.4%}")
    for point in points("adult"):
        release = releases(counts, point)
        show(f"{point.path}: accuracy", classifier.accuracies(release, range(FITS)))
        rounded = classifier.accuracies(lambda k, make=release: np.rint(make(k)), range(FITS))
        show(f"{point.path}: accuracy, rounded", rounded)


def build(
    cells: pd.DataFrame, test: pd.DataFrame, points: tuple[Points, Points]
) -> SharedKernelSVM:
    """Return the classifier for cells and test records whose coded attributes are given."""
    counts = cells["count"].to_numpy()
    return SharedKernelSVM(points[0], cells[TARGET], counts, points[1], test[TARGET], threads=2)


def scaling(cells: pd.DataFrame, test: pd.DataFrame) -> None:
    """Print the accuracy with other scalings of the numeric attributes."""
    counts = cells["count"].to_numpy()
    attributes = cells.drop(columns=[TARGET, "count"])
    test_attributes = test.drop(columns=TARGET)

    by_cells = design_matrices(attributes, np.ones(len(cells)), test_attributes)
    accuracy = build(cells, test, by_cells).original_accuracy()
    print(f"scaled over cells, not records: {accuracy:.4%}")
    for point in points("adult"):
        release = releases(counts, point)
        accuracies = np.empty((SCALED_FITS, 2))
        for repeat in range(SCALED_FITS):
            weights = release(repeat)
            rescaled = build(cells, test, design_matrices(attributes, weights, test_attributes))
            accuracies[repeat, 0] = rescaled.accuracies(lambda _, w=weights: w, range(1))[0]
        usual = build(cells, test, design_matrices(attributes, counts, test_attributes))
        accuracies[:, 1] = usual.accuracies(release, range(SCALED_FITS))
        show(
            f"{point.path}: change by scaling over the release", accuracies[:, 0] - accuracies[:, 1]
        )


def unbinned() -> Histogram:
    """Return the training and test records of the run, with unbinned numeric values.

    All values are whole numbers, therefore each value gets its own bin, with the value as midpoint.
    The split depends only on the number of records, which is the same.
    """
    columns: dict[str, Any] = {
        name: {
            "from": column["from"] - 0.5,
            "to": column["to"] + 0.5,
            "bins": column["to"] - column["from"] + 1,
        }
        if isinstance(column, dict)
        else column
        for name, column in RECORDS["columns"].items()
    }
    layout = Layout.from_config({**RECORDS, "columns": columns}, "unbinned")
    return read_histogram(FILE, layout, dataset="adult", seed=SEED)


def as_factors(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the attributes with one level per bin, in the order of the bins, as R's cut() does."""
    numeric = frame.select_dtypes("number").columns
    return frame.assign(**{name: frame[name].map("{:012.1f}".format) for name in numeric})


def costs(original: float, classifier: SharedKernelSVM, cells: pd.DataFrame) -> None:
    """Print by how many percentage points releases reduce a given accuracy."""
    counts = cells["count"].to_numpy()
    for point in points("adult"):
        accuracies = classifier.accuracies(releases(counts, point), range(FITS))
        show(f"    {point.path}: cost in percentage points", 100 * (original - accuracies))


def original_data(cells: pd.DataFrame, test: pd.DataFrame) -> None:
    """Print the cost of sanitizing if "original data" means factors or records without bins."""
    counts = cells["count"].to_numpy()
    attributes, test_attributes = cells.drop(columns=[TARGET, "count"]), test.drop(columns=TARGET)
    coded = design_matrices(as_factors(attributes), counts, as_factors(test_attributes))
    classifier = build(cells, test, coded)
    accuracy = classifier.original_accuracy()
    print(f"bins as factors, {coded[0].shape[1]} columns: {accuracy:.4%}")
    costs(accuracy, classifier, cells)

    raw = unbinned()
    assert raw.test[TARGET].equals(test[TARGET]), "the splits differ"
    raw_test_attributes = raw.test.drop(columns=TARGET)
    coded = design_matrices(
        raw.cells.drop(columns=[TARGET, "count"]),
        raw.cells["count"].to_numpy(),
        raw_test_attributes,
    )
    accuracy = build(raw.cells, raw.test, coded).original_accuracy()
    print(f"records without bins, {len(raw.cells)} distinct records: {accuracy:.4%}")
    print(
        "  compared with classifiers trained on sanitized cells that predict records without bins:"
    )
    binned = build(cells, raw.test, design_matrices(attributes, counts, raw_test_attributes))
    print(f"    original counts: {binned.original_accuracy():.4%}")
    costs(accuracy, binned, cells)
    print("  compared with classifiers that predict records in bins:")
    costs(accuracy, build_classifier(cells, test, TARGET, threads=2), cells)


def main() -> None:
    """Print all measurements."""
    for dataset in ("mildew", "czech", "adult"):
        rounding_of_tables(dataset)
    cells = read_parquet("results/histograms/adult.parquet")
    test = read_parquet("results/histograms/adult_test.parquet")
    rounding_of_adult(cells, test)
    scaling(cells, test)
    original_data(cells, test)


if __name__ == "__main__":
    main()
