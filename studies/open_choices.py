"""How much rounding, and scaling for the classifier, matter: for docs/reproduction.md.

    python studies/open_choices.py

The paper names neither, and the workflow has no setting for them: its releases are not rounded, and
numeric attributes are scaled over the original training records. Prints, from the histograms of a
finished run in results/, errors of the tables and accuracy on Adult with and without rounding, of
the same releases, and the accuracy with other scalings. It takes about four minutes on two cores.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.accuracy import build_classifier
from ggexp.experiment.grid import GridPoint
from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.experiment.sanitize import release as release_of
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.svm.classifier import SharedKernelSVM
from ggexp.svm.coding import design_matrices

SEED = 20260101
REPEATS = 500  # of the tables
FITS = 100  # of the classifier
SCALED = 5  # fits with a kernel matrix of their own
TARGET = "income"
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
    scale = mechanism.scale(epsilon=point.epsilon, delta=point.delta)
    return lambda repeat: release_of(counts, point, scale, seed=SEED, repeat=repeat)


def show(what: str, values: NDArray[np.float64]) -> None:
    """Print mean ± standard error."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    print(f"{what:60s} {values.mean():.5g} ± {error:.2g}", flush=True)


def rounding_of_tables(dataset: str) -> None:
    """Print l1 and KL of releases as they are, and the mean change by rounding."""
    counts = pd.read_parquet(f"results/histograms/{dataset}.parquet")["count"].to_numpy()
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


def scaling(cells: pd.DataFrame, test: pd.DataFrame) -> None:
    """Print the accuracy with numeric attributes scaled otherwise."""
    counts = cells["count"].to_numpy()
    attributes = cells.drop(columns=[TARGET, "count"])
    tested = test.drop(columns=TARGET)

    def classifier(points: tuple[NDArray[np.float64], NDArray[np.float64]]) -> SharedKernelSVM:
        return SharedKernelSVM(points[0], cells[TARGET], counts, points[1], test[TARGET], threads=2)

    by_cells = design_matrices(attributes, np.ones(len(cells)), tested)
    print(f"scaled over cells, not records: {classifier(by_cells).original_accuracy():.4%}")
    for point in points("adult"):
        release = releases(counts, point)
        found = np.empty((SCALED, 2))
        for repeat in range(SCALED):
            made = release(repeat)
            again = classifier(design_matrices(attributes, made, tested))
            found[repeat, 0] = again.accuracies(lambda _, made=made: made, range(1))[0]
        usual = classifier(design_matrices(attributes, counts, tested))
        found[:, 1] = usual.accuracies(release, range(SCALED))
        show(f"{point.path}: change by scaling over the release", found[:, 0] - found[:, 1])


def main() -> None:
    """Print everything."""
    for dataset in ("mildew", "czech", "adult"):
        rounding_of_tables(dataset)
    cells = pd.read_parquet("results/histograms/adult.parquet")
    test = pd.read_parquet("results/histograms/adult_test.parquet")
    rounding_of_adult(cells, test)
    scaling(cells, test)


if __name__ == "__main__":
    main()
