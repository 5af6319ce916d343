"""The accuracy on records in all readings of how classifiers are trained and tested.

The classifiers of a job share the cells, and therefore one kernel matrix; they differ in weights.
Only if numeric columns are scaled over each release, each classifier has its own kernel.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import groupby

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ggexp.experiment.accuracy import build_classifier
from ggexp.experiment.summary import statistics
from ggexp.multiverse.choices import Factorial, Reading
from ggexp.multiverse.tables import EQUAL, ORIGINAL, ROUNDED, measured
from ggexp.progress import reporter
from ggexp.releases.point import NoisyPoint
from ggexp.releases.records import draw_records
from ggexp.releases.simulate import release, rescale
from ggexp.svm.classifier import SharedKernelSVM
from ggexp.svm.memory import BLOCK

Floats = NDArray[np.float64]

#: Alternatives of the choices ``training`` and ``baseline``.
WEIGHTED, ONE_ROW, DRAWN = "weighted", "one-row", "drawn"
SAME, BY_COUNTS, RECORDS = "same", "weighted", "records"


@dataclass(frozen=True)
class Series:
    """Classifiers that are trained in the same way on the repeats of a grid point.

    noisy: the grid point, or None for classifiers that are trained on the original counts, or, with
        the mechanism `EQUAL`, on equal ones.
    choices: the alternatives on which the classifiers depend.
    """

    noisy: NoisyPoint | None
    choices: Reading
    repeats: int
    mechanism: str = ORIGINAL

    def row(self, accuracies: Floats, choices: Reading) -> dict[str, object]:
        """Return a row of the measured table. choices: further alternatives."""
        key: dict[str, object] = {"mechanism": self.mechanism}
        if self.noisy:
            key = asdict(self.noisy.point)
        return key | statistics(pd.Series(accuracies)) | self.choices | choices


#: Series, and the number of a repeat.
Job = tuple[Series, int]


def measure_readings(
    factorial: Factorial,
    dataset: str,
    outer: Reading,
    *,
    cells: pd.DataFrame,
    test: pd.DataFrame,
    unbinned: pd.DataFrame,
    unbinned_test: pd.DataFrame,
    target: str,
    points: Sequence[NoisyPoint],
    seed: int,
    threads: int,
) -> pd.DataFrame:
    """Return the summaries of accuracies: a row for each grid point and reading.

    outer: the alternatives of `choices.OUTER` that this job measures. cells, test: the cells and
        the test records of its split and bins. unbinned, unbinned_test: the same of records without
        bins. target: the attribute to predict. points: the grid points. seed: of the noise.
    threads: the results do not depend on their number.

    Baselines have the mechanism "original", and equal counts in all cells `EQUAL`.
    """
    counts, series = cells["count"].to_numpy(), [*_series(factorial, points)]
    jobs = [(part, repeat) for part in series for repeat in range(part.repeats)]

    def weights_of(job: Job) -> Floats:
        part, repeat = job
        if part.mechanism == EQUAL:
            return np.full(counts.size, counts.mean())
        reading = factorial.complete(part.choices)
        how = reading["rounding"], reading["training"]
        return weights(counts, part.noisy, *how, seed=seed, repeat=repeat)

    test_records = {"binned": test, "unbinned": unbinned_test}
    tests = {name: test_records[name] for name in factorial.alternatives("test-records")}
    scaling = factorial.complete(outer)["scaling"]
    if scaling == "factors":
        cells, tests = _as_factors(cells), {name: _as_factors(tests[name]) for name in tests}
    if scaling == "release":
        data = cells, [*tests.values()], target
        accuracies = _on_own_kernels(*data, jobs, weights_of, threads)
    else:
        over = counts if scaling == "records" else np.ones(len(cells))
        classifier = build_classifier(
            cells, [*tests.values()], target, scaled_over=over, threads=threads
        )
        accuracies = _on_one_kernel(classifier, jobs, weights_of)
        del classifier  # its matrices may take 2.7 GB
    rows, baselines = [], factorial.alternatives("baseline")
    ends = np.cumsum([part.repeats for part in series])
    for part, values in zip(series, np.split(accuracies, ends[:-1]), strict=True):
        for name, column in zip(tests, values.T, strict=True):
            rows.append(part.row(column, {"test-records": name}))
            if BY_COUNTS in baselines and part.choices == {"baseline": SAME, "training": WEIGHTED}:
                of_all = Series(None, {"baseline": BY_COUNTS}, 1)
                rows.append(of_all.row(column, {"test-records": name}))
    if RECORDS in baselines and outer.get("bins", factorial.ours["bins"]) == factorial.ours["bins"]:
        records = unbinned["count"].to_numpy(np.float64)
        classifier = build_classifier(
            unbinned, [unbinned_test], target, scaled_over=records, threads=threads
        )
        of_all = Series(None, {"baseline": RECORDS, "bins": ""}, 1)
        rows.append(of_all.row(classifier.accuracies(lambda _: records, [0])[:, 0], {}))
    return measured([{**row, "metric": "accuracy"} for row in rows], factorial, dataset, outer)


def _as_factors(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the attributes with a level for each bin, in the order of the bins."""
    numeric = frame.select_dtypes("float").columns
    return frame.assign(**{name: frame[name].map("{:012.1f}".format) for name in numeric})


