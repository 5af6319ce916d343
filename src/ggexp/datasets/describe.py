"""A commented configuration for a file that nobody described: a proposal, which runs unedited."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from ggexp.datasets import counted, kinds, proposal
from ggexp.datasets.kinds import Kind
from ggexp.datasets.proposal import Description
from ggexp.datasets.records import MAX_CLASSES, make_histogram
from ggexp.datasets.sniff import MISSING, Sniffed, sniff
from ggexp.datasets.tables import LARGEST_TOTAL, make_table
from ggexp.datasets.text import shown, stem

#: Levels of all columns together, of which a configuration holds no more than 100,000 values.
MAX_LEVELS = 50_000
#: Columns of a histogram: the number of its cells is printed, and has some thousand digits then.
MAX_COLUMNS = 1000
#: Data sets that config.yaml defines: another table needs another name.
TAKEN = ("mildew", "czech", "adult")
#: Bins that a numeric column has about: fewer where cells would hold less than so many records.
BINS, MIN_RECORDS_PER_CELL = (10, 5, 3), 5


def describe(path: str | Path, target: str | None = None) -> str:
    """Return a commented configuration in YAML for a file of records or of counts.

    path: CSV, with whatever separator, perhaps compressed, or Parquet; relative to the folder in
        which snakemake will be started. target: the column that a machine is to predict, if any.
    It holds no value of the data but levels and rounded bounds.
    Raises ValueError naming the file, and the line or the columns, where it cannot be read or has
    no column that can be used; OSError where there is none.
    """
    return proposal.write(examine(path, target))


def examine(path: str | Path, target: str | None = None) -> Description:
    """Return what a file holds; the arguments and errors are those of `describe`."""
    path = str(path)
    if re.search(r"[{}*?\x00-\x1f]", path):
        raise ValueError(f"{path!r}: a path with {{, }}, * or ? cannot be used; rename the file")
    sniffed = sniff(Path(path))
    table = counted.find_counts(sniffed)
    if table is None:
        return _of_records(path, sniffed, target)
    if target is not None:
        raise ValueError(
            f"{path}: a target needs records, but this is a table of counts (the column "
            f"{sniffed.names[table[0]]!r}); leave out the target"
        )
    return _of_counts(path, sniffed, *table)


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


def _of_counts(path: str, sniffed: Sniffed, place: int, places: Sequence[int]) -> Description:
    names = [sniffed.names[i] for i in places]
    factors = counted.levels_of(sniffed, places)
    if "" in names or "count" in names or len(factors) < len(names):
        raise ValueError(
            f"{path}: each factor needs a name of its own, which is not 'count', but they are "
            f"{shown(', '.join(map(repr, names)))}; name them all in the first line"
        )
    if (levels := sum(map(len, factors.values()))) > MAX_LEVELS:
        raise ValueError(
            f"{path}: its factors have {levels:,} levels, at most {MAX_LEVELS:,}; use fewer"
        )
    cells = prod(map(len, factors.values()))
    counts = sniffed.columns[place]
    if any(len(count) > 20 for count in counts) or sum(map(int, counts)) > LARGEST_TOTAL:
        raise ValueError(f"{path}: the counts sum to more than {LARGEST_TOTAL}, the most allowed")
    settings: dict[str, Any] = {"counts": path, **_form(sniffed), "factors": factors}
    if sniffed.names[place] != "count":
        settings["count"] = sniffed.names[place]
    settings["total"] = sum(map(int, counts))
    if sniffed.records < cells:
        settings["omitted"] = "zero"
    _, values = make_table(settings, f"histograms.{name_of(path)}")
    taken = {name: Kind({"levels": levels}) for name, levels in factors.items()}
    filled = int((values > 0).sum())
    total = settings["total"]
    return Description(name_of(path), sniffed, settings, taken, total, cells, filled)


def _of_records(path: str, sniffed: Sniffed, target: str | None) -> Description:
    proposals = (_proposed(path, sniffed, bins) for bins in BINS)
    found = next(proposals)
    if any("width" in kind.form for kind in found.kinds.values()) and _has_few(found):
        found = next((coarser for coarser in proposals if not _has_few(coarser)), found)
    if target is not None:
        _check_target(path, target, found.kinds)
        found.settings["training"] = "2/3"
        found = replace(found, target=target)
        # records with a missing value are gone: whether two classes are left
        make_histogram(found.settings, dataset=found.name, seed=0, target=target)
    found.doubts.extend(counted.doubts(sniffed))
    if _has_few(found):
        found.doubts.append(
            "cells hold few records, and drown in noise: write unused for columns that you can "
            "spare, or take wider bins"
        )
    return found


def _has_few(found: Description) -> bool:
    """Return whether its cells hold few records."""
    return found.filled * MIN_RECORDS_PER_CELL > found.total


def _proposed(path: str, sniffed: Sniffed, bins: int) -> Description:
    """Return what a file of records holds, with about so many bins of each numeric column."""
    times = Counter(sniffed.names)
    notes = [
        f"{many} columns named {name!r}: each needs a name of its own"
        if name
        else f"{many} without a name"
        for name, many in times.items()
        if not name or many > 1
    ]
    columns = {
        name: column
        for name, column in zip(sniffed.names, sniffed.columns, strict=True)
        if name and times[name] == 1
    }
    present = {
        name: [text for text in column if text not in MISSING] for name, column in columns.items()
    }
    decimal = kinds.decimal_mark(present.values())
    taken: dict[str, Kind] = {}
    for name, fields in present.items():
        kind = kinds.kind_of(name, fields, sniffed.records, bins, decimal)
        if kind.is_used and name == "count":
            kind = kinds.unused("its name is that of the cells' counts; rename it if it is none")
        taken[name] = kind
    _leave_out_the_emptiest(taken, columns, sniffed.records)
    used = [name for name, kind in taken.items() if kind.is_used]
    if not used:
        reasons = [f"{name}: {kind.note}" for name, kind in taken.items()]
        why = shown("; ".join([*notes, *counted.doubts(sniffed), *reasons]))
        raise ValueError(f"{path}: no column can be used as it is ({why})")
    values = len(taken) + sum(len(kind.levels) for kind in taken.values())
    if len(used) > MAX_COLUMNS or values > MAX_LEVELS:
        raise ValueError(
            f"{path}: {len(used):,} columns can be used, of {values:,} columns and levels; "
            f"at most {MAX_COLUMNS:,} and {MAX_LEVELS:,} are allowed: keep those you need"
        )
    missing = {*MISSING} & {text for name in used for text in columns[name]}
    settings: dict[str, Any] = {"file": path, **_form(sniffed), "header": sniffed.header}
    if decimal != ".":
        settings["decimal"] = decimal
    settings["columns"] = {name: kind.form for name, kind in taken.items()}
    settings["missing"] = [text for text in MISSING if text in missing]
    name = name_of(path)
    made = make_histogram(settings, dataset=name, seed=0).tally
    total, cells, filled = made["kept"], made["bins"], made["cells"]
    return Description(name, sniffed, settings, taken, total, cells, filled, notes)


def _leave_out_the_emptiest(
    taken: dict[str, Kind], columns: Mapping[str, Sequence[str]], records: int
) -> None:
    """Leave out columns with many missing values, until half of the records are complete."""
    gaps = {
        name: [line for line, text in enumerate(columns[name]) if text in MISSING]
        for name, kind in taken.items()
        if kind.is_used
    }
    lacking = Counter(line for lines in gaps.values() for line in lines)
    for name in sorted(gaps, key=lambda name: -len(gaps[name])):
        if 2 * len(lacking) <= records:
            break
        note = f"{len(gaps[name]):,} of its values are missing, and with it most records incomplete"
        taken[name] = kinds.unused(note)
        lacking.subtract(gaps[name])
        lacking = +lacking


def _check_target(path: str, target: str, taken: dict[str, Kind]) -> None:
    """Raise ValueError where a column cannot be what a machine predicts, and say what can be."""
    allowed = range(2, MAX_CLASSES + 1)
    able = [name for name, kind in taken.items() if len(kind.levels) in allowed]
    instead = f"columns that have: {shown(', '.join(able)) or 'none'}"
    if target not in taken:
        raise ValueError(
            f"{path}: no column {target!r} to be the target, which must have 2 to {MAX_CLASSES} "
            f"classes; {instead}"
        )
    kind = taken[target]
    if len(kind.levels) not in allowed:
        why = f"has {len(kind.levels):,}" if kind.levels else kind.note or "it is numeric"
        raise ValueError(
            f"{path}: the target {target!r} must have 2 to {MAX_CLASSES} classes, but {why}; "
            f"{instead}"
        )
    if sum(one.is_used for one in taken.values()) < 2:
        raise ValueError(f"{path}: besides the target {target!r} no column can be used")
