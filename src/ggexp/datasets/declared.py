"""The declared design of a release, and the table in a file under this design.

What is published is a function of the design and of noisy counts alone. `read` compares the file
with the design, and refuses a table whose design may hide a second copy of its counts. A refusal
is for the owner of the table; nothing is published with it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ggexp.checks import table_errors
from ggexp.datasets import lines, measures
from ggexp.datasets.answers import Answers
from ggexp.datasets.columns import is_number, iter_texts, outlying_codes
from ggexp.datasets.form import Source, is_grouped
from ggexp.datasets.layout import RecordsSettings, TableDesign
from ggexp.datasets.reader import Fields
from ggexp.datasets.sniff import sniff
from ggexp.datasets.table import CODEBOOK, FILE, Table
from ggexp.datasets.tables import named_rows, read_counts
from ggexp.datasets.totals import Finding, find_nested, find_sums

#: The level of missing answers, if they are counted.
MISSING_LEVEL = "missing"
#: Names that stand for all tables of so many columns.
WAYS = {"one-way": 1, "two-way": 2, "three-way": 3}
_MEASUREMENT = re.compile(r"[+-]?\d*[.,]\d+")


@dataclass(frozen=True)
class Design:
    """What a user declares about a table before it is released.

    data: a factor without levels or bins takes its levels from the file.
    ignored: columns that are not used, and are not mistaken for counts.
    totals, keeps_totals: levels that are totals of other levels, and whether they are released.
    counts_missing: whether the missing answers of records are a level, `MISSING_LEVEL`. Otherwise a
        record is left out of the tables of the columns in which its answer is missing.
    has_no_totals: the user's word that no other level contains another one.
    """

    data: TableDesign | RecordsSettings
    ignored: Sequence[str] = ()
    totals: Sequence[str] = ()
    keeps_totals: bool = False
    counts_missing: bool = False
    has_no_totals: bool = False

    @property
    def factors_without_levels(self) -> list[str]:
        """The factors whose levels are to be taken from the file."""
        if isinstance(self.data, RecordsSettings):
            attributes = self.data.attributes.items()
            return [name for name, form in attributes if not form.bounds and not form.levels]
        return [name for name, levels in self.data.factors.items() if levels is None]

    @property
    def missing(self) -> list[str]:
        """The texts of a missing answer; an answer that must not be missing has none."""
        return self.data.missing_texts if isinstance(self.data, RecordsSettings) else []

    def kept_totals(self, table: Table) -> dict[str, list[str]]:
        """Return factor -> its levels in a table that are totals and are kept."""
        return {
            factor: kept
            for factor, levels in table.factors.items()
            if (kept := [level for level in levels if level in self.totals])
        }

    def facts(self, tables: Sequence[Table]) -> dict[str, Any]:
        """Return the parts of a statement on these tables that follow from their design."""
        table, several = tables[0], len(tables) > 1
        totals = self.kept_totals(table)
        cells_per_record = prod(1 + len(levels) for levels in totals.values())
        left_out = {name: [*map(str, values)] for name, values in self.data.drop.items()}
        on_missing = "counted" if self.counts_missing else "omitted"
        levels = {name: [*known] for each in tables for name, known in each.factors.items()}
        sources = {name: source for each in tables for name, source in each.sources.items()}
        texts = [
            text
            for text in dict.fromkeys(text for each in tables for text in each.texts)
            if text.startswith(("=", "+", "-", "@")) and not is_number(text)
        ]
        return {
            "cells_per_record": len(tables) if several else cells_per_record,
            "total": table.total,
            "cells": sum(each.counts.size for each in tables),
            "levels": levels,
            "levels_from_file": [name for name in levels if sources.get(name) == FILE],
            "levels_from_codebook": [name for name in levels if sources.get(name) == CODEBOOK],
            "missing_answers": (self.missing and on_missing) or None,
            "missing_texts": self.missing,
            "records_left_out": left_out,
            "totals": totals,
            "like_formulas": texts,
        }

    @property
    def tables_count_the_same_records(self) -> bool:
        """Whether every table counts all records, whatever their answers are, or all counts."""
        if isinstance(self.data, TableDesign):
            return True
        return not self.data.drop and (self.counts_missing or not self.missing)


def workload(names: Sequence[str], tables: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the columns of each table; a name in `WAYS` stands for several tables.

    Raises ValueError for an unknown or repeated column, or a repeated table.

    >>> from ggexp.datasets.declared import workload
    >>> workload(["age", "sex", "region"], [["two-way"], ["sex"]])
    [('age', 'sex'), ('age', 'region'), ('sex', 'region'), ('sex',)]
    """
    listed: list[tuple[str, ...]] = []
    for columns in tables:
        way = columns[0] if len(columns) == 1 and columns[0] not in names else ""
        if len(names) < WAYS.get(way, 0):
            raise ValueError(
                f"--tables {way} needs {WAYS[way]} factors or more, got {', '.join(names)}"
            )
        listed += combinations(names, WAYS[way]) if way in WAYS else [(*columns,)]
    numbers: dict[frozenset[str], int] = {}
    for number, columns in enumerate(listed, 1):
        if unknown := [name for name in columns if name not in names]:
            raise ValueError(
                f"table {number}: the design has no column {unknown[0]!r}, only {', '.join(names)}"
            )
        if not columns or len({*columns}) != len(columns):
            raise ValueError(
                f"table {number} must list different columns, got {', '.join(columns)}"
            )
        if (other := numbers.setdefault(frozenset(columns), number)) < number:
            raise ValueError(f"table {number} is table {other} again: {', '.join(columns)}")
    return listed


