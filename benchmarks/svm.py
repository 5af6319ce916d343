"""Time and accuracy of the project's support vector machines and of scikit-learn's, on Adult.

    python benchmarks/svm.py [RESULTS]

RESULTS is the folder of a finished run of the paper's design (default results). At each grid point,
SharedKernelSVM trains on a block of releases, and SVC(kernel="rbf") on the first of them; both
predict the test records. Takes some minutes on one core, and 3 GB of memory. Prints the processor
time for a release, averaged over the grid points, and the differences between the accuracies.
"""

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ggexp.experiment.configuration import check
from ggexp.experiment.design import grid
from ggexp.releases.simulate import release
from ggexp.run.project import ROOT
from ggexp.svm.classifier import SharedKernelSVM, design_matrices
from ggexp.workload import BLOCK


def main() -> None:
    """Print all measurements."""
    config = check(yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8")))
    histograms = Path(*sys.argv[1:] or ["results"], "histograms")
    cells, test = (pd.read_parquet(histograms / f"adult{end}.parquet") for end in ("", "_test"))
    counts = cells["count"].to_numpy()
    points, test_points = design_matrices(
        cells.drop(columns=["income", "count"]), counts, test.drop(columns="income")
    )
    labels, test_labels = ((table["income"] == ">50K").to_numpy() for table in (cells, test))
    ours = SharedKernelSVM(points, labels, counts, test_points, test_labels, threads=1)
    print(f"{len(counts)} cells, accuracy on the original: {ours.original_accuracy():.4%}")

    seconds, differences = np.zeros(2), []
    for point in grid(config)["adult"]:
        releases = [release(counts, point, seed=config.seed, repeat=i) for i in range(BLOCK)]
        start = time.process_time()
        accuracy = ours.accuracies(releases.__getitem__, range(BLOCK))[0]
        seconds[0] += (time.process_time() - start) / BLOCK
        start = time.process_time()
        model = SVC(kernel="rbf", C=1, gamma=1 / points.shape[1], tol=1e-3)
        predictions = model.fit(points, labels, sample_weight=releases[0]).predict(test_points)
        seconds[1] += time.process_time() - start
        differences.append(accuracy - (predictions == test_labels).mean())
    each = seconds / len(differences)
    print(f"SharedKernelSVM {each[0]:.4f} s, SVC {each[1]:.4f} s, ratio {each[1] / each[0]:.0f}")
    print(
        f"accuracy minus SVC's, {len(differences)} releases: mean {np.mean(differences):+.5%}, "
        f"largest {np.abs(differences).max():.5%}, equal {np.mean(np.equal(differences, 0)):.0%}"
    )


if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        main()
