"""The declared design of a release, and the table in a file under this design.

What is published is a function of the design and of noisy counts alone. `read` compares the file
with the design, and refuses a table whose design may hide a second copy of its counts. A refusal
is for the owner of the table; nothing is published with it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.checks import MAX_TOTAL
from ggexp.datasets import derived
from ggexp.datasets.columns import Column, iter_texts
from ggexp.datasets.domain import Domain
from ggexp.datasets.form import is_grouped
from ggexp.datasets.layout import RecordsSettings, TableDesign, TableSettings
from ggexp.datasets.reader import Fields
from ggexp.datasets.records import read_histogram
from ggexp.datasets.sniff import sniff
from ggexp.datasets.tables import ContingencyTable, header_names, read_counts
from ggexp.datasets.totals import Finding, find_nested, find_sums

#: The name of the released column of counts if the file has no such column.
COUNT = "count"
_MEASUREMENT = re.compile(r"[+-]?\d*[.,]\d+")


@dataclass(frozen=True)
class Design:
    """What a user declares about a table before it is released.

    data: for a file of counts, its factors with their levels, and how it stores the counts; for
        records, the factors with their levels or bins. A factor without either takes its levels
        from the file.
    ignored: columns of a file of counts that are not used.
    totals, keeps_totals: levels that are totals of other levels, and whether they are released.
    has_no_totals: the user's word that no other level contains another one.
    has_no_derived: the user's word that no factor follows from the counts, which count records.
    """

    data: TableDesign | RecordsSettings
    ignored: Sequence[str] = ()
    totals: Sequence[str] = ()
    keeps_totals: bool = False
    has_no_totals: bool = False
    has_no_derived: bool = False

    @property
    def factors_without_levels(self) -> list[str]:
        """The factors whose levels are to be taken from the file."""
        if isinstance(self.data, RecordsSettings):
            attributes = self.data.attributes.items()
            return [name for name, form in attributes if not form.bounds and not form.levels]
        return [name for name, levels in self.data.factors.items() if levels is None]


class Declared(NamedTuple):
    """A table under a declared design.

    table: all combinations of the levels, in the design's order, with their true counts.
    name: of the column of counts. from_file: the factors whose levels were taken from the file.
    totals: factor -> its levels that are totals and are kept.
    notes: remarks for the owner of the table that depend on the counts.
    """

    table: ContingencyTable
    name: str
    from_file: list[str]
    totals: dict[str, list[str]]
    notes: list[str]

    @property
    def cells_per_record(self) -> int:
        """The largest number of cells that one record counts in, which follows from the design."""
        return prod(1 + len(levels) for levels in self.totals.values())


def from_config(settings: Mapping[str, Any], key: str) -> Design:
    """Return the design of a data set in a configuration.

    settings: ``histograms: …:``, without the total of the counts, which is not part of the design.
    key: their path in the configuration.
    """
    if "records" in settings:
        return Design(RecordsSettings.read(settings["records"], f"{key}.records"))
    return Design(TableSettings.read(TableSettings.part_of(settings), key))


def read(path: Path, design: Design) -> Declared:
    """Return the table in a file under a design. Errors name the option that settles them."""
    if isinstance(design.data, TableDesign):
        return _declared(path, design, _read_counts(path, design))
    return _declared(path, design, _read_records(path, design))


def read_tables(path: Path, design: Design, tables: Sequence[Sequence[str]]) -> list[Declared]:
    """Return tables of the same records in a file under a design, each of some of its columns."""
    rows, name, notes, findings = _read_records(path, design)
    return [
        _declared(path, design, (rows.margin(columns), name, notes, [*findings]))
        for columns in tables
    ]


def _declared(path: Path, design: Design, content: "Read") -> Declared:
    """Return the completed table of the rows that were read, unless a finding refuses it."""
    is_counts = isinstance(design.data, TableDesign)
    rows, name, notes, findings = content
    try:
        table = rows.completed()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if name in table.factors:
        raise ValueError(f"{path}: no factor may have the name of the counts, {name!r}")
    totals = {
        factor: kept
        for factor, levels in table.factors.items()
        if (kept := [level for level in levels if level in design.totals])
    }
    from_file = [factor for factor in design.factors_without_levels if factor in table.factors]
    findings += _levels_of_the_file(table, from_file)
    if is_counts and not design.has_no_totals:  # each record has one level, but a row may be a sum
        ordered = _in_file_order(rows).completed()
        for factor, known in totals.items():
            ordered = ordered.without(factor, known)
        findings += [*find_nested(ordered), *find_sums(ordered)]
    if not design.has_no_derived:
        findings += derived.objections_to_counts(name, table) if is_counts else ()
        findings += derived.counts_in_names(table, [*table.factors, name])
    for finding in findings:
        if finding.is_certain:
            raise ValueError(f"{path}: {finding.message}")
        notes = [*notes, finding.message]
    return Declared(table, name, from_file, totals, notes)


Read = tuple[ContingencyTable, str, list[str], list[Finding]]


def _read_counts(path: Path, design: Design) -> Read:
    """Return a table of counts, the name of the counts, what was not read, and objections."""
    assert isinstance(design.data, TableDesign)
    fields = sniff(path, design.data, header=True)
    declared = _left_out(_with_columns(fields, design), design)
    columns = dict(zip(header_names(fields.names, declared.wide), fields.columns, strict=True))
    for name in {*design.factors_without_levels} - {declared.wide}:
        if name in columns and columns[name].has(""):
            message = f"{name} is empty; --levels declares which levels it has"
            raise fields.error_at(columns[name], "", message)
    _check_points(fields, columns, declared)
    rows = read_counts(fields, declared)
    findings: list[Finding] = []
    if not design.has_no_derived:
        width = 1 if declared.wide is None else len(rows.factors[declared.wide])
        labels = rows.labels.iloc[::width].astype(str).drop(columns=declared.wide or [])
        counts = rows.counts.reshape(-1, width).sum(axis=1)
        findings += derived.derived_factors(labels, counts)
        if declared.wide is None:
            findings += _multiples(columns, declared, design.ignored)
        # the counts in ascending order differ in one place only if one record is added
        if design.ignored and (labels.shape[1] > 1 or width > 1):
            findings += derived.ordered_factors(labels, counts)
    return rows, COUNT if declared.wide else declared.count, [*fields.notes], findings


def _multiples(
    columns: Mapping[str, Column], table: TableDesign, ignored: Sequence[str]
) -> Iterator[Finding]:
    """Yield objections to counts that are multiples of an ignored column, as weighted counts."""
    counts = _whole_numbers(columns[table.count], table)
    for name in ignored:
        numbers = _whole_numbers(columns[name], table)
        total = numbers.sum()
        if len(numbers) < 2 or not total or 99 <= total <= 101:  # the counts may have percentages
            continue
        factor = counts.sum() // total
        if factor > 1 and np.array_equal(counts, factor * numbers):
            yield Finding(
                f"the counts are {factor} times {name!r}, as weighted counts are: --count {name!r} "
                "uses it, and --no-derived says that they are counts"
            )


def _whole_numbers(column: Column, table: TableDesign) -> NDArray[np.int64]:
    """Return the whole numbers >= 0 of a column, an empty array if it has other texts."""
    numbers = [table.parse(text) for text in iter_texts(column.texts)]
    if any(number is None or number > MAX_TOTAL for number in numbers):
        return np.empty(0, np.int64)
    return np.array(numbers, np.int64)[column.codes]


def _check_points(fields: Fields, columns: Mapping[str, Column], table: TableDesign) -> None:
    """Raise ValueError for a count such as 1.000, which may be one or one thousand."""
    counted = (table.factors[table.wide] or ()) if table.wide else [table.count]
    for name in counted if table.thousands == "" else ():
        for text in iter_texts(columns[name].texts) if name in columns else ():
            if is_grouped(text, "." if table.decimal == "." else ","):
                raise fields.error_at(
                    columns[name],
                    text,
                    f"{name} may be one or one thousand, got {text!r}: --thousands reads the mark "
                    "as a separator; otherwise write the count without decimals",
                )


def _with_columns(fields: Fields, design: Design) -> TableDesign:
    """Return the design of a table, with the levels of a wide factor, for the columns of a file."""
    table = design.data
    assert isinstance(table, TableDesign)
    names = header_names(fields.names, table.wide)
    for name in design.ignored:
        if name not in names:
            raise ValueError(
                f"{fields.source}: no column {name!r} to ignore; the columns are {', '.join(names)}"
            )
    texts = {text for column in fields.columns for text in iter_texts(column.texts)}
    for level in design.totals:
        if level not in texts | {*names}:
            raise ValueError(f"{fields.source}: no level {level!r}, which --totals names")
    used = {*table.factors, *design.ignored} | ({table.count} if table.wide is None else set())
    other = [
        name
        for name, original, column in zip(names, fields.names, fields.columns, strict=True)
        if name not in used and (original or not column.numbers_lines)
    ]
    levels = None if table.wide is None else table.factors[table.wide]
    if table.wide is not None and levels is None:
        measures = [name for name in other if derived.is_measure(name)]
        if measures and not design.has_no_derived:
            raise ValueError(
                f"{fields.source}: the column {measures[0]!r} has the name of numbers that are no "
                f"counts: --ignore {measures[0]!r} leaves it out, --no-derived keeps it"
            )
        return table.model_copy(update={"factors": {**table.factors, table.wide: other}})
    allowed = {*(levels or ()), *(design.totals if table.wide else ())}
    if unknown := [name for name in other if name not in allowed]:
        hint = "" if table.wide else "; if it holds counts too, --wide replaces --count"
        raise ValueError(
            f"{fields.source}: the column {unknown[0]!r} is neither a factor nor a count of the "
            f"design: --ignore {unknown[0]!r} leaves it out{hint}"
        )
    return table


def _left_out(table: TableDesign, design: Design) -> TableDesign:
    """Return the design of a table without the totals that are not released."""
    if design.keeps_totals:
        return table
    factors = {
        name: levels and [level for level in levels if level not in design.totals]
        for name, levels in table.factors.items()
    }
    drop = {
        name: [*table.drop.get(name, ()), *design.totals] for name in factors if name != table.wide
    }
    return table.model_copy(update={"factors": factors, "drop": drop})


def _read_records(path: Path, design: Design) -> Read:
    """Return the result of `_read_counts` for a file of records."""
    assert isinstance(design.data, RecordsSettings)
    layout = design.data.model_copy(update={"training": None})
    histogram = read_histogram(path, layout, dataset=path.name, seed=0)
    domain = Domain.of(layout, histogram.cells, histogram.test)
    attributes = layout.attributes
    factors = {
        name: _bin_names(attributes[name].bounds) or [*(attributes[name].levels or values)]
        for name, values in domain.values.items()
    }
    codes = [
        pd.Index(attributes[name].levels or values).get_indexer(pd.Index(histogram.cells[name]))
        for name, values in domain.values.items()
    ]
    counts = histogram.cells["count"].to_numpy(np.int64)
    return ContingencyTable.of(factors, codes, counts), COUNT, histogram.notes, []


def _bin_names(edges: Sequence[float]) -> list[str]:
    """Return the names of bins: each contains its lower edge, and the last one also its upper."""
    texts = [f"{edge:.15g}" for edge in edges]
    names = [f"[{low}, {high})" for low, high in pairwise(texts)]
    return [*names[:-1], f"{names[-1][:-1]}]"] if names else []


def _levels_of_the_file(table: ContingencyTable, from_file: Sequence[str]) -> Iterator[Finding]:
    """Yield objections to levels of the file that are measurements, or that single records have."""
    for factor in from_file:
        levels = table.factors[factor]
        for level in filter(_MEASUREMENT.fullmatch, levels):
            yield Finding(
                f"the level {level!r} of {factor!r} is a measurement: --levels or the bins of a "
                "configuration declare its levels"
            )
        singles = [levels[i] for i in np.flatnonzero(table.margin([factor]).counts == 1)]
        if singles:
            yield Finding(
                f"the level {singles[0]!r} of {factor!r}, taken from the file, has a single "
                "record: the release reveals that somebody has it, unless --levels declares it",
                2 * len(singles) > len(levels),
            )


def _in_file_order(rows: ContingencyTable) -> ContingencyTable:
    """Return the table with the levels of each factor in the order of their first rows."""
    columns = {
        name: column.cat.reorder_categories(
            [*dict.fromkeys([*column.unique(), *column.cat.categories])]
        )
        for name, column in rows.labels.items()
    }
    return ContingencyTable(pd.DataFrame(columns), rows.counts)
