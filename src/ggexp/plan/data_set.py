"""A data set of a run: its settings, its grid points, and what jobs need to know about both.

Also the memory, time and threads that jobs request that train classifiers on it.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from ggexp.datasets.declared import Design
from ggexp.datasets.layout import TableSettings
from ggexp.experiment.keys import Execution, RecordsData, TableData
from ggexp.experiment.workload import TrainingSize
from ggexp.mechanisms.noise import module_of
from ggexp.plan.run_checks import PUBLIC
from ggexp.releases.point import GridPoint, NoisyPoint, PointParameters
from ggexp.releases.release import PRIVATE, Kind
from ggexp.section import Settings
from ggexp.svm.memory import BLOCK, predicted_records

#: The module that an unlisted kind of release imports by its name, and `make_records.py` too.
TAILS = "ggexp.mechanisms.tails"
#: The arrays that all classifiers of a data set share.
ARRAYS = (
    *("points", "test_points", "test_kernel"),
    *("order", "kernel", "beta", "margin", "relative_alpha", "response"),
)
#: Table of a data set -> its files, relative to the folder of results, and the setting that it
#: needs. Figures read some files by another name if their content is of another kind.
FILES = {
    "counts": ("histograms/{dataset}.parquet", ""),
    "histogram": ("histograms/{dataset}.parquet", ""),
    "test": ("histograms/{dataset}_test.parquet", "records"),
    "tally": ("histograms/{dataset}_tally.csv", "records"),
    "repeated errors": ("repeats/{dataset}.parquet", ""),
    "errors": ("summary/errors/{dataset}.csv", ""),
    "retained": ("summary/errors/{dataset}.csv", ""),
    "equal": ("equal_counts/{dataset}.csv", ""),
    "accuracy": ("summary/accuracy/{dataset}.csv", "classifier"),
    "baseline": ("baselines/{dataset}.csv", "classifier"),
    "synthetic": ("synthetic/summary/{dataset}.csv", "synthetic"),
    "synthetic errors": ("synthetic/errors/{point}.parquet", "synthetic"),
    "synthetic marginals": ("synthetic/marginals/{point}.parquet", "synthetic"),
    "synthetic records": ("synthetic/records/{point}", "synthetic"),
    "count_bias": ("synthetic/gains/{point}.parquet", "synthetic"),
}


@dataclass(frozen=True)
class DataSet:
    """A data set of a run, with its grid points.

    project: the folder of the paper's tables. results: the folder of the run's results.
    """

    name: str
    settings: TableData | RecordsData
    noisy: Sequence[NoisyPoint]
    project: Path
    results: str

    @property
    def is_own(self) -> bool:
        """Whether the data are the user's own, not the paper's."""
        return self.settings.source not in PUBLIC

    @property
    def file(self) -> str:
        """The path of the data file."""
        is_in_project = not (self.is_own or self.settings.records)
        return str(self.project / self.settings.source) if is_in_project else self.settings.source

    @property
    def table(self) -> Settings:
        """The settings for reading a table of counts."""
        return TableSettings.part_of(self.settings.written()) | {"counts": self.file}

    @property
    def records(self) -> Settings | None:
        """The settings for reading individual records, None for a table of counts."""
        return self.settings.records.written() if self.settings.records else None

    @property
    def target(self) -> str | None:
        """The column that classifiers predict, if there are any."""
        return self.settings.classifier.target if self.settings.classifier else None

    @property
    def trained_points(self) -> list[GridPoint]:
        """The grid points on whose releases classifiers are trained."""
        trained = self.settings.trained
        return [noisy.point for noisy in self.noisy if noisy.point.mechanism in trained]

    @property
    def trained_repeats(self) -> int:
        """The number of repeats of a grid point on which classifiers are trained."""
        return (self.settings.classifier and self.settings.classifier.repeats) or 0

    @property
    def release(self) -> type[Kind]:
        """The kind of release."""
        return self.settings.release.type

    def files(self, table: str) -> list[str]:
        """Return the files of a table of `FILES`: one, one for each grid point, or none."""
        path, needed = FILES[table]
        if needed and not getattr(self.settings, needed):
            return []
        points = self.points if "{point}" in path else [""]
        return [f"{self.results}/{path.format(dataset=self.name, point=point)}" for point in points]

    def facts(self, neighbours: str) -> dict[str, object]:
        """Return the fields of a `Subject` that are known before the data are read."""
        data = self.settings
        is_rescaled = data.release.total != PRIVATE
        design = Design(data.records if isinstance(data, RecordsData) else data)
        is_incomplete = not design.tables_count_the_same_records
        options = ["--levels-from-file"] if design.factors_without_levels else []
        return {
            "is_own": self.is_own,
            "goal": data.goal.bounds if data.goal else {},
            "is_private": data.is_private,
            "uses_delta": self.release.uses_delta,
            "lists_cells": self.release.lists_cells,
            "is_rescaled": is_rescaled,
            "is_replaced": is_rescaled or neighbours == "replace-one",
            "options": None if is_rescaled and is_incomplete else options,
        }

    @property
    def kind(self) -> Settings:
        """The kind of release as parameters, which jobs receive."""
        return self.settings.release.parameters()

    @cached_property
    def points(self) -> dict[str, PointParameters]:
        """The path of each grid point -> its parameters, which jobs receive."""
        return {noisy.point.path: noisy.parameters() for noisy in self.noisy}

    def trained_parts(self, execution: Execution) -> list[str]:
        """Return the grid points of each training job, as for `points_in`.

        They are those of a mechanism, or single points if all have more repeats than a job.
        """
        parts: list[str] = []
        for mechanism, points in groupby(self.trained_points, lambda point: point.mechanism):
            single = [f"{mechanism}/{point.label}" for point in points]
            is_one = execution.is_one_job(len(single), self.trained_repeats)
            parts += [mechanism] if is_one else single
        return parts

    def points_in(self, part: str) -> list[PointParameters]:
        """Return the parameters of a mechanism's grid points, or of one ``mechanism/label``."""
        path = f"{self.name}/{part}"
        return [self.points[point] for point in self.points if f"{point}/".startswith(f"{path}/")]

    def modules(
        self, points: Iterable[PointParameters] | None = None, *, uses_tails: bool = False
    ) -> list[str]:
        """Return the modules that a job imports by name: those of its noise and kind of release.

        points: by default all. uses_tails: whether the script itself uses the noise's tails.
        """
        modules = families(self.points.values() if points is None else points)
        tails = [TAILS] if uses_tails or not self.release.lists_cells else []
        return [*modules, self.release.__module__, *tails]


