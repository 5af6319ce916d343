"""The release of a table that may be published, from a data frame or a file, and its statement."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from ggexp import checks
from ggexp.checks import table_errors
from ggexp.datasets.columns import MISSING, text_of
from ggexp.datasets.declared import WAYS, Design, read, workload
from ggexp.datasets.layout import RecordsSettings, TableDesign
from ggexp.datasets.reader import Fields
from ggexp.datasets.sniff import detect_form
from ggexp.ranges import AnyOrder, Delta, Epsilon
from ggexp.releases.noisy_counts import RandomBytes, release_tables, released_noise
from ggexp.releases.statement import Statement

#: The largest number of rows of a table that a notebook shows.
MAX_ROWS = 10

Names = Sequence[str] | None


@dataclass(frozen=True, repr=False)
class Sanitized:
    """A release: its tables, and the statement of their guarantee.

    tables: with a row per cell, its levels and, in the last column, its noisy count.
    private_notes: remarks for the owner of the data, which must not be published.
    """

    tables: list[pd.DataFrame]
    statement: Statement
    private_notes: list[str]

    def __repr__(self) -> str:
        """Return the statement, and the remarks for the owner."""
        return "\n".join([str(self.statement), *(f"for you only: {n}" for n in self.private_notes)])

    def _repr_html_(self) -> str:
        """Return the tables and the statement, as notebooks show them."""
        shown = [table.to_html(index=False, max_rows=MAX_ROWS) for table in self.tables]
        return "\n".join([*shown, self.statement._repr_html_()])


def sanitize(
    data: "pd.DataFrame | str | PathLike[str]",
    *former: object,
    epsilon: Epsilon | None = None,
    delta: Delta | None = None,
    factors: Names = None,
    count: str | None = None,
    wide: str | None = None,
    tables: str | Sequence[str | Sequence[str]] = (),
    levels: Mapping[str, Sequence[Any]] | None = None,
    levels_from_file: bool = False,
    levels_from_categories: bool = False,
    missing: Literal["omit", "level"] | None = None,
    ignore: Names = None,
    totals: Names = None,
    keep_totals: bool = False,
    no_totals: bool = False,
    sheet: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    design: RecordsSettings | TableDesign | None = None,
    weights: Sequence[int] | None = None,
    consistent: bool = False,
    calibration: str | None = None,
    order: AnyOrder = None,
    rescale: bool = False,
    seed: int | None = None,
    _random_bytes: RandomBytes = secrets.token_bytes,
) -> Sanitized:
    """Return one release of a table, or of several tables of records, which may be published.

    **Each call is another release, and spends ε again**: of several releases of the same records,
    the ε and the δ add up. Call it once, and keep the result.

    The function does what the command ``ggexp sanitize`` does, with the same checks, and each
    argument is the option of this name (``ggexp sanitize --help``); messages name the option. By
    default the noise is integer-valued, and drawn exactly, from random bits of the operating
    system. The statement says what the guarantee covers; a release with a seed has none.

    data: a data frame, or a file in any format that ``ggexp describe`` reads. epsilon: there is no
    default. levels: all possible levels of a factor, by its name. levels_from_file: take the levels
    of other factors from those that occur. levels_from_categories: your word that the categories of
    categorical columns were not chosen from the data; they are then declared levels. design: the
    settings of a data set in a configuration, in place of factors, count, wide and levels.

    Raises RefusedTableError, a ValueError, if the data cannot be read or do not fit the design.

    >>> import pandas as pd
    >>> from ggexp import sanitize
    >>> survey = pd.DataFrame({"eyes": ["blue", "brown"] * 40, "sex": ["f"] * 30 + ["m"] * 50})
    >>> levels = {"eyes": ["blue", "brown", "green"], "sex": ["f", "m"]}
    >>> released = sanitize(survey, tables=[["eyes", "sex"]], levels=levels, epsilon=1)
    >>> len(released.tables[0]), released.statement.guarantee.value, released.statement.epsilon
    (6, 'ε-DP', 1.0)
    """
    if former or not isinstance(data, pd.DataFrame | str | PathLike):
        raise TypeError(
            "sanitize takes one data frame or file, and options by name, got "
            f"{', '.join(type(each).__name__ for each in (data, *former))}; ggexp.simulate makes "
            "releases of an array of counts for experiments, from a noise and a Generator"
        )
    given_tables = [tables] if isinstance(tables, str) else tables
    listed = [[each] if isinstance(each, str) else [*each] for each in given_tables]
    others = {"count": count, "wide": wide, "totals": totals, "keep-totals": keep_totals}
    named = [name for name, value in others.items() if value]
    needing = "--consistent" if consistent else "--weights"
    mistakes = {
        f"{needing} needs --tables": (consistent or weights) and not listed,
        "--order needs --calibration, because the default rules have no order": (
            calibration is None and order is not None
        ),
        f"--tables is for records, and excludes --{', --'.join(named)}": listed and named,
        "--keep-totals needs --totals, which names the totals": keep_totals and not totals,
    }
    for message in (text for text, is_made in mistakes.items() if is_made):
        raise ValueError(message)
    epsilon = float(checks.positive("epsilon", epsilon))
    if delta is not None:
        checks.unit("delta", delta)  # before the data are read, which may take minutes
    source = Fields.of_frame(data) if isinstance(data, pd.DataFrame) else Path(data)
    if design is None:
        known = {name: [*map(text_of, values)] for name, values in (levels or {}).items()}
        if levels_from_categories and isinstance(data, pd.DataFrame):
            for name, column in data.select_dtypes("category").items():
                known.setdefault(str(name), [*map(text_of, column.cat.categories)])
        form = {"sheet": sheet, "decimal": decimal, "thousands": thousands}
        design = _design(source, factors or (), count, wide, listed, known, form)
    declared = Design(
        _with_missing(design, missing),
        counts_missing=missing == "level",
        ignored=ignore or [],
        totals=totals or [],
        keeps_totals=keep_totals,
        has_no_totals=no_totals,
    )
    if (without := declared.factors_without_levels) and not levels_from_file:
        raise ValueError(
            f"the factor {without[0]!r} has no declared levels: --levels '{without[0]}=…' "
            "declares them, and --levels-from-file takes those that occur in the file"
        )
    _check_records(declared, rescaled=rescale, consistent=consistent)
    columns = workload([*design.attributes], listed) if isinstance(design, RecordsSettings) else []
    if listed and not columns:
        raise ValueError("--tables is for records, and the configuration has counts")
    if rescale and (keep_totals or len(columns) > 1):
        other = "several tables" if columns else "--keep-totals"
        raise ValueError(f"--rescale and {other} exclude each other")
    weights = weights or [1] * len(columns)
    if len(weights) != len(columns):
        raise ValueError(
            f"--weights must have a number for each of the {len(columns)} tables, "
            f"got {len(weights)}"
        )
    true = read(source, declared, columns)
    labels, facts = [table.labels for table in true], declared.facts(true)
    several = weights if len(columns) > 1 else ()
    noisy = released_noise(order, calibration, epsilon=epsilon, delta=delta, weights=several)
    choices: Any = {"seed": seed, "rescaled": rescale, "is_consistent": consistent}
    statement = Statement.of(true, facts, noisy, **choices)
    released = release_tables(true, noisy, **choices, random_bytes=_random_bytes)
    parts = zip(labels, true, released, strict=True)
    noisy_tables = [cells.assign(**{table.name: counts}) for cells, table, counts in parts]
    notes = dict.fromkeys(note for table in true for note in table.notes)
    return Sanitized(noisy_tables, statement, [*notes])


def _design(
    source: Path | Fields,
    factors: Sequence[str],
    count: str | None,
    wide: str | None,
    tables: Sequence[Sequence[str]],
    levels: Mapping[str, list[str]],
    form: Mapping[str, str | None],
) -> RecordsSettings | TableDesign:
    """Return the factors, their levels, the place of the counts and the form of the data."""
    if not factors and tables:
        factors = [*dict.fromkeys(name for each in tables for name in each)]
        if ways := {*WAYS} & {*factors}:
            raise ValueError(f"--tables {min(ways)} needs --factors, the columns to combine")
    if not factors or sum(map(bool, (count, wide, tables))) != 1:
        raise ValueError("a design needs --tables, or --factors with --count or --wide")
    names = [*factors, *([wide] if wide else [])]
    if len({*names}) < len(names) or count in names:
        raise ValueError(f"a column can have one role only, got {', '.join(names)}")
    known = {name: levels.get(name) for name in names}
    with table_errors():
        written = {} if isinstance(source, Fields) else detect_form(source).written()
    written |= {name: value for name, value in form.items() if value}
    if written.get("thousands") == ".":
        written.setdefault("decimal", ",")
    if not tables:
        table = {**written, "factors": known, "count": count or "count", "wide": wide}
        return TableDesign.read(table, "")
    columns = {name: (each and {"levels": each}) or "categorical" for name, each in known.items()}
    file = str(source.source if isinstance(source, Fields) else source)
    records = {**written, "file": file, "header": True, "columns": columns}
    return RecordsSettings.read(records, "")


def _with_missing(
    data: RecordsSettings | TableDesign, missing: str | None
) -> RecordsSettings | TableDesign:
    """Return the settings with the usual texts of missing answers if they name none."""
    if not missing:
        return data
    if not isinstance(data, RecordsSettings):
        raise ValueError("--missing is for records; in a table, each level has rows")
    return data if data.missing_texts else data.model_copy(update={"missing": [*MISSING]})


def _check_records(design: Design, *, rescaled: bool, consistent: bool) -> None:
    """Refuse what holds only if each record is counted, if the design leaves records out."""
    if design.tables_count_the_same_records:
        return
    left_out = "have a missing answer: --missing level counts them"
    if design.data.drop:
        left_out = "drop leaves out"
    if rescaled:
        raise ValueError(
            f"the total of the table is not public, because it lacks the records that {left_out}"
        )
    if consistent:
        raise ValueError(
            f"--consistent needs tables of the same records, but each lacks those that {left_out}"
        )
