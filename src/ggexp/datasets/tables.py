"""Contingency tables, and files with a count for each of their cells or each non-empty one."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.checks import MAX_TOTAL
from ggexp.datasets.columns import iter_texts
from ggexp.datasets.form import line_error
from ggexp.datasets.layout import TableDesign, TableSettings
from ggexp.datasets.reader import Fields
from ggexp.datasets.sniff import sniff

#: Largest number of cells of a table that is completed with its empty ones. Empty cells are
#: sanitized too; therefore all cells must fit into memory.
MAX_CELLS = 1_000_000
#: The name given to a wide table's unnamed column, which holds the names of its rows.
ROW_NAMES = "row"
#: A number with decimal or thousands marks.
_MARKED = re.compile(r"\d[\d.,' \u00a0\u202f’]*", re.ASCII)


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """The cells of a contingency table.

    labels: a row per cell and a categorical column per factor, whose categories are all levels in
        order. counts: int64, of each cell.
    """

    labels: pd.DataFrame
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        factors: Mapping[str, Sequence[str]],
        codes: Iterable[NDArray[np.integer[Any]]],
        counts: NDArray[np.int64],
    ) -> "ContingencyTable":
        """Return the table with these factors; codes: of each cell's level, for each factor."""
        columns = {
            name: pd.Categorical.from_codes(code, dtype=pd.CategoricalDtype([*levels]))
            for (name, levels), code in zip(factors.items(), codes, strict=True)
        }
        return cls(pd.DataFrame(columns), counts)

    @property
    def factors(self) -> dict[str, list[str]]:
        """Factor -> its levels, in order."""
        return {str(name): [*column.cat.categories] for name, column in self.labels.items()}

    @property
    def codes(self) -> list[NDArray[np.int64]]:
        """For each factor, the position of each cell's level among the factor's levels."""
        return [np.asarray(self.labels[name].cat.codes, np.int64) for name in self.labels]

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return sum(self.counts.tolist())  # int64 could overflow

    @property
    def combinations(self) -> int:
        """The number of all combinations of levels."""
        return prod(map(len, self.factors.values()))

    @property
    def absent(self) -> int:
        """The number of combinations of levels that are not cells."""
        return self.combinations - self.counts.size

    def completed(self) -> "ContingencyTable":
        """Return the table with all combinations of levels; absent ones have the count 0.

        The cells are in the order of the levels, and the last factor's levels vary fastest.
        """
        return self.complete(self.factors, self.codes, self.counts)

    @classmethod
    def complete(
        cls,
        factors: Mapping[str, Sequence[str]],
        codes: Sequence[NDArray[np.integer[Any]]] | NDArray[np.int64],
        counts: NDArray[np.int64],
    ) -> "ContingencyTable":
        """Return the table with all combinations of levels.

        codes: of the level of each row, for each factor. counts: of the rows; rows with the same
        levels are summed.
        """
        shape = [*map(len, factors.values())]
        if (combinations := prod(shape)) > MAX_CELLS:
            raise ValueError(
                f"the factors' levels have {combinations:,} combinations, at most {MAX_CELLS:,} "
                "are allowed, because empty cells get noise too; use fewer factors or levels"
            )
        sums = np.zeros(shape, dtype=np.int64)
        np.add.at(sums, tuple(codes), counts)
        return cls.of(factors, map(np.ravel, np.indices(shape)), sums.ravel())

    def by_level(self) -> Iterator[tuple[str, list[str], NDArray[np.int64]]]:
        """Yield each factor of a completed table, its levels, and the counts in a row per level."""
        array = self.counts.reshape([*map(len, self.factors.values())])
        for axis, (factor, levels) in enumerate(self.factors.items()):
            yield factor, levels, np.moveaxis(array, axis, 0).reshape(len(levels), -1)

    def margin(self, names: Sequence[str]) -> "ContingencyTable":
        """Return the table of these factors only, summed over the others, in the order of levels.

        Combinations of levels without a cell are absent from the margin too.
        """
        keys = [self.labels[name] for name in names]
        sums = pd.Series(self.counts).groupby(keys, observed=True).sum()
        return ContingencyTable(sums.index.to_frame(index=False), sums.to_numpy(np.int64))

    def where(self, kept: NDArray[np.bool_]) -> "ContingencyTable":
        """Return the table of the kept cells only, with all levels."""
        return ContingencyTable(self.labels[kept].reset_index(drop=True), self.counts[kept])

    def without(self, factor: str, levels: Iterable[str]) -> "ContingencyTable":
        """Return the table without these levels of a factor and their cells."""
        unwanted = {*levels}
        table = self.where(~self.labels[factor].isin(unwanted).to_numpy())
        kept = [level for level in self.factors[factor] if level not in unwanted]
        column = table.labels[factor].cat.set_categories(kept)
        return ContingencyTable(table.labels.assign(**{factor: column}), table.counts)


