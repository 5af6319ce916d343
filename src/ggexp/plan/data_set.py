"""A data set of a run: its settings, its grid points, and what jobs need to know about both."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ggexp.datasets.file_keys import TableSettings
from ggexp.experiment.keys import RecordsData, TableData
from ggexp.mechanisms.noise import module_of
from ggexp.plan.run_checks import PUBLIC
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import PRIVATE, Kind

#: The module that an unlisted kind of release imports by its name, and `make_records.py` too.
TAILS = "ggexp.mechanisms.tails"


class DataSet(NamedTuple):
    """A data set of a run.

    settings: its settings in the checked configuration. file: the path of its data file.
    table: the settings for reading a table of counts. records: those for individual records, None
        for a table.
    target: the column that classifiers predict, or None. trained_points: the grid points on whose
        releases they are trained. trained_repeats: the repeats on which they are trained.
    methods: the methods of making synthetic records.
    release: its kind of release. kind: the same as parameters, which jobs receive.
    is_private: whether releases are differentially private. is_rescaled: whether released counts
        are rescaled to sum to n. is_own: whether the data are the user's own, not the paper's.
    points: the path of each grid point -> its parameters, which jobs receive.
    """

    settings: TableData | RecordsData
    file: str
    table: Mapping[str, Any]
    records: Mapping[str, Any] | None
    target: str | None
    trained_points: Sequence[GridPoint]
    trained_repeats: int
    methods: Sequence[str]
    release: type[Kind]
    kind: Mapping[str, Any]
    is_private: bool
    is_rescaled: bool
    is_own: bool
    points: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(
        cls, settings: TableData | RecordsData, points: Sequence[NoisyPoint], project: Path
    ) -> "DataSet":
        """Return the data set with these settings and these grid points.

        project: the folder of the paper's tables.
        """
        file, records, classifier = settings.source, settings.records, settings.classifier
        is_own = file not in PUBLIC
        if not records and not is_own:
            file = str(project / file)
        return cls(
            settings=settings,
            file=file,
            table=TableSettings.part_of(settings.written()) | {"counts": file},
            records=records.written() if records else None,
            target=classifier.target if classifier else None,
            trained_points=[
                noisy.point for noisy in points if noisy.point.mechanism in settings.trained
            ],
            trained_repeats=(classifier and classifier.repeats) or 0,
            methods=settings.synthetic or (),
            release=settings.release.type,
            kind=settings.release.parameters(),
            is_private=settings.is_private,
            is_rescaled=settings.release.total != PRIVATE,
            is_own=is_own,
            points={noisy.point.path: noisy.parameters() for noisy in points},
        )

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
