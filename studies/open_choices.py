"""How much the choices matter that the paper leaves open and no setting has: reproduction.md.

    python studies/open_choices.py

The workflow's releases are not rounded, numeric attributes are scaled over the original training
records, they enter by the midpoints of their bins, and what is compared with are the original
counts of the cells. Prints, from the histograms of a finished run in results/, errors of the tables
and accuracy on Adult with and without rounding, of the same releases, the accuracy with other
scalings, and what sanitizing costs beside two other readings of "original data". It takes about
seven minutes on two cores.
"""

import os
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
REPEATS = 500  # of the tables
FITS = 100  # of the classifier
SCALED = 5  # fits with a kernel matrix of their own
TARGET = "income"
RECORDS = yaml.safe_load(Path("config/config.yaml").read_text("utf-8"))["histograms"]["adult"][
    "records"
]
FILE = Path(os.environ.get("GGEXP_MIRROR") or "data/downloads", "adult.data")
Points = NDArray[np.float64]
Release = Callable[[int], NDArray[np.float64]]


def points(dataset: str) -> list[GridPoint]:
    """Return the grid points with the most and the least noise."""
    return [
        GridPoint(dataset, "gaussian-adp", 2, "adp-classical", 0.5, 0.01),
        GridPoint(dataset, "gaussian-pdp", 2, "pdp", 0.5, 0.01),
        GridPoint(dataset, "laplace", 1, "pure", 0.5, None),
        GridPoint(dataset, "laplace", 1, "pure", 2, None),
    ]


def releases(counts: NDArray[np.int64], point: GridPoint) -> Release:
    """Return a function from a repeat to its release, the run's own."""
    mechanism = Mechanism(point.order, point.calibration)
    noisy = NoisyPoint(point, mechanism.noise(epsilon=point.epsilon, delta=point.delta))
    return lambda repeat: release_of(counts, noisy, seed=SEED, repeat=repeat)


def show(what: str, values: NDArray[np.float64]) -> None:
    """Print mean ± standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    print(f"{what:60s} {values.mean():.5g} ± {error:.2g}", flush=True)


def rounding_of_tables(dataset: str) -> None:
    """Print l1 and KL of releases as they are, and the mean change by rounding."""
    counts = read_parquet(f"results/histograms/{dataset}.parquet")["count"].to_numpy()
    for point in points(dataset):
        release = releases(counts, point)
        found = np.empty((REPEATS, 4))
        for repeat in range(REPEATS):
            plain = release(repeat)
            whole = np.rint(plain)
            found[repeat] = [
                l1(counts, plain),
                l1(counts, whole) - l1(counts, plain),
                kl_dirichlet(counts, plain)[0],
                kl_dirichlet(counts, whole)[0] - kl_dirichlet(counts, plain)[0],
            ]
        for i, metric in enumerate(("l1", "change of l1", "KL", "change of KL")):
            show(f"{point.path}: {metric}", found[:, i])


def rounding_of_adult(cells: pd.DataFrame, test: pd.DataFrame) -> None:
    """Print the accuracy with releases as they are, and rounded."""
    counts = cells["count"].to_numpy()
    classifier = build_classifier(cells, test, TARGET, threads=2)
    print(f"original counts: {classifier.original_accuracy():.4%}")
    for point in points("adult"):
        release = releases(counts, point)
        show(f"{point.path}: accuracy", classifier.accuracies(release, range(FITS)))
        rounded = classifier.accuracies(lambda k, made=release: np.rint(made(k)), range(FITS))
        show(f"{point.path}: accuracy, rounded", rounded)


def build(
    cells: pd.DataFrame, test: pd.DataFrame, points: tuple[Points, Points]
) -> SharedKernelSVM:
    """Return the classifier of cells and test records that are coded as these points."""
    counts = cells["count"].to_numpy()
    return SharedKernelSVM(points[0], cells[TARGET], counts, points[1], test[TARGET], threads=2)


def scaling(cells: pd.DataFrame, test: pd.DataFrame) -> None:
    """Print the accuracy with numeric attributes scaled otherwise."""
    counts = cells["count"].to_numpy()
    attributes = cells.drop(columns=[TARGET, "count"])
    tested = test.drop(columns=TARGET)

    by_cells = design_matrices(attributes, np.ones(len(cells)), tested)
    accuracy = build(cells, test, by_cells).original_accuracy()
    print(f"scaled over cells, not records: {accuracy:.4%}")
    for point in points("adult"):
        release = releases(counts, point)
        found = np.empty((SCALED, 2))
        for repeat in range(SCALED):
            made = release(repeat)
            again = build(cells, test, design_matrices(attributes, made, tested))
            found[repeat, 0] = again.accuracies(lambda _, made=made: made, range(1))[0]
        usual = build(cells, test, design_matrices(attributes, counts, tested))
        found[:, 1] = usual.accuracies(release, range(SCALED))
        show(f"{point.path}: change by scaling over the release", found[:, 0] - found[:, 1])


def unbinned() -> Histogram:
    """Return the same training and test records, with their own numbers for those of bins.

    The numbers are whole, so each has a bin of its own, of which it is the midpoint. The split
    depends on the number of records, and that is the same.
    """
    columns: dict[str, Any] = {
        name: {
            "from": form["from"] - 0.5,
            "to": form["to"] + 0.5,
            "bins": form["to"] - form["from"] + 1,
        }
        if isinstance(form, dict)
        else form
        for name, form in RECORDS["columns"].items()
    }
    layout = Layout.from_config({**RECORDS, "columns": columns}, "unbinned")
    return read_histogram(FILE, layout, dataset="adult", seed=SEED)


def as_factors(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the attributes with a level for each bin, in the order of the bins, as cut() makes."""
    numeric = frame.select_dtypes("number").columns
    return frame.assign(**{name: frame[name].map("{:012.1f}".format) for name in numeric})


