"""The answers of all records as codes, from which tables of some columns are counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ggexp.datasets.answers import Answers, read_answers, records_to_drop
from ggexp.datasets.columns import Column
from ggexp.datasets.form import Source
from ggexp.datasets.layout import RecordsSettings
from ggexp.datasets.tables import ContingencyTable


@dataclass(frozen=True)
class CodedRecords:
    """The answers of all records, as codes.

    levels: attribute -> its levels or the names of its bins, in order. codes: attribute -> the
        position of each record's level, -1 if the answer is missing or the record is dropped.
    columns: all columns of the file by name. notes: as in `Histogram`.
    """

    levels: dict[str, list[str]]
    codes: dict[str, NDArray[np.int64]]
    columns: dict[str, Column]
    notes: list[str]

    def table(self, names: Sequence[str]) -> ContingencyTable:
        """Return the table of some attributes; it counts the records with an answer in each."""
        factors = {name: self.levels[name] for name in names}
        codes = np.array([self.codes[name] for name in names])
        answered = codes[:, (codes >= 0).all(axis=0)]
        return ContingencyTable.complete(factors, answered, np.ones(answered.shape[1], np.int64))


def read_coded_records(
    path: Path, layout: RecordsSettings, names: Sequence[str], missing_level: str | None = None
) -> CodedRecords:
    """Return the answers to some of the settings' columns in a file of records.

    missing_level: the level of missing answers, None if they have none.
    """
    rows, columns = read_answers(Source(path), layout, "records")
    dropped = records_to_drop(rows, columns, layout, np.ones(rows.records, dtype=bool))
    levels, codes = {}, {}
    for name in names:
        column = columns[name]
        missing = column.records_with(layout.missing_texts)
        field = Answers(rows, name, column, layout, ~missing & ~dropped)
        if not layout.missing_texts:
            field.check_answers()
        levels[name], positions = field.positions()
        codes[name] = np.where(field.kept, positions[column.codes], -1)
        if missing_level is not None:
            if missing_level in levels[name]:
                raise ValueError(
                    f"{path}: {name!r} has a level {missing_level!r}, the name of the level of "
                    "missing answers; rename it"
                )
            codes[name][missing & ~dropped] = len(levels[name])
            levels[name].append(missing_level)
        if not levels[name]:
            raise ValueError(f"{path}: no record has an answer in {name!r}")
    if rows.header:
        columns = dict(zip(rows.names, rows.columns, strict=True)) | columns
    return CodedRecords(levels, codes, columns, rows.notes)