def read_counts(source: str | Path | Fields, design: TableDesign) -> ContingencyTable:
    """Return the table of counts in a file, in the file's order of cells.

    source: a file whose first line names its columns, or its fields; other columns are ignored.
    The table has a cell for each combination of levels that has a count.
    """
    fields = source if isinstance(source, Fields) else sniff(source, design, header=True)
    named = [name for name in design.factors if name != design.wide]
    counted = [design.count] if design.wide is None else [*(design.factors[design.wide] or ())]
    columns = fields.select([*named, *counted], header_names(fields.names, design.wide))
    fields.check_usable(dict(zip([*named, *counted], columns, strict=True)))
    labels = dict(zip(named, columns, strict=False))
    kept = np.ones(fields.records, dtype=bool)
    for name, column in labels.items():
        kept &= ~column.records_with(design.drop.get(name, ()))
    records = np.flatnonzero(kept)
    errors: list[tuple[int, str]] = []  # records and what is wrong with them
    factors: dict[str, Sequence[str]] = {}
    codes: dict[str, NDArray[np.int64]] = {}
    for name, column in labels.items():
        factors[name] = design.factors[name] or column.levels_of(kept, design.drop.get(name, ()))
        codes[name] = pd.Index(factors[name]).get_indexer(column.texts.to_pylist())[column.codes]
        for record in records[codes[name][kept] < 0][:1]:
            known, text = ", ".join(factors[name]), column.text_of(record)
            errors.append((record, f"{name} must be one of {known}, got {text!r}"))
    numbers = []
    for name, column in zip(counted, columns[len(named) :], strict=True):
        values = [design.parse(text) for text in iter_texts(column.texts)]
        known_values = [-1 if value is None or value > MAX_TOTAL else value for value in values]
        numbers.append(np.array(known_values, dtype=np.int64)[column.codes])
        for record in records[numbers[-1][kept] < 0][:1]:
            text = column.text_of(record)
            errors.append((record, f"{name} must be {_required(text, design)}"))
    cells = pd.DataFrame(codes)[kept]
    for record in cells.index[cells.duplicated()][:1]:
        first = cells.index[(cells == cells.loc[record]).all(axis="columns")][0]
        cell = ",".join(column.text_of(record) for column in labels.values())
        message = f"a second row for the cell {cell}; the first is line {fields.line(first)}"
        errors.append((record, message))
    if errors:
        record, message = min(errors)
        raise line_error(fields.source, fields.line(int(record)), message)
    columns_of_codes = {name: np.repeat(code[kept], len(counted)) for name, code in codes.items()}
    if design.wide is not None:
        columns_of_codes[design.wide] = np.tile(np.arange(len(counted)), len(records))
        factors[design.wide] = counted
    table = ContingencyTable.of(
        {name: factors[name] for name in design.factors},
        [columns_of_codes[name] for name in design.factors],
        np.column_stack(numbers)[kept].ravel(),
    )
    if table.total > MAX_TOTAL:
        raise ValueError(
            f"{fields.source}: the counts sum to {table.total}, at most {MAX_TOTAL} is allowed"
        )
    return table


def make_table(settings: Mapping[str, Any], key: str) -> ContingencyTable:
    """Return the table described by a data set's settings, and checked against them.

    settings: ``histograms: …:`` of a configuration. key: their path.
    The cells are in the file's order; if it omits empty ones, all are in the order of the levels.
    """
    checked = TableSettings.read(TableSettings.part_of(settings), key)
    path = checked.counts
    table = read_counts(path, checked)
    if checked.omitted == "zero":
        try:
            table = table.completed()
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    if table.absent:
        raise ValueError(
            f"{path}: {table.counts.size} cells, but the factors' levels have "
            f"{table.combinations} combinations; if the file leaves out empty cells, set omitted: "
            "zero"
        )
    if table.total != checked.total:
        raise ValueError(
            f"{path}: the counts sum to {table.total}, but must sum to {checked.total}"
        )
    return table


def header_names(names: Sequence[str], wide: str | None) -> list[str]:
    """Return the names of a table's columns; an unnamed one of a wide table is `ROW_NAMES`."""
    return [name or ROW_NAMES if wide is not None else name for name in names]


def _required(text: str, design: TableDesign) -> str:
    """Return what a count must be, the wrong text, and a hint that fits it."""
    if design.parse(text) is not None:
        return f"at most {MAX_TOTAL}, got {text}"
    is_marked = _MARKED.fullmatch(text) and not text.isdecimal()
    hint = "; --decimal and --thousands name its separators" if is_marked else ""
    return f"a non-negative whole number, got {text!r}{hint}"
