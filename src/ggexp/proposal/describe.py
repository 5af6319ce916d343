"""Propose a configuration for a data file; it has comments, and can be run unedited.

A proposal has few enough columns and bins that cells contain several records. Noise is added to
every cell of the domain, including the empty ones: with five records per cell of the domain, the
relative error of a table is about 10 to 17 % at ε = 1. The columns are taken in the file's order,
so that the choice depends on the data as little as possible.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

import numpy as np
import pandas as pd

from ggexp.datasets import lines
from ggexp.datasets.columns import MISSING, Column, is_number, outlying_codes
from ggexp.datasets.form import Form, stem
from ggexp.datasets.reader import Fields
from ggexp.datasets.records import MAX_CLASSES, MAX_LISTED_CELLS, make_histogram
from ggexp.datasets.sniff import sniff
from ggexp.proposal import guess, roles
from ggexp.proposal.configuration import Description, training
from ggexp.proposal.guess import MAX_LEVELS, NO_OPTIONS, CountOptions
from ggexp.proposal.roles import Role
from ggexp.releases.kinds import ALL, KINDS, STABILITY, relative_error
from ggexp.section import NOT_IN_PATHS, PATH
from ggexp.words import in_words, shortened

#: Largest number of columns of a histogram. Its number of cells may have a thousand digits then.
MAX_COLUMNS = 1000
#: Share of records with a missing value above which a warning is given.
MAX_INCOMPLETE = 0.05
#: Data sets that config.yaml defines: another table needs a different name.
RESERVED_NAMES = ("mildew", "czech", "adult")
MAX_NAME = 34  # characters of a data set's name
#: Smallest mean number of records per cell that a proposal leaves, if possible.
MIN_RECORDS_PER_CELL = 5
#: Smallest and largest number of columns of a proposal, including the target, if there are enough.
MIN_CHOSEN, MAX_CHOSEN = 3, 5
#: Approximate numbers of bins of a numeric column, tried in this order until the columns fit.
BIN_COUNTS = (10, 5, 3, 2)
#: The share of the records in the histogram if the other records test a classifier.
TRAINING_SHARE = 2 / 3


def examine(
    path: str | Path,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    count_options: CountOptions = NO_OPTIONS,
    name: str | None = None,
) -> Description:
    """Return a description of a file of records or of counts; the parameters are those of a user.

    path: relative to the folder of the run.
    Levels and rounded bounds are the only values of the data in the configuration.
    """
    path = str(path)
    if name is not None and name != name_of(name):
        raise ValueError(
            f"the name must consist of at most {MAX_NAME} letters, digits, '.', '_' and '-', must "
            f"not be {', '.join(RESERVED_NAMES)}, and must not begin or end with '.', '_' or '-', "
            f"got {name!r}"
        )
    name = name or name_of(stem(path))
    if not re.fullmatch(PATH, path):
        raise ValueError(
            f"{path!r}: must be a path without {NOT_IN_PATHS}; rename the file or its folder"
        )
    form = None if count_options.sheet is None else Form(sheet=count_options.sheet)
    fields = sniff(Path(path), form)
    if not guess.is_counts(fields, count_options, by_name=bool(target or columns)):
        description = _examine_records(name, fields, target, columns, count_options)
    elif target is not None or columns is not None:
        option = "--target" if target is not None else "--columns"
        raise ValueError(f"{path}: {option} is for records, but this file holds counts")
    else:
        description = guess.guess_table(fields, count_options, name)
    if not (table := description.table).total:
        return description
    kind = KINDS[description.release](table.combinations)
    listed = np.pad(table.counts, (0, table.absent if kind.lists_empty else 0))
    error = relative_error(listed, kind, delta=float(description.delta))
    return replace(description, error=error)


def name_of(text: str) -> str:
    """Return a name for a data set, which has as much of a text as names may have."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", text)
    name = re.sub(r"\.{2,}", ".", name)[:MAX_NAME].strip("-._") or "table"
    return f"{name}-own" if name.casefold() in RESERVED_NAMES else name