@table_errors()
def read(data: Path | Fields, design: Design, tables: Sequence[Sequence[str]] = ()) -> list[Table]:
    """Return the tables in a file or its rows under a design, with all combinations of the levels.

    Errors name the option that settles them.
    tables: of records, the columns of each; none for one table of all columns.
    """
    if isinstance(design.data, TableDesign):
        fields = data if isinstance(data, Fields) else sniff(data, design.data, header=True)
        return [_read_counts(fields, design.data, design)]
    tables = tables or [[*design.data.attributes]]
    names = [*dict.fromkeys(name for columns in tables for name in columns)]
    answers = Answers.read(data, design.data, "records")
    file = answers.rows.source
    records = _code(answers, design, names)
    findings = [*_objections_to_records(answers, records, design)]
    counted = [records.margin(names).completed(file) for names in tables]
    return [_checked(file, table, findings) for table in counted]


def _code(answers: Answers, design: Design, names: Sequence[str]) -> Table:
    """Return the answers in some columns as a table with a cell for each record."""
    path = answers.rows.source
    kept = ~answers.dropped(np.ones(answers.rows.records, dtype=bool))
    answered = {name: kept & answers.answered(name) for name in names}
    if not design.missing:
        for name in names:
            answers.check_answered(name, answered[name])
    records = answers.table(answered, has_names=True)
    factors = {name: [*levels] for name, levels in records.factors.items()}
    for (name, levels), codes in zip(factors.items(), records.codes, strict=True):
        if design.counts_missing:
            if MISSING_LEVEL in levels:
                raise ValueError(
                    f"{path}: {name!r} has a level {MISSING_LEVEL!r}, the name of the level of "
                    "missing answers; rename it"
                )
            codes[kept & ~answered[name]] = len(levels)
            levels.append(MISSING_LEVEL)
        if not levels:
            raise ValueError(f"{path}: no record has an answer in {name!r}")
    return replace(records, factors=factors)


def _checked(file: Source, table: Table, findings: Iterable[Finding]) -> Table:
    """Return a table with the findings as notes, unless one of them refuses it."""
    if table.name in table.factors:
        raise ValueError(f"{file}: no factor may have the name of the counts, {table.name!r}")
    findings = [*findings, *_levels_of_the_file(table)]
    findings += measures.find_stated_counts(table)
    for finding in findings:
        if finding.is_certain:
            raise ValueError(f"{file}: {finding.message}")
    return replace(table, notes=[*table.notes, *(finding.message for finding in findings)])


def _read_counts(fields: Fields, data: TableDesign, design: Design) -> Table:
    """Return the table in the rows of a file of counts."""
    declared = _design_of_file(fields, data, design)
    columns = named_rows(fields, data).select([*declared.row_factors, *declared.counted])
    without_levels = [name for name in design.factors_without_levels if name != declared.wide]
    for name in without_levels:
        allowed = "a non-empty level, or one that --levels declares"
        fields.check(columns[name], columns[name].among([""]), allowed)
    # a count such as 1.000 may be one or one thousand
    for name in () if declared.thousands else declared.counted:
        texts = iter_texts(columns[name].texts)
        is_unclear = np.array([is_grouped(text, declared.decimal) for text in texts])
        allowed = "without decimals, or --thousands must say that its mark groups digits"
        fields.check(columns[name], is_unclear, allowed)
    rows = read_counts(fields, declared)
    if declared.wide in design.factors_without_levels:
        rows = replace(rows, sources={**rows.sources, declared.wide: FILE})
    table = rows.completed(fields.source)
    undeclared = [name for name in without_levels if rows.sources[name] == FILE]
    findings = [*_numbers_of_rows(rows.labels.iloc[:: len(declared.counted)], undeclared)]
    if not design.has_no_totals:  # each record has one level, but a row may be a sum
        in_file_order = {
            name: [levels[i] for i in dict.fromkeys([*pd.unique(codes), *range(len(levels))])]
            for (name, levels), codes in zip(rows.factors.items(), rows.codes, strict=True)
        }
        ordered = rows.with_levels(in_file_order).completed()
        for factor, known in design.kept_totals(table).items():
            ordered = ordered.without(factor, known)
        findings += [*find_nested(ordered), *find_sums(ordered)]
    return _checked(fields.source, table, [*findings, *measures.find_measures(table)])


