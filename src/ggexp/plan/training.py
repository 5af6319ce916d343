"""The memory, time and threads that jobs of classifiers request."""

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from ggexp import workload
from ggexp.plan.data_set import DataSet

#: The arrays that all classifiers of a data set share.
ARRAYS = (
    *("points", "test_points", "test_kernel"),
    *("order", "kernel", "beta", "margin", "relative_alpha", "response"),
)
#: The threads of a job that computes the shared arrays itself: all that there are.
ALL_THREADS = 64


@cache  # called for the same files by many jobs
def training_size(histogram: str, test: str, target: str) -> tuple[list[int], int, int]:
    """Return the cells per class, the number of predicted test records, and the sum of counts."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    cells, records = pq.read_table(histogram, columns=[target, "count"]), pq.read_table(test)
    classes = [count["counts"].as_py() for count in cells[target].value_counts()]
    distinct = records.group_by(records.column_names).aggregate([]).num_rows
    predicted = workload.predicted_records(records.num_rows, distinct)
    return classes, predicted, pc.sum(cells["count"]).as_py()


class Training:
    """The resources of jobs that train classifiers.

    data: name -> data set. shares_files: whether the arrays that jobs share are files. Otherwise
        each job computes them and uses all cores, because its threads share two large matrices.
    """

    def __init__(self, data: Mapping[str, DataSet], *, shares_files: bool) -> None:
        self._data, self._shares_files = data, shares_files

    def shares(self, wildcards: Any) -> bool:
        """Return whether a job reads the files of shared arrays."""
        return self._shares_files and self._data[wildcards.dataset].release.lists_cells

    def threads(self, wildcards: Any) -> int:
        """Return the number of threads: 1 if the job reads or needs no shared arrays."""
        is_listed = self._data[wildcards.dataset].release.lists_cells
        return 1 if self._shares_files or not is_listed else ALL_THREADS

    def memory(self, wildcards: Any, input: Any, attempt: int, threads: int) -> int:
        """Return the memory that a job requests, in units of 10^6 bytes."""
        classes, records, counts = self._size(wildcards, input)
        # each thread works on its own block of releases
        blocks = min(threads, -(-releases(wildcards) // workload.BLOCK))
        return attempt * workload.classification_megabytes(classes, records, counts, blocks)

    def minutes(self, wildcards: Any, input: Any, attempt: int) -> int:
        """Return the time limit of a job in minutes, several times the time on one core."""
        classes, _, counts = self._size(wildcards, input)
        listed = self._data[wildcards.dataset].release.lists_cells
        seconds = releases(wildcards) * workload.release_seconds(
            sum(classes), counts, listed=listed
        )
        return attempt * workload.job_minutes(seconds)

    def _size(self, wildcards: Any, input: Any) -> tuple[list[int], int, int]:
        for path in (input.histogram, input.test):
            os.stat(path)  # an error tells Snakemake that the resource is not yet known
        target = self._data[wildcards.dataset].target
        assert target is not None
        return training_size(input.histogram, input.test, target)


def releases(wildcards: Any) -> int:
    """Return the number of a job's releases, 1 if it trains on the original counts."""
    if "last" not in wildcards.keys():  # noqa: SIM118
        return 1
    return int(wildcards.last) - int(wildcards.first) + 1