def costs(original: float, classifier: SharedKernelSVM, cells: pd.DataFrame) -> None:
    """Print by how many percentage points releases fall short of an accuracy."""
    counts = cells["count"].to_numpy()
    for point in points("adult"):
        found = classifier.accuracies(releases(counts, point), range(FITS))
        show(f"    {point.path}: cost in percentage points", 100 * (original - found))


def original_data(cells: pd.DataFrame, test: pd.DataFrame) -> None:
    """Print what sanitizing costs where "original data" are factors, or records without bins."""
    counts = cells["count"].to_numpy()
    attributes, tested = cells.drop(columns=[TARGET, "count"]), test.drop(columns=TARGET)
    coded = design_matrices(as_factors(attributes), counts, as_factors(tested))
    classifier = build(cells, test, coded)
    accuracy = classifier.original_accuracy()
    print(f"bins as factors, {coded[0].shape[1]} columns: {accuracy:.4%}")
    costs(accuracy, classifier, cells)

    raw = unbinned()
    assert raw.test[TARGET].equals(test[TARGET]), "another split"
    raw_tested = raw.test.drop(columns=TARGET)
    coded = design_matrices(
        raw.cells.drop(columns=[TARGET, "count"]), raw.cells["count"].to_numpy(), raw_tested
    )
    accuracy = build(raw.cells, raw.test, coded).original_accuracy()
    print(f"records without bins, {len(raw.cells)} different ones: {accuracy:.4%}")
    print("  beside classifiers of sanitized cells that predict records without bins:")
    binned = build(cells, raw.test, design_matrices(attributes, counts, raw_tested))
    print(f"    original counts: {binned.original_accuracy():.4%}")
    costs(accuracy, binned, cells)
    print("  beside those that predict records in bins:")
    costs(accuracy, build_classifier(cells, test, TARGET, threads=2), cells)


def main() -> None:
    """Print everything."""
    for dataset in ("mildew", "czech", "adult"):
        rounding_of_tables(dataset)
    cells = read_parquet("results/histograms/adult.parquet")
    test = read_parquet("results/histograms/adult_test.parquet")
    rounding_of_adult(cells, test)
    scaling(cells, test)
    original_data(cells, test)


if __name__ == "__main__":
    main()
