"""Compare R's svm and KL.Dirichlet with ours on the same data, for docs/reproduction.md.

    python studies/compare_with_r.py

Needs Rscript with e1071 (Debian: apt-get install r-base-core r-cran-e1071) and a finished run in
results/. Writes cells, test records, releases, our predictions and our divergences into a
temporary folder; compare_with_r.R reads them and prints the comparison. R's svm takes no weights,
therefore both programs use releases rounded to whole counts. Takes about two minutes.
"""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.metrics import kl_dirichlet
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import release
from ggexp.run.storage import read_parquet
from ggexp.svm.coding import design_matrices
from ggexp.svm.duals import WeightedDuals
from ggexp.svm.kernel import rbf_kernel
from ggexp.svm.warm_start import solve_warm_start

SEED = 20260101
TARGET = "income"
RELEASES = {
    "laplace_2": ("laplace", 1, "pure", 2, None),
    "gaussian_pdp_1": ("gaussian-pdp", 2, "pdp", 1, 0.05),
    "gaussian_adp_0.5": ("gaussian-adp", 2, "adp-classical", 0.5, 0.01),
}
PSEUDO_COUNTS = (0.5, 1.0)
Counts = NDArray[np.float64]


def first_releases(dataset: str, counts: NDArray[np.int64]) -> dict[str, Counts]:
    """Return the first repeat of the run at the grid points of RELEASES, by name."""
    releases = {}
    for name, (mechanism, order, rule, epsilon, delta) in RELEASES.items():
        point = GridPoint(dataset, mechanism, order, rule, epsilon, delta)
        noisy = NoisyPoint(point, Mechanism(order, rule).noise(epsilon=epsilon, delta=delta))
        releases[name] = release(counts, noisy, seed=SEED, repeat=0)
    return releases


def write_classifiers(folder: Path) -> None:
    """Write cells, test records, counts, and the predictions of our classifiers."""
    cells = read_parquet("results/histograms/adult.parquet")
    test = read_parquet("results/histograms/adult_test.parquet")
    counts = cells["count"].to_numpy()
    weights = {
        "original": counts.astype(float),
        **{name: np.rint(noisy) for name, noisy in first_releases("adult", counts).items()},
    }
    points, test_points = design_matrices(
        cells.drop(columns=[TARGET, "count"]), counts, test.drop(columns=TARGET)
    )
    signs = np.where(cells[TARGET] == sorted(cells[TARGET].unique())[1], 1.0, -1.0)
    gamma = 1 / points.shape[1]
    warm_start = solve_warm_start(
        rbf_kernel(points, points, gamma, threads=2), signs, weights["original"], 1e-3
    )
    bounds = np.array([*weights.values()])[:, warm_start.order]
    beta, intercepts, converged = WeightedDuals(warm_start, signs[warm_start.order], 1e-3).solve(
        bounds
    )
    assert converged.all()
    test_kernel = rbf_kernel(points[warm_start.order], test_points, gamma, threads=2)
    decisions = beta.astype(np.float32) @ test_kernel + intercepts[:, None]
    cells.drop(columns="count").to_csv(folder / "cells.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    pd.DataFrame(weights).astype(int).to_csv(folder / "counts.csv", index=False)
    predictions = dict(zip(weights, (decisions > 0).astype(int), strict=True))
    pd.DataFrame(predictions).to_csv(folder / "predictions.csv", index=False)


def write_divergences(folder: Path) -> None:
    """Write counts, releases, and our KL divergences between them."""
    rows = []
    for dataset in ("mildew", "czech", "adult"):
        counts = read_parquet(f"results/histograms/{dataset}.parquet")["count"].to_numpy()
        write(folder / f"original_{dataset}.csv", counts)
        for name, noisy in first_releases(dataset, counts).items():
            write(folder / f"release_{dataset}_{name}.csv", noisy)
            for pseudo_count in PSEUDO_COUNTS:
                rows.append(
                    (dataset, name, pseudo_count, *kl_dirichlet(counts, noisy, pseudo_count))
                )
    columns = ["dataset", "release", "pseudo_count", "kl", "kl_reverse"]
    pd.DataFrame(rows, columns=columns).to_csv(folder / "divergences.csv", index=False)


def write(path: Path, counts: NDArray[np.number]) -> None:
    """Write one column of numbers with all their digits."""
    pd.DataFrame({"count": counts}).to_csv(path, index=False)


def main() -> None:
    """Write the files and run the comparison in R."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_divergences(folder)
        write_classifiers(folder)
        program = Path(__file__).with_suffix(".R")
        subprocess.run(["Rscript", program, folder], check=True)


if __name__ == "__main__":
    main()
