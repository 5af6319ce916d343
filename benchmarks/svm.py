"""Time, memory and agreement of the support vector machines of the Adult experiment.

Run it with `python benchmarks/svm.py`; it takes some 8 minutes, 6 GB of memory and 2 of disk.
adult.data is looked for in the folder GGEXP_MIRROR, else in data/downloads. First it times what all
jobs share, made once and written to files, the start of a job that maps them up to its first block
of SVMs, and two blocks by one process, by two, and by two threads of one. Then, at every grid point
of the paper, it trains on the same releases and predicts the test records in three ways, each on
one core, and prints the processor time per repeat, averaged over the grid, and how accuracies
differ:

(a) scikit-learn's SVC(kernel="rbf"), fit and predict, on the first release;
(b) its SVC(kernel="precomputed") on a shared matrix, predictions by a matrix product, on 4;
(c) ggexp's solver on 125 (one block), of which the 4 are compared.
"""

import multiprocessing
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from ggexp.datasets.layout import Layout
from ggexp.datasets.records import read_histogram
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import release as release_of
from ggexp.run.storage import map_arrays, write_arrays
from ggexp.svm.classifier import BLOCK, SharedKernelSVM
from ggexp.svm.coding import design_matrices
from ggexp.svm.kernel import rbf_kernel

CONFIG = Path(__file__).parents[1] / "config/config.yaml"
SEED = 20260101
SAMPLE = 4
CACHE = 50  # megabytes; libsvm is slower with a larger one, as a precomputed kernel needs none
MECHANISMS = {
    "laplace": (1, "pure"),
    "gaussian-pdp": (2, "pdp"),
    "ggm-3": (3, "pdp"),
    "gaussian-adp": (2, "adp-classical"),
}
EPSILON, DELTA = (0.5, 1.0, 2.0), (0.01, 0.05, 0.1, 0.25)

Array = NDArray[np.float64]


def load() -> tuple[Array, Array, Array, Array, Array]:
    """Return counts, points and labels (True: the larger income) of the cells, then of the test."""
    folder = os.environ.get("GGEXP_MIRROR") or Path(__file__).parents[1] / "data/downloads"
    path = Path(folder) / "adult.data"
    if not path.exists():
        sys.exit(f"{path} is missing: set GGEXP_MIRROR to the folder that holds adult.data")
    config = yaml.safe_load(CONFIG.read_text("utf-8"))
    layout = Layout.from_config(config["histograms"]["adult"]["records"], "adult")
    histogram = read_histogram(path, layout, dataset="adult", seed=SEED)
    cells, test = histogram.cells, histogram.test
    counts = cells["count"].to_numpy()
    points, test_points = design_matrices(
        cells.drop(columns=["income", "count"]), counts, test.drop(columns="income")
    )
    return counts, points, cells["income"] == ">50K", test_points, test["income"] == ">50K"


def grid() -> list[GridPoint]:
    """Return the grid points of the paper's design, 39."""
    return [
        GridPoint("adult", name, order, rule, epsilon, delta)
        for name, (order, rule) in MECHANISMS.items()
        for epsilon, delta in product(EPSILON, (None,) if rule == "pure" else DELTA)
    ]


def release(counts: Array, point: GridPoint, repeat: int) -> Array:
    """Return the sanitized counts of a repeat."""
    mechanism = Mechanism(point.order, point.calibration)
    noisy = NoisyPoint(point, mechanism.noise(epsilon=point.epsilon, delta=point.delta))
    return release_of(counts, noisy, seed=SEED, repeat=repeat)


def by_rbf(points: Array, labels: Array, weights: Array, test: Array) -> Array:
    """Return the predictions of SVC(kernel="rbf")."""
    model = SVC(kernel="rbf", C=1, gamma=1 / points.shape[1], tol=1e-3)
    return model.fit(points, labels, sample_weight=weights).predict(test)


def by_precomputed(kernel: Array, labels: Array, weights: list[Array], test_kernel: Array) -> Array:
    """Return the predictions (repeats x records) of SVC(kernel="precomputed").

    Its support_ counts without the cells of weight 0 (scikit-learn's issue 27763).
    """
    coefficients = np.zeros((len(weights), len(labels)), dtype=np.float32)
    intercepts = np.zeros((len(weights), 1))
    for row, weight in enumerate(weights):
        model = SVC(kernel="precomputed", C=1, tol=1e-3, cache_size=CACHE)
        model.fit(kernel, labels, sample_weight=weight)
        coefficients[row, np.flatnonzero(weight)[model.support_]] = model.dual_coef_[0]
        intercepts[row] = model.intercept_[0]
    return coefficients @ test_kernel.T + intercepts > 0