def _series(factorial: Factorial, points: Sequence[NoisyPoint]) -> Iterator[Series]:
    """Yield the series of a job: on the original counts, on equal counts, at each grid point."""
    for training in factorial.alternatives("training"):
        repeats = factorial.repeats if training == DRAWN else 1
        yield Series(None, {"baseline": SAME, "training": training}, repeats)
    yield Series(None, {"training": WEIGHTED}, 1, EQUAL)
    for noisy in points:
        for reading in factorial.readings(("rounding", "training")):
            yield Series(noisy, reading, factorial.repeats)


def _on_one_kernel(
    classifier: SharedKernelSVM, jobs: Sequence[Job], weights_of: Callable[[Job], Floats]
) -> Floats:
    """Return the accuracies of classifiers that share a kernel: jobs x sets of test records.

    Each grid point begins a block. Therefore the repeats of its first reading have the places in
    the block that they have in the paper's design, and the same bits.
    """
    numbered: dict[int, Job] = {}
    first = 0
    for _, of_point in groupby(jobs, lambda job: job[0].noisy):
        numbered.update(enumerate(of_point, first))
        first = (max(numbered) // BLOCK + 1) * BLOCK
    report = reporter("classifiers")
    return classifier.accuracies(lambda number: weights_of(numbered[number]), [*numbered], report)


def _on_own_kernels(
    cells: pd.DataFrame,
    tests: Sequence[pd.DataFrame],
    target: str,
    jobs: Sequence[Job],
    weights_of: Callable[[Job], Floats],
    threads: int,
) -> Floats:
    """Return accuracies, jobs x tests, with attributes scaled over each classifier's data."""
    report, done = reporter("classifiers"), iter(range(1, len(jobs) + 1))

    def accuracy(job: Job) -> Floats:
        trained = weights_of(job)
        present = trained > 0
        own = cells.assign(count=trained)[present]
        classifier = build_classifier(own, tests, target, scaled_over=trained[present])
        values = classifier.accuracies(lambda _: trained[present], [0])[0]
        report(next(done), len(jobs))
        return values

    # the limit outside of the threads, because each of them would reset the limit of the others
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        return np.array([*pool.map(accuracy, jobs)])


def weights(
    counts: NDArray[np.int64],
    noisy: NoisyPoint | None,
    rounding: str,
    training: str,
    *,
    seed: int,
    repeat: int,
) -> NDArray[np.float64]:
    """Return the weights of the cells on which the classifier of a repeat is trained.

    counts: the original counts; n is their sum. noisy: the grid point, or None for a classifier
        that is trained on the original counts.
    training: "weighted": each cell is weighted by its released count. "one-row": there is one
        unweighted row for each cell with a positive released count. "drawn": n records are drawn
        from the release, and a cell is weighted by its number of records.
    seed, repeat: determine the release as in the paper's design. The n records are drawn from the
        stream of `ggexp.releases.records.Records`; without noise, from a separate stream.
    """
    released = counts.astype(np.float64)
    if noisy:
        released = ROUNDED[rounding](release(counts, noisy, seed=seed, repeat=repeat))
    if training == WEIGHTED:
        return released
    if training == ONE_ROW:
        return (released > 0).astype(np.float64)
    total, name = int(counts.sum()), noisy.point.path if noisy else "the original counts"
    drawn = draw_records(rescale(released, total), total, name, seed=seed, repeat=repeat)
    return drawn.astype(np.float64)
