"""Time and accuracy of the project's support vector machines and of scikit-learn's, on one core.

    python benchmarks/svm.py results       # Adult, from the folder of a run of the paper's design
    python benchmarks/svm.py 25000         # rows of tests/data/growth_svm.csv, made-up tables
    python benchmarks/svm.py 3000:100      # 100 times as many records
    python benchmarks/svm.py 25000:1:10    # ten releases

SharedKernelSVM trains on a block of releases, and SVC(kernel="rbf") on the first of them; both
predict the test records. Prints processor times in seconds, their ratio, and the difference between
the accuracies. Adult takes some minutes and 3 GB of memory. The two classes of made-up tables
overlap or are separated. Their column "MB" is the largest memory of the process before SVC starts.
"""

import resource
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ggexp.experiment.configuration import check
from ggexp.experiment.design import grid
from ggexp.experiment.workload import TrainingSize
from ggexp.releases.simulate import release
from ggexp.run.project import ROOT
from ggexp.svm.classifier import SharedKernelSVM, design_matrices
from ggexp.svm.memory import BLOCK
from ggexp.svm.smo import Doubles

RECORDS_PER_CELL, TEST_RECORDS = 1.6, 20_000  # of tables that are made up
LAPLACE_SCALE = 2.0  # of the noise of their releases


class Problem:
    """The cells and test records of two classes, and a classifier whose matrices are prepared."""

    def __init__(self, cells: pd.DataFrame, test: pd.DataFrame, target: str) -> None:
        self.counts = cells["count"].to_numpy(np.float64)
        attributes, tested = cells.drop(columns=[target, "count"]), test.drop(columns=target)
        self.points, self.test_points = design_matrices(attributes, self.counts, tested)
        self.labels, self.test_labels = cells[target].to_numpy(), test[target].to_numpy()
        self.classifier = SharedKernelSVM(
            self.points, self.labels, self.counts, self.test_points, self.test_labels
        )

    def train(self, releases: list[Doubles]) -> tuple[float, float]:
        """Return the seconds for a release, and the accuracy of the first one."""
        start = time.process_time()
        accuracy = self.classifier.accuracies(releases.__getitem__, range(len(releases)))[0]
        return (time.process_time() - start) / len(releases), accuracy

    def train_library(self, counts: Doubles) -> tuple[float, float]:
        """Return scikit-learn's seconds for a release, and its accuracy."""
        start = time.process_time()
        model = SVC(kernel="rbf", C=1, gamma=1 / self.points.shape[1], tol=1e-3)
        model.fit(self.points, self.labels, sample_weight=counts)
        accuracy = np.mean(model.predict(self.test_points) == self.test_labels)
        return time.process_time() - start, accuracy


def adult(results: Path) -> None:
    """Print the means over the grid points of Adult."""
    config = check(yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8")))
    histograms = results / "histograms"
    cells, test = (pd.read_parquet(histograms / f"adult{end}.parquet") for end in ("", "_test"))
    counts, problem = cells["count"].to_numpy(), Problem(cells, test, "income")
    accuracy = problem.classifier.original_accuracy()
    print(f"{len(cells)} cells, accuracy on the original: {accuracy:.4%}")
    rows = []
    for point in grid(config)["adult"]:
        releases = [release(counts, point, seed=config.seed, repeat=i) for i in range(BLOCK)]
        rows.append(problem.train(releases) + problem.train_library(releases[0]))
    ours, accuracy, library, library_accuracy = np.transpose(rows)
    differences, ratio = accuracy - library_accuracy, library.mean() / ours.mean()
    print(f"SharedKernelSVM {ours.mean():.4f} s, SVC {library.mean():.4f} s, ratio {ratio:.0f}")
    print(
        f"accuracy minus SVC's, {len(rows)} releases: mean {differences.mean():+.5%}, "
        f"largest {np.abs(differences).max():.5%}, equal {np.mean(differences == 0):.0%}"
    )


def made_up(overlapping: bool, cells: int, factor: int = 1, repeats: int = BLOCK) -> str:
    """Return the row of a table of about so many cells, each with `factor` times as many records.

    Its three factors have the number of levels that gives the closest number of cells.
    """
    training, names = round(RECORDS_PER_CELL * cells), ["a", "b", "c", "target"]

    def records(levels: int) -> pd.DataFrame:
        rng = np.random.default_rng(1)
        codes = rng.integers(0, levels, (training + TEST_RECORDS, 3))
        x, y, z = ((codes - (levels - 1) / 2) / (levels / 4)).T
        threshold = rng.random(len(codes)) if overlapping else 0.5
        positive = 1 / (1 + np.exp(-1.5 * (1.2 * x + y * z - 0.5 * y))) > threshold
        return pd.DataFrame(np.column_stack([codes, positive]), columns=names)

    expected = round((cells * (0.8 if overlapping else 1.5)) ** (1 / 3))
    made = min(
        map(records, range(max(2, expected - 6), expected + 7)),
        key=lambda table: abs(len(table[:training].drop_duplicates()) - cells),
    ).astype(dict.fromkeys(names[:3], str))
    counted = factor * made[:training].groupby(names).size()
    problem = Problem(counted.reset_index(name="count"), made[training:], "target")
    rng = np.random.default_rng(7)
    noise = rng.laplace(0, LAPLACE_SCALE, (repeats, len(counted)))
    releases = [*np.clip(np.round(problem.counts + noise), 0, None)]
    seconds, accuracy = problem.train(releases)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    library_seconds, library_accuracy = problem.train_library(releases[0])
    classes = np.bincount(problem.labels).tolist()
    size = TrainingSize(classes, TEST_RECORDS, float(counted.sum()))
    measured = (
        *(len(counted), counted.mean(), seconds, library_seconds),
        *(library_seconds / seconds, accuracy - library_accuracy, memory, size.megabytes()),
    )
    kind = "overlapping" if overlapping else "separated"
    return ",".join([kind, *(f"{number:.4g}" for number in measured)])


if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        if (folder := Path(sys.argv[1])).is_dir():
            adult(folder)
        else:
            for size, overlapping in product(sys.argv[1:], (True, False)):
                print(made_up(overlapping, *map(int, size.split(":"))), flush=True)