def _examine_records(
    name: str,
    fields: Fields,
    target: str | None,
    wanted: Sequence[str] | None,
    options: CountOptions,
) -> Description:
    path = str(fields.source)
    notes, columns, column_roles, form = _classify(fields, options)
    for column in {*(wanted or ())} & {*column_roles}:
        column_roles[column] = column_roles[column].with_bins(BIN_COUNTS[0])
    used = {name: role for name, role in column_roles.items() if role.is_used}
    if not used:
        reasons = [f"{name}: {role.note}" for name, role in column_roles.items()]
        details = shortened("; ".join([*notes, *guess.warnings_of(fields), *reasons]))
        raise ValueError(f"{path}: no column can be used ({details})")
    if target is not None:
        _check_target(path, target, column_roles)
    codes = dict.fromkeys(code for role in used.values() for code in role.missing)
    gaps = pd.DataFrame({name: columns[name].records_with([*MISSING, *codes]) for name in used})
    choice = ColumnChoice(used, gaps, target)
    if wanted is None:
        binned, chosen = choice.propose()
    else:
        _check_columns(path, wanted, column_roles, target)
        chosen = [*dict.fromkeys([*wanted, *([target] if target else [])])]
        binned = choice.with_bins(chosen)
    column_roles |= binned
    offered = [name for name in used if name not in chosen]
    forms = {name: role.written for name, role in column_roles.items() if name not in offered}
    values = len(forms) + sum(binned[name].values for name in chosen)
    if len(chosen) > MAX_COLUMNS or values > MAX_LEVELS:
        raise ValueError(
            f"{path}: {len(chosen):,} columns with {values:,} names and levels are chosen; "
            f"at most {MAX_COLUMNS:,} columns and {MAX_LEVELS:,} names and levels are allowed"
        )
    if not fields.header:  # then all columns must be listed, in the file's order
        forms = {name: forms.get(name, roles.UNUSED) for name in column_roles}
    missing = (text for text in MISSING if any(columns[name].has(text) for name in chosen))
    settings = {"file": path, **form.model_dump(exclude_defaults=True), "header": fields.header}
    settings |= {"columns": forms, "missing": [*missing, *codes]}
    settings |= {} if target is None else {"training": "2/3"}
    histogram = make_histogram(settings, dataset=name, seed=0, target=target, rows=fields)
    description = Description(
        name,
        fields,
        histogram.layout,
        column_roles,
        histogram.table,
        histogram.tally["kept"],
        offered=offered,
        notes=notes,
        warnings=[*fields.notes, *guess.warnings_of(fields)],
        target=target,
        release=ALL if histogram.table.combinations <= MAX_LISTED_CELLS else STABILITY,
    )
    description.warnings.extend(_warnings_on_records(description, columns))
    return description


def _warnings_on_records(file: Description, columns: Mapping[str, Column]) -> Iterator[str]:
    """Yield warnings on the first line, few or incomplete records, identifiers and weights."""
    first = [column.text_of(0) for column in file.fields.columns]
    if not file.fields.header and not any(map(is_number, first)):
        yield (
            f"the first line is read as a record: {shortened(','.join(first))}; if it names the "
            "columns, give them names that are no values"
        )
    cells, counted = file.table.combinations, file.table.total
    if cells * MIN_RECORDS_PER_CELL > counted:
        yield (
            f"{in_words(cells)} cells for {counted:,} records: the noise exceeds most counts; use "
            "fewer columns, or wider bins"
        )
    if file.target and (warning := training(file)["warning"]):
        yield warning
    incomplete = 1 - file.total / file.fields.records
    if incomplete > MAX_INCOMPLETE:
        yield f"{incomplete:.0%} of the records are left out as missing"
    identifiers = {name for name, role in file.roles.items() if role.is_identifier}
    yield from lines.warnings(columns.values(), identifiers)
    for name, role in file.roles.items():
        if role.missing:
            yield (
                f"{name!r} has codes far outside of its other values, which are read as missing: "
                f"{', '.join(role.missing)}"
            )


def _classify(
    fields: Fields, options: CountOptions
) -> tuple[list[str], dict[str, Column], dict[str, Role], Form]:
    """Return notes on names, the columns and roles by name, and how the file is written."""
    occurrences = Counter(fields.names)
    notes = []
    for name, count in occurrences.items():
        if not name:
            notes.append(f"{count} column{'s' * (count > 1)} without a name")
        elif count > 1:
            notes.append(f"{count} columns named {name!r}: names must be unique")
    columns = {n: column for n, column in fields.by_name.items() if n and occurrences[n] == 1}
    present = {name: column.without(MISSING)[0] for name, column in columns.items()}
    decimal = options.decimal or roles.decimal_mark(present.values())
    marks = {"decimal": decimal, "thousands": options.thousands or ""}
    form = fields.form.model_copy(update=marks)
    codes = {name: outlying_codes(own, form.plain_texts(own)) for name, own in present.items()}
    values = {  # missing values are the same for all columns; identifiers are not used
        code
        for code in {code for own in codes.values() for code in own}
        for name, column in columns.items()
        if code not in codes[name] and column.has(code) and len(column.texts) < len(column)
    }
    column_roles: dict[str, Role] = {}
    for name, column in columns.items():
        missing = [code for code in codes[name] if code not in values]
        role = roles.role_of(column, missing, form)
        role = role if column.flaw else replace(role, missing=missing)
        if role.is_used and name == "count":
            role = Role(None, "the name is reserved for the counts of cells; rename the column")
        if unsure := ", ".join(code for code in codes[name] if code in values):
            note = f"may stand for a missing value: {unsure}; if so, drop leaves it out"
            role = replace(role, note=role.note or note)
        column_roles[name] = role
    return notes, columns, column_roles, form