def families(points: Iterable[PointParameters]) -> list[str]:
    """Return the modules of the families of noise at some grid points, from their parameters."""
    return sorted({module_of(point["noise"]) for point in points})


def without_bins(records: Settings) -> Settings:
    """Return settings with a bin for each whole number, which all values of binned columns are.

    records: the settings for reading records, whose bins of equal width have whole edges.
    """
    columns = dict(records["columns"])
    for name, column in columns.items():
        if isinstance(column, Mapping) and "bins" in column:
            first, last = column["from"], column["to"]
            columns[name] = {"from": first - 0.5, "to": last + 0.5, "bins": last - first + 1}
    return {**records, "columns": columns}


@cache  # called for the same files by many jobs
def training_size(histogram: str, test: str, target: str) -> TrainingSize:
    """Return the size of training on a histogram, from the files of its cells and test records."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    cells, records = pq.read_table(histogram, columns=[target, "count"]), pq.read_table(test)
    classes = [count["counts"].as_py() for count in cells[target].value_counts()]
    distinct = records.group_by(records.column_names).aggregate([]).num_rows
    predicted = predicted_records(records.num_rows, distinct)
    return TrainingSize(classes, predicted, pc.sum(cells["count"]).as_py())


@dataclass(frozen=True)
class TrainingResources:
    """The resources of jobs that train classifiers.

    data: name -> data set. shares_files: whether the arrays that jobs share are files. Otherwise
        each job computes them and uses all cores, because its threads share two large matrices.
    """

    data: Mapping[str, DataSet]
    shares_files: bool

    def shares(self, wildcards: Any) -> bool:
        """Return whether a job reads the files of shared arrays."""
        return self.shares_files and self.data[wildcards.dataset].release.lists_cells

    def threads(self, wildcards: Any) -> int:
        """Return the number of threads: all, up to 64, if the job computes shared arrays itself."""
        is_listed = self.data[wildcards.dataset].release.lists_cells
        return 1 if self.shares_files or not is_listed else 64

    def memory(self, wildcards: Any, input: Any, attempt: int, threads: int) -> int:
        """Return the memory that a job requests, in units of 10^6 bytes."""
        # each thread works on its own block of releases
        blocks = min(threads, -(-self._repeats(wildcards) // BLOCK))
        return attempt * self._size(wildcards, input).megabytes(blocks)

    def minutes(self, wildcards: Any, input: Any, attempt: int) -> int:
        """Return the time limit of a job: 10 minutes plus six times its time on one core."""
        size = self._size(wildcards, input)
        data = self.data[wildcards.dataset]
        part = wildcards.get("trained")
        releases = self._repeats(wildcards) * (len(data.points_in(part)) if part else 1)
        seconds = releases * size.release_seconds(listed=data.release.lists_cells)
        return attempt * (10 + int(6 * seconds / 60))

    def warning(self, wildcards: Any, input: Any) -> str | None:
        """Return a warning if the classifiers of a data set take long, with an estimate."""
        data = self.data[wildcards.dataset]
        trained = len(data.trained_points) * data.trained_repeats
        message = data.release.lists_cells and self._size(wildcards, input).warning(trained)
        return f"{wildcards.dataset}: {message}" if message else None

    def _repeats(self, wildcards: Any) -> int:
        """Return the number of a job's repeats of a grid point, 1 if it trains on the original."""
        if not wildcards.get("trained"):
            return 1
        first, last = wildcards.get("first", 0), wildcards.get("last")
        return int(last) - int(first) + 1 if last else self.data[wildcards.dataset].trained_repeats

    def _size(self, wildcards: Any, input: Any) -> TrainingSize:
        for path in (input.histogram, input.test):
            os.stat(path)  # an error tells Snakemake that the resource is not yet known
        target = self.data[wildcards.dataset].target
        assert target is not None
        return training_size(input.histogram, input.test, target)
