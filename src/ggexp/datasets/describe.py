"""A commented configuration for a file that nobody described: a proposal, which runs unedited."""

import re
from collections import Counter
from math import inf, prod
from pathlib import Path
from typing import Any

from ggexp.datasets import kinds, proposal
from ggexp.datasets.kinds import Kind
from ggexp.datasets.proposal import Description
from ggexp.datasets.records import make_histogram
from ggexp.datasets.sniff import MISSING, Sniffed, is_number, sniff
from ggexp.datasets.tables import CELLS, LARGEST_TOTAL, make_table
from ggexp.datasets.text import shown

#: What a column of counts is called.
COUNTS = ("count", "counts", "freq", "frequency", "n", "cases", "number", "total")
#: Levels of all columns together, of which a configuration holds no more than 100,000 values.
VALUES = 50_000
#: Columns of a histogram: the number of its cells is printed, and has some thousand digits then.
COLUMNS = 1000
#: Data sets that config.yaml defines: another table needs another name.
TAKEN = ("mildew", "czech", "adult")
_ENDINGS = re.compile(r"(\.(csv|tsv|txt|data|dat|parquet|pq|gz|bz2|xz|zst|zip))+$", re.I)


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
    counted = _column_of_counts(sniffed)
    if counted is None:
        return _of_records(path, sniffed, target)
    if target is not None:
        raise ValueError(
            f"{path}: a target needs records, but this is a table of counts (the column "
            f"{sniffed.names[counted]!r}); leave out the target"
        )
    return _of_counts(path, sniffed, counted)


