"""Time, memory and accuracy of the support vector machines of the Adult experiment.

    python benchmarks/svm.py

Takes about 10 minutes, 6 GB of memory and 2 GB of disk space. The first part measures the time to
make and write the arrays that all jobs share, and from the start of a job to its first classifiers,
and compares two processes, and two threads of one process, with one core.

The second part trains classifiers in four ways, each on one core, on the same releases at every
grid point of the paper. It prints the processor time per repeat, averaged over the grid points, and
the differences between the accuracies on the test records:

(a) scikit-learn's SVC(kernel="rbf"), fit and predict, on the first release;
(b) its SVC(kernel="precomputed") with a shared matrix, and predictions by a matrix product, on the
    first 4 releases;
(c) ggexp's solver on 125 releases (one block), of which the first 4 are compared;
(d) scikit-learn-intelex's SVC(kernel="rbf"), fit and predict, on the first release. It is installed
    into a temporary environment; if that fails, (d) is left out.
"""

import multiprocessing
import resource
import subprocess
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

from ggexp.datasets.fetch import fetch
from ggexp.datasets.layout import RecordsSettings
from ggexp.datasets.records import read_histogram
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import release as release_of
from ggexp.run.project import ROOT
from ggexp.run.storage import map_arrays, write_arrays
from ggexp.svm.classifier import BLOCK, SharedKernelSVM, design_matrices
from ggexp.svm.kernel import rbf_kernel

SEED = 20260101
PRECOMPUTED_REPEATS = 4  # releases at each grid point that (b) trains on
#: libsvm's cache in megabytes. A precomputed kernel needs none, and a larger one is slower.
CACHE_SIZE = 50
MECHANISMS = {
    "laplace": (1, "pure"),
    "gaussian-pdp": (2, "pdp"),
    "ggm-3": (3, "pdp"),
    "gaussian-adp": (2, "adp-classical"),
}
EPSILON, DELTA = (0.5, 1.0, 2.0), (0.01, 0.05, 0.1, 0.25)

Array = NDArray[np.float64]


def load() -> tuple[Array, Array, Array, Array, Array]:
    """Return counts, points and labels of the cells, and points and labels of the test records.

    A label is True for the larger income.
    """
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))
    file = config["download"]["files"]["adult.data"]
    path = fetch(ROOT / "data/downloads/adult.data", file, ROOT)
    layout = RecordsSettings.read(config["histograms"]["adult"]["records"], "adult")
    histogram = read_histogram(path, layout, dataset="adult", seed=SEED)
    cells, test = histogram.cells, histogram.test
    counts = cells["count"].to_numpy()
    points, test_points = design_matrices(
        cells.drop(columns=["income", "count"]), counts, test.drop(columns="income")
    )
    return counts, points, cells["income"] == ">50K", test_points, test["income"] == ">50K"


def grid() -> list[GridPoint]:
    """Return the 39 grid points of the paper's design."""
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
    """Return the predictions of SVC(kernel="rbf") for the test records."""
    model = SVC(kernel="rbf", C=1, gamma=1 / points.shape[1], tol=1e-3)
    return model.fit(points, labels, sample_weight=weights).predict(test)


def by_precomputed(kernel: Array, labels: Array, weights: list[Array], test_kernel: Array) -> Array:
    """Return the predictions (repeats x records) of SVC(kernel="precomputed").

    The indices in its support_ skip cells of weight 0 (scikit-learn's issue 27763).
    """
    coefficients = np.zeros((len(weights), len(labels)), dtype=np.float32)
    intercepts = np.zeros((len(weights), 1))
    for row, weight in enumerate(weights):
        model = SVC(kernel="precomputed", C=1, tol=1e-3, cache_size=CACHE_SIZE)
        model.fit(kernel, labels, sample_weight=weight)
        coefficients[row, np.flatnonzero(weight)[model.support_]] = model.dual_coef_[0]
        intercepts[row] = model.intercept_[0]
    return coefficients @ test_kernel.T + intercepts > 0


