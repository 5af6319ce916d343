"""A data set of a run: its settings, its grid points, and what jobs need to know about both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ggexp.datasets.tables import TableSettings
from ggexp.experiment.keys import RecordsData, TableData
from ggexp.mechanisms.noise import module_of
from ggexp.plan.run_checks import PUBLIC
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import PRIVATE, Kind

#: The module that an unlisted kind of release imports by its name, and `make_records.py` too.
TAILS = "ggexp.mechanisms.tails"


@dataclass(frozen=True)
class DataSet:
    """A data set of a run.

    settings: its settings in the checked configuration. noisy: its grid points.
    project: the folder of the paper's tables.
    """

    settings: TableData | RecordsData
    noisy: Sequence[NoisyPoint]
    project: Path

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
    def table(self) -> dict[str, Any]:
        """The settings for reading a table of counts."""
        return TableSettings.part_of(self.settings.written()) | {"counts": self.file}

    @property
    def records(self) -> dict[str, Any] | None:
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

    def facts(self, neighbours: str) -> dict[str, bool]:
        """Return the fields of a `Subject` that are known before the data are read."""
        is_rescaled = self.settings.release.total != PRIVATE
        return {
            "is_own": self.is_own,
            "is_private": self.settings.is_private,
            "uses_delta": self.release.uses_delta,
            "lists_cells": self.release.lists_cells,
            "is_rescaled": is_rescaled,
            "is_replaced": is_rescaled or neighbours == "replace-one",
        }

    @property
    def kind(self) -> dict[str, Any]:
        """The kind of release as parameters, which jobs receive."""
        return self.settings.release.parameters()

    @cached_property
    def points(self) -> dict[str, dict[str, Any]]:
        """The path of each grid point -> its parameters, which jobs receive."""
        return {noisy.point.path: noisy.parameters() for noisy in self.noisy}

    def modules(
        self, points: Iterable[Mapping[str, Any]] | None = None, *, uses_tails: bool = False
    ) -> list[str]:
        """Return the modules that a job imports by name: those of its noise and kind of release.

        points: the parameters of grid points, by default of all. uses_tails: whether the script
            itself uses the tails of the noise.
        """
        modules = families(self.points.values() if points is None else points)
        tails = [TAILS] if uses_tails or not self.release.lists_cells else []
        return [*modules, self.release.__module__, *tails]


def families(points: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the modules of the families of noise at some grid points, from their parameters."""
    return sorted({module_of(point["noise"]) for point in points})


def without_bins(records: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with a bin for each whole number, which all values of binned columns are.

    records: the settings for reading records, whose bins of equal width have whole edges.
    """
    columns = {
        name: {
            "from": column["from"] - 0.5,
            "to": column["to"] + 0.5,
            "bins": column["to"] - column["from"] + 1,
        }
        if isinstance(column, Mapping) and "bins" in column
        else column
        for name, column in records["columns"].items()
    }
    return {**records, "columns": columns}