def name_of(path: str) -> str:
    """Return the name of a data set that is made of a file."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", _ENDINGS.sub("", Path(path).name))
    name = re.sub(r"\.{2,}", ".", name)[:34].strip("-._") or "table"
    return f"{name}-own" if name.casefold() in TAKEN else name


def _form(sniffed: Sniffed) -> dict[str, Any]:
    """Return what a configuration says of the form, as far as it is not the default."""
    form = sniffed.form
    said = {"separator": (form.separator, ","), "quote": (form.quote, '"')}
    said["encoding"] = (form.encoding, "utf-8")
    return {key: value for key, (value, default) in said.items() if value != default}


def _column_of_counts(sniffed: Sniffed) -> int | None:
    """Return the place of the column of counts, if each row is another cell and its count."""
    found = [place for place, name in enumerate(sniffed.names) if name.strip().casefold() in COUNTS]
    if not sniffed.header or len(found) != 1 or len(sniffed.names) < 2:
        return None
    (place,) = found
    others = [column for i, column in enumerate(sniffed.columns) if i != place]
    are_counts = all(count.isascii() and count.isdecimal() for count in sniffed.columns[place])
    cells = {*zip(*others, strict=True)}
    return place if are_counts and len(cells) == sniffed.records else None


def _of_counts(path: str, sniffed: Sniffed, counted: int) -> Description:
    names = [name for i, name in enumerate(sniffed.names) if i != counted]
    factors = {
        name: sorted({*column}, key=_natural)
        for i, (name, column) in enumerate(zip(sniffed.names, sniffed.columns, strict=True))
        if i != counted
    }
    if "" in names or "count" in names or len(factors) < len(names):
        raise ValueError(
            f"{path}: each factor needs a name of its own, which is not 'count', but they are "
            f"{shown(', '.join(map(repr, names)))}; name them all in the first line"
        )
    sizes = shown(", ".join(f"{name}: {len(levels):,}" for name, levels in factors.items()))
    if len(factors) > COLUMNS or sum(map(len, factors.values())) > VALUES:
        raise ValueError(f"{path}: too many factors or levels ({sizes}); use fewer")
    cells = prod(map(len, factors.values()))
    if cells > CELLS:
        raise ValueError(
            f"{path}: its factors have {cells:,} combinations of levels, at most {CELLS:,} can be "
            f"sanitized ({sizes}); use fewer factors or levels"
        )
    counts = sniffed.columns[counted]
    if any(len(count) > 20 for count in counts) or sum(map(int, counts)) > LARGEST_TOTAL:
        raise ValueError(f"{path}: the counts sum to more than {LARGEST_TOTAL}, the most allowed")
    settings: dict[str, Any] = {"counts": path, **_form(sniffed), "factors": factors}
    if sniffed.names[counted] != "count":
        settings["count"] = sniffed.names[counted]
    settings["total"] = sum(map(int, counts))
    if sniffed.records < cells:
        settings["omitted"] = "zero"
    _, values = make_table(settings, f"histograms.{name_of(path)}")
    taken = {name: Kind({"levels": levels}) for name, levels in factors.items()}
    filled = int((values > 0).sum())
    total = settings["total"]
    return Description(name_of(path), sniffed, settings, taken, total, cells, filled)


def _natural(level: str) -> tuple[float, str]:
    """Return what levels are sorted by: numbers by their size, before text."""
    return float(level) if is_number(level) else inf, level


def _of_records(path: str, sniffed: Sniffed, target: str | None) -> Description:
    notes: list[str] = []
    taken: dict[str, Kind] = {}
    missing: list[str] = []
    times = Counter(sniffed.names)
    for name, column in zip(sniffed.names, sniffed.columns, strict=True):
        if not name or times[name] > 1:
            notes.append(f"a column named {name!r}, as it has no name of its own")
            continue
        fields = [text for text in column if text not in MISSING]
        kind = kinds.kind_of(name, fields, sniffed.records)
        if kind.is_used and name == "count":
            kind = kinds.unused("its name is that of the cells' counts; rename it in the file")
        if kind.is_used and len(fields) < len(column):
            missing += [text for text in MISSING if text in column]
        taken[name] = kind
    used = [name for name, kind in taken.items() if kind.is_used]
    if not used:
        reasons = "; ".join(f"{name}: {kind.note}" for name, kind in taken.items())
        why = shown(reasons) or "none is named"
        raise ValueError(f"{path}: no column can be used as it is ({why})")
    values = len(taken) + sum(len(kind.levels) for kind in taken.values())
    if len(used) > COLUMNS or values > VALUES:
        raise ValueError(
            f"{path}: {len(used):,} columns can be used, of {values:,} columns and levels; "
            f"at most {COLUMNS:,} and {VALUES:,} are allowed: keep those you need"
        )
    settings: dict[str, Any] = {"file": path, **_form(sniffed), "header": sniffed.header}
    settings["columns"] = {name: kind.form for name, kind in taken.items()}
    settings["missing"] = [text for text in MISSING if text in missing]
    if target is not None:
        _check_target(path, target, taken)
        settings |= {"target": target, "training": "2/3"}
    whole = {key: settings[key] for key in settings if key not in ("target", "training")}
    made = make_histogram(whole, dataset=name_of(path), seed=0).tally
    if target is not None:  # records with a missing value are gone: whether two classes are left
        make_histogram(settings, dataset=name_of(path), seed=0)
    name, kept = name_of(path), made["kept"]
    return Description(name, sniffed, settings, taken, kept, made["bins"], made["cells"], notes)


def _check_target(path: str, target: str, taken: dict[str, Kind]) -> None:
    """Raise ValueError where a column cannot be what a machine predicts, and say what can be."""
    two = [name for name, kind in taken.items() if len(kind.levels) == 2]
    instead = f"columns of two are: {shown(', '.join(two)) or 'none'}"
    if target not in taken:
        raise ValueError(f"{path}: no column {target!r} to be the target; {instead}")
    kind = taken[target]
    if not kind.levels:
        why = kind.note or "it is numeric"
        raise ValueError(
            f"{path}: the target {target!r} must have two classes, but {why}; {instead}"
        )
    if len(kind.levels) > 2:
        raise ValueError(
            f"{path}: the target {target!r} must have two classes, but has {len(kind.levels)}; "
            f"make a column of two of them, or leave out the records of the others; {instead}"
        )
    if sum(one.is_used for one in taken.values()) < 2:
        raise ValueError(f"{path}: besides the target {target!r} no column can be used")