def by_intelex(
    points: Array, labels: Array, releases: list[Array], test: Array
) -> tuple[Array, Array] | None:
    """Return the predictions (releases x records) of scikit-learn-intelex, and the seconds of each.

    Return None if it cannot be installed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = folder / "environment/bin/python"
        subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "scikit-learn-intelex"]
        if subprocess.run(install, check=False).returncode:
            print("(d) is left out, because scikit-learn-intelex cannot be installed")
            return None
        problem = {"points": points, "labels": labels, "test_points": test}
        np.savez(folder / "problem.npz", releases=np.array(releases), **problem)
        program = Path(__file__).with_name("svm_intelex.py")
        subprocess.run(
            [python, program, *(folder / f"{x}.npz" for x in ("problem", "result"))], check=True
        )
        result = np.load(folder / "result.npz")
        return result["predictions"], result["seconds"]


def prepare(folder: str) -> None:
    """Make the arrays that all jobs share, and write them to a folder."""
    counts, points, labels, test_points, test_labels = load()
    start = time.perf_counter()
    classifier = SharedKernelSVM(points, labels, counts, test_points, test_labels, threads=2)
    start_writing = time.perf_counter()
    write_arrays(classifier.shared, [Path(folder, f"{name}.npy") for name in classifier.shared])
    size = sum(array.nbytes for array in classifier.shared.values())
    print(
        f"arrays that all jobs share: {start_writing - start:.1f} s to make on two threads, "
        f"{time.perf_counter() - start_writing:.1f} s to write, {size / 1e9:.2f} GB"
    )


def run_job(folder: str, blocks: int, threads: int) -> float:
    """Train blocks of classifiers with the shared files in a folder, and return the seconds.

    The time does not include the start of the process, the imports and reading the data.
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
    """Print the time that a job takes to start, and the speed-up of two processes or threads."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as pool:
        pool.submit(prepare, folder).result()
    with ProcessPoolExecutor(1, spawn) as pool:
        start = time.perf_counter()
        training = pool.submit(run_job, folder, 1, 1).result()
        print(
            f"a job that maps them: {time.perf_counter() - start:.1f} s from its start to the end "
            f"of its first {BLOCK} classifiers, {training:.1f} s of which are training"
        )
        one_core = pool.submit(run_job, folder, 2, 1).result()
        two_threads = pool.submit(run_job, folder, 2, 2).result()
    with ProcessPoolExecutor(2, spawn) as pool:
        list(pool.map(run_job, [folder] * 2, [1] * 2, [1] * 2))  # starts both processes
        two_processes = max(pool.map(run_job, [folder] * 2, [2] * 2, [1] * 2))
    print(
        f"on two cores: two processes are {2 * one_core / two_processes:.2f} times as fast as one, "
        f"two threads of a process {one_core / two_threads:.2f} times"
    )


def main() -> None:
    """Print all measurements."""
    with tempfile.TemporaryDirectory() as folder:
        measure_jobs(folder)

    counts, points, labels, test_points, test_labels = load()
    releases = {
        point: [release(counts, point, repeat) for repeat in range(BLOCK)] for point in grid()
    }
    seconds = dict.fromkeys("abc", 0.0)
    accuracies: dict[str, list[Array]] = {method: [] for method in "abc"}
    classifier = SharedKernelSVM(points, labels, counts, test_points, test_labels, threads=1)
    print(f"{len(counts)} cells, trained on the original: {classifier.original_accuracy():.4%}")
    for weights in releases.values():
        start = time.process_time()
        accuracies["c"].append(classifier.accuracies(weights.__getitem__, range(BLOCK)))
        seconds["c"] += (time.process_time() - start) / BLOCK
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    releases_size = sum(weight.nbytes for weights in releases.values() for weight in weights)
    print(f"(c) has a peak memory of {(memory - releases_size) / 1e9:.2f} GB without the releases")
    del classifier

    gamma = 1 / points.shape[1]
    kernel = rbf_kernel(points, points, gamma, threads=1).astype(np.float64)
    test_kernel = rbf_kernel(test_points, points, gamma, threads=1)
    for weights in releases.values():
        start = time.process_time()
        predictions = by_precomputed(kernel, labels, weights[:PRECOMPUTED_REPEATS], test_kernel)
        seconds["b"] += (time.process_time() - start) / PRECOMPUTED_REPEATS
        accuracies["b"].append((predictions == test_labels.to_numpy()).mean(axis=1))
    del kernel, test_kernel
    for weights in releases.values():
        start = time.process_time()
        predictions = by_rbf(points, labels, weights[0], test_points)
        seconds["a"] += time.process_time() - start
        accuracies["a"].append(np.array([(predictions == test_labels).mean()]))

    first_releases = [weights[0] for weights in releases.values()]
    measured = by_intelex(points, labels.to_numpy(), first_releases, test_points)
    compared = [("c", "b", PRECOMPUTED_REPEATS), ("c", "a", 1), ("b", "a", 1)]
    if measured:
        seconds["d"] = float(measured[1].sum())
        accuracies["d"] = list((measured[0] == test_labels.to_numpy()).mean(axis=1, keepdims=True))
        compared += [("c", "d", 1), ("d", "a", 1)]

    for method, total in seconds.items():
        print(
            f"({method}) {total / len(releases):7.4f} s/repeat, {seconds['a'] / total:6.1f} x (a)"
        )
    for first, second, repeats in compared:
        pairs = zip(accuracies[first], accuracies[second], strict=True)
        difference = np.array([left[:repeats] - right[:repeats] for left, right in pairs])
        print(
            f"accuracy of ({first}) minus ({second}), {difference.size} repeats: mean "
            f"{difference.mean():+.5%}, largest {np.abs(difference).max():.5%}, "
            f"equal {np.mean(difference == 0):.0%}"
        )


if __name__ == "__main__":
    with threadpool_limits(1, "blas"):
        main()
