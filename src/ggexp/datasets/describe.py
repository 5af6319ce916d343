"""A commented configuration for a file that nobody described: a proposal, which runs unedited."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ggexp.datasets import counted, kinds, proposal
from ggexp.datasets.choice import MIN_RECORDS_PER_CELL, Gaps, choose, propose
from ggexp.datasets.columns import Column, distinct
from ggexp.datasets.counted import NOTHING, Asked
from ggexp.datasets.expected import relative_error
from ggexp.datasets.kinds import Kind
from ggexp.datasets.proposal import ALL, STABILITY, Description
from ggexp.datasets.records import LISTED_CELLS, MAX_CLASSES, make_histogram
from ggexp.datasets.sniff import MISSING, Sniffed, sniff
from ggexp.datasets.tables import CELLS
from ggexp.datasets.text import in_words, shown, stem

#: Levels of all columns together, of which a configuration holds no more than 100,000 values.
MAX_LEVELS = 50_000
#: Columns of a histogram: the number of its cells is printed, and has some thousand digits then.
MAX_COLUMNS = 1000
#: Data sets that config.yaml defines: another table needs another name.
TAKEN = ("mildew", "czech", "adult")


def describe(path: str | Path, target: str | None = None, **options: Any) -> str:
    """Return a commented configuration in YAML for a file of records or of counts.

    path: of delimited text, perhaps compressed, of Parquet, Excel, Stata or SPSS; relative to the
        folder in which snakemake will be started. target: the column that an SVM is to predict, if
        any. options: of `examine`.
    It holds no value of the data but levels and rounded bounds.
    Raises ValueError naming the file, and the line or the columns, where it cannot be read or has
    no column that can be used; OSError where there is none.
    """
    return proposal.write(examine(path, target, **options))


def examine(
    path: str | Path,
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    asked: Asked = NOTHING,
) -> Description:
    """Return what a file holds; the arguments and errors are those of `describe`.

    columns: those of records that make the histogram; None proposes some. asked: what is known of a
        file of counts.
    """
    path = str(path)
    if re.search(r"[{}*?\x00-\x1f]", path):
        raise ValueError(f"{path!r}: a path must not contain {{, }}, * or ?; rename the file")
    sniffed = sniff(Path(path))
    if not counted.is_counts(sniffed, asked, by_name=bool(target or columns)):
        if asked.thousands:
            raise ValueError(f"{path}: --thousands is for counts, but this file holds records")
        return _of_records(path, sniffed, target, columns, asked.decimal)
    if target is not None or columns is not None:
        option = "--target" if target is not None else "--columns"
        raise ValueError(f"{path}: {option} is for records, but this file holds counts")
    return _of_counts(path, sniffed, asked)


def name_of(path: str) -> str:
    """Return the name of a data set that is made of a file."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", stem(path))
    name = re.sub(r"\.{2,}", ".", name)[:34].strip("-._") or "table"
    return f"{name}-own" if name.casefold() in TAKEN else name


def _form(sniffed: Sniffed) -> dict[str, Any]:
    """Return what a configuration says of the form, as far as it is not the default."""
    form = sniffed.form
    said = {"separator": (form.separator, ","), "quote": (form.quote, '"')}
    said["encoding"] = (form.encoding, "utf-8")
    return {key: value for key, (value, default) in said.items() if value != default}


def _of_counts(path: str, sniffed: Sniffed, asked: Asked) -> Description:
    counts = counted.read_counts(path, sniffed, asked)
    factors = counts.factors
    if (levels := sum(map(len, factors.values()))) > MAX_LEVELS:
        raise ValueError(
            f"{path}: the factors have {levels:,} levels, at most {MAX_LEVELS:,} are allowed"
        )
    cells = prod(map(len, factors.values()))
    if cells > CELLS:
        raise ValueError(
            f"{path}: the factors have {in_words(cells)} combinations of levels, at most {CELLS:,} "
            "are allowed"
        )
    values = np.zeros(cells, dtype=np.int64)
    values[: len(counts.cells)] = [*counts.cells.values()]
    settings = {"counts": path, **_form(sniffed), **counted.settings_of(counts)}
    return Description(
        name_of(path),
        sniffed,
        settings,
        {name: Kind({"levels": known}) for name, known in factors.items()},
        total=settings["total"],
        released=settings["total"],
        cells=cells,
        filled=int((values > 0).sum()),
        error=relative_error(values) if values.any() else 0.0,
        notes=counts.left_out,
        warnings=counts.warnings,
    )