def _check_columns(
    path: str, wanted: Sequence[str], column_roles: Mapping[str, Role], target: str | None
) -> None:
    for name in wanted:
        if name not in column_roles:
            known = shortened(", ".join(column_roles))
            raise ValueError(f"{path}: no column {name!r}; the columns are {known}")
        if not (role := column_roles[name]).is_used:
            raise ValueError(f"{path}: the column {name!r} cannot be used: {role.note}")
    if {*wanted} <= {target}:
        raise ValueError(f"{path}: a column besides the target {target!r} must be chosen")


def _check_target(path: str, target: str, column_roles: dict[str, Role]) -> None:
    """Raise ValueError, with the possible targets, if a classifier cannot predict this column."""
    allowed = range(2, MAX_CLASSES + 1)
    possible = [name for name, role in column_roles.items() if len(role.levels) in allowed]
    if target not in possible:
        reason = "there is no such column"
        if role := column_roles.get(target):
            reason = f"has {len(role.levels):,}" if role.levels else role.note or "it is numeric"
        raise ValueError(
            f"{path}: the target {target!r} must have 2 to {MAX_CLASSES} classes, but {reason}; "
            f"possible columns: {shortened(', '.join(possible)) or 'none'}"
        )
    if sum(role.is_used for role in column_roles.values()) < 2:
        raise ValueError(f"{path}: besides the target {target!r} no column can be used")


@dataclass(frozen=True)
class ColumnChoice:
    """The choice of columns that leave enough of their complete records per cell.

    usable: in the file's order. gaps: for each record, whether a value is missing.
    """

    usable: Mapping[str, Role]
    gaps: pd.DataFrame
    target: str | None

    def propose(self) -> tuple[dict[str, Role], list[str]]:
        """Return the columns with bins, and the names of three to five of them, or of fewer.

        The number of bins is the largest with which three columns fit. If there is none, the
        columns with the fewest values come first. As long as missing values exclude more than half
        of the records, the column whose omission saves the most records is left out.
        """
        candidates = [name for name in self.usable if name != self.target]
        while True:
            binned, names = self._first_fitting(candidates)
            others = [name for name in names if name != self.target]
            omissible = [name for name in others if self._lost([name])]
            if 2 * self._lost(names) <= len(self.gaps) or not omissible or len(others) == 1:
                return binned, names
            still_lost = {
                name: (self._lost([other for other in names if other != name]), -self._lost([name]))
                for name in omissible
            }
            candidates.remove(min(still_lost, key=still_lost.__getitem__))

    def with_bins(self, names: Sequence[str]) -> dict[str, Role]:
        """Return the columns with the most bins with which the named ones fit, if any do."""
        for binned in self._binned():
            if self._fits(binned, names):
                break
        return binned

    def _binned(self) -> Iterator[dict[str, Role]]:
        """Yield the columns with fewer and fewer bins."""
        for bins in BIN_COUNTS:
            yield {name: role.with_bins(bins) for name, role in self.usable.items()}

    def _first_fitting(self, candidates: Sequence[str]) -> tuple[dict[str, Role], list[str]]:
        """Return the columns with bins, and the first of the candidates that fit together."""
        needed = min(MIN_CHOSEN, len(candidates) + (self.target is not None))
        for binned in self._binned():
            chosen = self._fitting(binned, candidates)
            if len(chosen) >= needed:
                return binned, chosen
        smallest = sorted(candidates, key=lambda name: binned[name].values)
        chosen = self._fitting(binned, smallest)
        return binned, [*chosen, smallest[0]] if {*chosen} <= {self.target} else chosen

    def _fitting(self, binned: Mapping[str, Role], names: Iterable[str]) -> list[str]:
        """Return the target, and in turn each name whose column fits together with the others."""
        chosen = [] if self.target is None else [self.target]
        for name in names:
            if len(chosen) < MAX_CHOSEN and self._fits(binned, [*chosen, name]):
                chosen.append(name)
        return chosen

    def _fits(self, binned: Mapping[str, Role], names: Sequence[str]) -> bool:
        """Return whether columns leave enough of their complete records per cell."""
        share = 1 if self.target is None else TRAINING_SHARE
        cells = prod(binned[name].values for name in names)
        if cells > MAX_LISTED_CELLS:
            return False
        return cells <= share * (len(self.gaps) - self._lost(names)) / MIN_RECORDS_PER_CELL

    def _lost(self, names: Sequence[str]) -> int:
        """Return how many records have a missing value in these columns."""
        return int(self.gaps[[*names]].any(axis="columns").sum())