def prepare(folder: str) -> None:
    """Make what all jobs share, and write it to a folder."""
    counts, points, labels, test_points, test_labels = load()
    start = time.perf_counter()
    classifier = SharedKernelSVM(points, labels, counts, test_points, test_labels, threads=2)
    made = time.perf_counter()
    write_arrays(classifier.shared, [Path(folder, f"{name}.npy") for name in classifier.shared])
    written = sum(array.nbytes for array in classifier.shared.values())
    print(
        f"what all share: {made - start:.1f} s to make on two threads, "
        f"{time.perf_counter() - made:.1f} s to write, {written / 1e9:.2f} GB"
    )


def run_job(folder: str, blocks: int, threads: int) -> float:
    """Train some blocks as a job does that maps the files of a folder; return its seconds.

    Those of training: not of the start of its process, of its imports and of reading the data.
    """
    counts, points, labels, test_points, test_labels = load()
    releases = [release(counts, grid()[0], repeat) for repeat in range(blocks * BLOCK)]
    shared = map_arrays(Path(folder).glob("*.npy"))
    start = time.perf_counter()
    classifier = SharedKernelSVM(
        points, labels, counts, test_points, test_labels, threads=threads, shared=shared
    )
    classifier.accuracies(releases.__getitem__, range(blocks * BLOCK))
    return time.perf_counter() - start


def measure_jobs(folder: str) -> None:
    """Print how long jobs take to start, and what two cores gain, by processes and by threads."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:
        pool.submit(prepare, folder).result()
    with ProcessPoolExecutor(1, spawn) as pool:
        start = time.perf_counter()
        first = pool.submit(run_job, folder, 1, 1).result()
        print(
            f"a job that maps them: {time.perf_counter() - start:.1f} s from its start to the end "
            f"of its first {BLOCK} classifiers, {first:.1f} s of them training"
        )
        one = pool.submit(run_job, folder, 2, 1).result()
        two_threads = pool.submit(run_job, folder, 2, 2).result()
    with ProcessPoolExecutor(2, spawn) as pool:
        list(pool.map(run_job, [folder] * 2, [1] * 2, [1] * 2))  # both have started
        two = max(pool.map(run_job, [folder] * 2, [2] * 2, [1] * 2))
    print(
        f"on two cores: two processes are {2 * one / two:.2f} times as fast as one, "
        f"two threads of a process {one / two_threads:.2f} times"
    )


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        measure_jobs(folder)

    counts, points, labels, test_points, test_labels = load()
    releases = {
        point: [release(counts, point, repeat) for repeat in range(BLOCK)] for point in grid()
    }
    seconds = dict.fromkeys("abc", 0.0)
    accuracies: dict[str, list[Array]] = {way: [] for way in "abc"}
    classifier = SharedKernelSVM(points, labels, counts, test_points, test_labels, threads=1)
    print(f"{len(counts)} cells, trained on the original: {classifier.original_accuracy():.4%}")
    for weights in releases.values():
        start = time.process_time()
        accuracies["c"].append(classifier.accuracies(weights.__getitem__, range(BLOCK)))
        seconds["c"] += (time.process_time() - start) / BLOCK
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    held = sum(weight.nbytes for weights in releases.values() for weight in weights)
    print(f"(c) multiplies {classifier.leading} of them, and solves on more and more")
    print(f"(c) needs {(memory - held) / 1e9:.2f} GB at most, the releases not counted")
    del classifier

    gamma = 1 / points.shape[1]
    kernel = rbf_kernel(points, points, gamma, threads=1).astype(np.float64)
    test_kernel = rbf_kernel(test_points, points, gamma, threads=1)
    for weights in releases.values():
        start = time.process_time()
        predictions = by_precomputed(kernel, labels, weights[:SAMPLE], test_kernel)
        seconds["b"] += (time.process_time() - start) / SAMPLE
        accuracies["b"].append((predictions == test_labels.to_numpy()).mean(axis=1))
    del kernel, test_kernel
    for weights in releases.values():
        start = time.process_time()
        predictions = by_rbf(points, labels, weights[0], test_points)
        seconds["a"] += time.process_time() - start
        accuracies["a"].append(np.array([(predictions == test_labels).mean()]))

    for way, total in seconds.items():
        print(f"({way}) {total / len(releases):7.4f} s/repeat, {seconds['a'] / total:6.1f} x (a)")
    for one, other, repeats in (("c", "b", SAMPLE), ("c", "a", 1), ("b", "a", 1)):
        pairs = zip(accuracies[one], accuracies[other], strict=True)
        difference = np.array([left[:repeats] - right[:repeats] for left, right in pairs])
        print(
            f"accuracy of ({one}) minus ({other}), {difference.size} repeats: mean "
            f"{difference.mean():+.5%}, largest {np.abs(difference).max():.5%}, "
            f"equal {np.mean(difference == 0):.0%}"
        )


if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        main()