def _of_records(
    path: str,
    sniffed: Sniffed,
    target: str | None,
    wanted: Sequence[str] | None,
    mark: str | None,
) -> Description:
    notes, columns, taken, decimal = _classified(sniffed, mark)
    used = [name for name, kind in taken.items() if kind.is_used]
    if not used:
        reasons = [f"{name}: {kind.note}" for name, kind in taken.items()]
        why = shown("; ".join([*notes, *counted.warnings_of(sniffed), *reasons]))
        raise ValueError(f"{path}: no column can be used ({why})")
    if target is not None:
        _check_target(path, target, taken)
    gaps = _gaps({name: columns[name] for name in used})
    usable = {name: taken[name] for name in used}
    if wanted is None:
        chosen = propose(usable, gaps, target)
    else:
        chosen = choose(path, usable, gaps, target, _checked(path, wanted, taken))
    taken |= chosen.others | chosen.columns
    forms = {name: kind.form for name, kind in taken.items() if name not in chosen.others}
    values = len(forms) + sum(kind.values for kind in chosen.columns.values())
    if len(chosen.columns) > MAX_COLUMNS or values > MAX_LEVELS:
        raise ValueError(
            f"{path}: {len(chosen.columns):,} columns with {values:,} names and levels are chosen; "
            f"at most {MAX_COLUMNS:,} columns and {MAX_LEVELS:,} names and levels are allowed"
        )
    if not sniffed.header:  # then every column is named, in the file's order
        forms = {name: forms.get(name, "unused") for name in taken}
    missing = {text for text in MISSING if any(columns[name].has(text) for name in chosen.columns)}
    settings: dict[str, Any] = {"file": path, **_form(sniffed), "header": sniffed.header}
    if decimal != ".":
        settings["decimal"] = decimal
    settings["columns"] = forms
    settings["missing"] = [text for text in MISSING if text in missing]
    if target is not None:
        settings["training"] = "2/3"
    name = name_of(path)
    made = make_histogram(settings, dataset=name, seed=0, target=target)
    tally, counts = made.tally, made.cells["count"].to_numpy()
    release = ALL if tally["bins"] <= LISTED_CELLS else STABILITY
    found = Description(
        name,
        sniffed,
        settings,
        taken,
        total=tally["kept"],
        released=tally["training"],
        cells=tally["bins"],
        filled=tally["cells"],
        offered=[*chosen.others],
        notes=notes,
        warnings=[*counted.warnings_of(sniffed)],
        target=target,
        release=release,
    )
    if release == ALL:
        error = relative_error(np.pad(counts, (0, found.cells - counts.size)))
    else:
        error = relative_error(counts, delta=float(found.delta))
    if found.cells * MIN_RECORDS_PER_CELL > found.released:
        found.warnings.append(
            f"{in_words(found.cells)} cells for {found.released:,} records: the noise exceeds most "
            "counts; use fewer columns, or wider bins"
        )
    if 2 * found.total < sniffed.records:
        found.warnings.append(f"{sniffed.records - found.total:,} records have a missing value")
    return replace(found, error=error)


def _gaps(columns: Mapping[str, Column]) -> Gaps:
    """Return which records lack a value in which columns."""
    lacking = {
        name: column.among(MISSING).to_numpy(zero_copy_only=False)[column.codes].astype(np.uint8)
        for name, column in columns.items()
    }
    kinds, records = distinct(
        [*lacking.values()], [int(lacks.max()) + 1 for lacks in lacking.values()]
    )
    return Gaps({name: kind > 0 for name, kind in zip(columns, kinds, strict=True)}, records)


def _classified(
    sniffed: Sniffed, mark: str | None
) -> tuple[list[str], dict[str, Column], dict[str, Kind], str]:
    """Return notes on names, the columns by their names, what each is, and the decimal mark."""
    times = Counter(sniffed.names)
    notes = [
        f"{many} columns named {name!r}: names must be unique"
        if name
        else f"{many} column{'s' * (many > 1)} without a name"
        for name, many in times.items()
        if not name or many > 1
    ]
    columns = {
        name: column
        for name, column in zip(sniffed.names, sniffed.columns, strict=True)
        if name and times[name] == 1
    }
    present = {name: column.without(MISSING) for name, column in columns.items()}
    decimal = mark or kinds.decimal_mark(texts for texts, _ in present.values())
    taken: dict[str, Kind] = {}
    for name, (texts, counts) in present.items():
        kind = kinds.kind_of(name, texts, counts, sniffed.records, decimal)
        if kind.is_used and name == "count":
            kind = kinds.unused("the name is reserved for the counts of cells; rename the column")
        taken[name] = kind
    return notes, columns, taken, decimal


def _checked(path: str, wanted: Sequence[str], taken: Mapping[str, Kind]) -> list[str]:
    """Return the columns that are wanted; ValueError for one that is not there or not usable."""
    for name in wanted:
        if name not in taken:
            raise ValueError(
                f"{path}: no column {name!r}; the columns are {shown(', '.join(taken))}"
            )
        if not taken[name].is_used:
            raise ValueError(f"{path}: the column {name!r} cannot be used: {taken[name].note}")
    return list(dict.fromkeys(wanted))


def _check_target(path: str, target: str, taken: dict[str, Kind]) -> None:
    """Raise ValueError where a column cannot be what a classifier predicts, and say what can be."""
    allowed = range(2, MAX_CLASSES + 1)
    able = [name for name, kind in taken.items() if len(kind.levels) in allowed]
    instead = f"possible columns: {shown(', '.join(able)) or 'none'}"
    if target not in taken:
        raise ValueError(
            f"{path}: no column {target!r}; a target must have 2 to {MAX_CLASSES} classes; "
            f"{instead}"
        )
    kind = taken[target]
    if len(kind.levels) not in allowed:
        why = f"has {len(kind.levels):,}" if kind.levels else kind.note or "it is numeric"
        raise ValueError(
            f"{path}: the target {target!r} must have 2 to {MAX_CLASSES} classes, but {why}; "
            f"{instead}"
        )
    if sum(kind.is_used for kind in taken.values()) < 2:
        raise ValueError(f"{path}: besides the target {target!r} no column can be used")
