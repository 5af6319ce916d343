"""Files with a count for each of their cells or each non-empty one."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.checks import MAX_TOTAL
from ggexp.datasets.form import line_error
from ggexp.datasets.layout import TableDesign, TableSettings
from ggexp.datasets.reader import Fields
from ggexp.datasets.sniff import sniff
from ggexp.datasets.table import Table

#: The name given to a wide table's unnamed column, which holds the names of its rows.
ROW_NAMES = "row"
#: A number with decimal or thousands marks.
_MARKED = re.compile(r"\d[\d.,' \u00a0\u202f’]*", re.ASCII)


def read_counts(fields: Fields, design: TableDesign) -> Table:
    """Return the table of counts in a file whose first line names its columns.

    It has a cell for each combination of levels that has a count, in the file's order.
    """
    fields = named_rows(fields, design)
    named, counted = design.row_factors, design.counted
    columns = fields.select([*named, *counted])
    labels = [columns[name] for name in named]
    kept = np.ones(fields.records, dtype=bool)
    for column in labels:
        kept &= ~column.records_with(design.drop.get(column.name, ()))
    factors: dict[str, Sequence[str]] = {}
    codes: dict[str, NDArray[np.int64]] = {}
    sources = {}
    for column in labels:
        name, levels = column.name, design.factors[column.name]
        factors[name], positions = fields.code(column, levels, kept, design.drop.get(name, ()))
        codes[name] = positions[column.codes]
        if not levels:
            sources[name] = column.levels_from
    numbers = []
    for name in counted:
        column, required = columns[name], "a non-negative whole number"
        texts = column.texts.to_pylist()
        values = [design.parse(text) for text in texts]
        invalid = np.array([value is None for value in values])
        marked = invalid & [_MARKED.fullmatch(text) is not None for text in texts]
        hint = f"{required} (--decimal and --thousands name its separators)"
        fields.check(column, marked, hint, kept)
        fields.check(column, invalid, required, kept)
        limited = np.array([min(value or 0, MAX_TOTAL + 1) for value in values], dtype=np.int64)
        fields.check(column, limited > MAX_TOTAL, f"at most {MAX_TOTAL}", kept)
        numbers.append(limited[column.codes])
    cells = pd.DataFrame(codes)[kept]
    for record in cells.index[cells.duplicated()][:1]:
        first = cells.index[(cells == cells.loc[record]).all(axis="columns")][0]
        cell = ",".join(column.text_of(record) for column in labels)
        message = f"a second row for the cell {cell}; the first is line {fields.line(first)}"
        raise line_error(fields.source, fields.line(int(record)), message)
    codes = {name: np.repeat(code[kept], len(counted)) for name, code in codes.items()}
    if design.wide is not None:
        codes[design.wide] = np.tile(np.arange(len(counted)), kept.sum())
        factors[design.wide] = counted
    table = Table(
        {name: factors[name] for name in design.factors},
        [codes[name] for name in design.factors],
        np.column_stack(numbers)[kept].ravel(),
        design.count if design.wide is None else "count",
        sources,
        fields.notes,
    )
    if table.total > MAX_TOTAL:
        raise ValueError(
            f"{fields.source}: the counts sum to {table.total}, at most {MAX_TOTAL} is allowed"
        )
    return table


def make_table(settings: Mapping[str, Any], key: str) -> Table:
    """Return the table described by a data set's settings, and checked against them.

    settings: ``histograms: …:`` of a configuration. key: their path.
    The cells are in the file's order; if it omits empty ones, all are in the order of the levels.
    """
    checked = TableSettings.read(TableSettings.part_of(settings), key)
    path = checked.counts
    table = read_counts(sniff(path, checked, header=True), checked)
    if checked.omitted == "zero":
        table = table.completed(path)
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


def named_rows(fields: Fields, design: TableDesign) -> Fields:
    """Return the rows of a table; an unnamed column of a wide table gets the name `ROW_NAMES`."""
    return fields if design.wide is None else fields.named(n or ROW_NAMES for n in fields.names)