def _numbers_of_rows(rows: pd.DataFrame, undeclared: Collection[str]) -> Iterator[Finding]:
    """Yield objections to factors with a number of its own in each row, such as ranks or shares."""
    for name in undeclared:
        levels = rows[name].astype(str)
        numbers = levels.str.strip(" <>±~*$€£%‰").str.replace(",", "")
        if len(levels) > 1 and levels.is_unique and numbers.map(is_number).all():
            yield Finding(
                f"the factor {name!r} has a number of its own in each row, such as "
                f"{levels.iloc[0]}, and may follow from the counts: --levels '{name}=…' declares "
                f"its levels, and --ignore {name!r} leaves it out"
            )


def _design_of_file(fields: Fields, data: TableDesign, design: Design) -> TableDesign:
    """Return the design of the table in a file: with the levels of a wide factor, without totals.

    Totals that are released stay. Raises ValueError if the design does not fit the columns.
    """
    file, wide, factors = fields.source, data.wide, dict(data.factors)
    named = named_rows(fields, data)
    _check_ignored(file, design, named.names)
    texts = {text for column in fields.columns for text in iter_texts(column.texts)}
    for level in design.totals:
        if level not in texts | {*named.names}:
            raise ValueError(f"{file}: no level {level!r}, which --totals names")
    used = {*factors, *design.ignored, *data.counted}
    other = [
        column.name
        for column, original in zip(named.columns, fields.columns, strict=True)
        if column.name not in used and (original.name or not column.numbers_lines)
    ]
    if wide and factors[wide] is None:
        if unlikely := [*filter(measures.is_measure, other)]:
            raise ValueError(
                f"{file}: the column {unlikely[0]!r} has the name of numbers that are no counts: "
                f"--ignore {unlikely[0]!r} leaves it out; rename it if it holds counts"
            )
        factors[wide], other = other, []
    if unknown := [name for name in other if not wide or name not in design.totals]:
        hint = "" if wide else "; if it holds counts too, --wide replaces --count"
        raise ValueError(
            f"{file}: the column {unknown[0]!r} is neither a factor nor a count of the design: "
            f"--ignore {unknown[0]!r} leaves it out{hint}"
        )
    drop = data.drop
    if not design.keeps_totals:
        for name, levels in factors.items():
            factors[name] = levels and [level for level in levels if level not in design.totals]
        drop = {name: [*drop.get(name, ()), *design.totals] for name in data.row_factors}
    return data.model_copy(update={"factors": factors, "drop": drop})


def _check_ignored(file: object, design: Design, names: Collection[str]) -> None:
    """Raise ValueError if a column that is not used is not in the file."""
    for name in design.ignored:
        if name not in names:
            raise ValueError(
                f"{file}: no column {name!r} to ignore; the columns are {', '.join(names)}"
            )


def _objections_to_records(answers: Answers, records: Table, design: Design) -> Iterator[Finding]:
    """Yield objections to a file of records: its lines may be counts or parts of persons."""
    rows, columns = answers.rows, answers.rows.by_name
    _check_ignored(rows.source, design, columns)
    used = {*records.factors, *answers.columns, *design.ignored}
    for name in lines.columns_of_counts(columns.values(), used)[:1]:
        yield Finding(
            f"no two lines agree in all columns but {name!r}, which has whole numbers, as in a "
            f"file of counts: --count {name!r} reads them as counts, and --ignore {name!r} says "
            "that each line is one record"
        )
    for name, source in records.sources.items():
        if source == FILE and lines.has_values_of_persons(columns[name]):
            yield Finding(
                f"{name!r} has {len(records.factors[name]):,} levels in {rows.records:,} records, "
                "as identifiers have: --levels declares its levels"
            )
    yield from (Finding(warning, False) for warning in lines.warnings(columns.values()))


def _levels_of_the_file(table: Table) -> Iterator[Finding]:
    """Yield objections to levels of the file: measurements, codes, and those of single records."""
    for factor, levels in table.factors.items():
        if table.sources.get(factor) != FILE:
            continue
        for level in filter(_MEASUREMENT.fullmatch, levels):
            yield Finding(
                f"the level {level!r} of {factor!r} is a measurement: --levels or the bins of a "
                "configuration declare its levels"
            )
        texts = pa.array(levels, pa.large_string())
        if codes := outlying_codes(texts, texts):
            remedy = "a configuration of ggexp describe leaves it out"
            text = f"the level {codes[0]!r} of {factor!r} may mean a missing answer: {remedy}"
            yield Finding(text, is_certain=False)
        singles = [levels[i] for i in np.flatnonzero(table.margin([factor]).counts == 1)]
        if singles:
            yield Finding(
                f"the level {singles[0]!r} of {factor!r}, taken from the file, has a single "
                "record: the release reveals that somebody has it, unless --levels declares it",
                2 * len(singles) > len(levels),
            )
