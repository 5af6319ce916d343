"""Pages of a run, from the Jinja templates of the workflow."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from ggexp.run.storage import replacing

VERDICTS = ("confirmed", "by construction", "partly", "refuted", "undecided")
LONG = 70  # characters: a longer cell has its own width


def render(template: Path, **names: Any) -> str:
    """Return the page that a template renders from some names.

    template: a file, which may include files beside it. Values in HTML (a name that ends in
        .html.j2) are escaped. The filters `columns` and `rows` give the table of a data frame.
    Raises jinja2.UndefinedError if the template uses another name.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template.parent),
        autoescape=jinja2.select_autoescape(("html.j2",), default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"columns": columns, "rows": rows}
    return environment.get_template(template.name).render(names)


def write(file: str | Path, page: str) -> None:
    """Write a page atomically."""
    with replacing(file) as temporary:
        temporary.write_text(page, "utf-8")


def columns(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the name of each column and its kind: "number" or nothing."""
    return [
        (str(name), "number" if pd.api.types.is_numeric_dtype(table[name]) else "")
        for name in table
    ]


def rows(table: pd.DataFrame) -> Iterator[list[tuple[str, str]]]:
    """Yield the text and the kind of the cells of each row.

    Numbers have four significant digits, whole numbers all digits. A missing value is blank. A kind
    is "number", "verdict", "long", "hash" or nothing.
    """
    for row in table.astype(object).itertuples(index=False):
        yield [_cell(value) for value in row]


def _cell(value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        if value in VERDICTS:
            return value, "verdict"
        if re.fullmatch("[0-9a-f]{16,}[+]?", value):
            return value, "hash"
        return value, "long" if len(value) > LONG else ""
    if pd.isna(value):
        return "", ""
    whole = float(value).is_integer()
    return f"{int(value):,}" if whole else f"{value:.4g}", "number"


def tally_verdicts(verdicts: Iterable[str]) -> list[tuple[str, int]]:
    """Return each verdict that occurs with its number, in the order of `VERDICTS`."""
    given = list(verdicts)
    known = [*VERDICTS, *sorted({*given} - {*VERDICTS})]
    return [(verdict, given.count(verdict)) for verdict in known if verdict in given]


def tally_claims(claims: pd.DataFrame) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """Return for each source of claims their number and the tally of their verdicts."""
    return [
        (str(stated_by), len(stated), tally_verdicts(stated["verdict"]))
        for stated_by, stated in claims.groupby("stated_by", sort=False)
    ]


def origins(manifest: Mapping[str, Any]) -> pd.DataFrame:
    """Return the origin of a run's results, from its manifest: the columns what and value."""
    rows = [
        ("configuration (sha256)", manifest["configuration"]),
        ("seed", str(manifest["seed"])),
        ("repeats", str(manifest["repeats"])),
        ("commit", manifest["commit"] or "not known"),
        *manifest["machine"].items(),
        ("Python", manifest["python"]),
        ("packages", ", ".join(map(" ".join, manifest["packages"].items()))),
        *((f"{name} (sha256)", value) for name, value in manifest["data"].items()),
        *((f"code of {name}", value) for name, value in manifest["code"].items()),
    ]
    return pd.DataFrame(rows, columns=["what", "value"])
