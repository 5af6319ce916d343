"""Pages of a run, rendered from the Jinja templates of the workflow."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from ggexp.words import mechanisms_in_words

VERDICTS = ("confirmed", "by construction", "partly", "refuted", "misprint", "undecided")
ALTERNATIVE = "Alternative text:"
MAX_SHORT_TEXT = 70  # characters; cells with longer texts get their own column width


def render(template: Path, **names: Any) -> str:
    """Return the page that a template renders with the values of ``names``.

    Values are escaped if the template's name ends in .html.j2. The filters `columns` and `rows`
    turn a data frame into a table; `named` writes the names of mechanisms as people read them.
    Raises jinja2.UndefinedError if the template uses a name that is not in ``names``.
    """
    return _environment(template.parent).get_template(template.name).render(names)


def caption(template: Path, **names: Any) -> tuple[str, str]:
    """Return a caption and the alternative text of the picture, each on one line.

    template: as in `render`, of text. The alternative text, if any, follows `ALTERNATIVE`.
    Raises ValueError if the caption is empty, and errors as `render` does.
    """
    text, _, alternative = " ".join(render(template, **names).split()).partition(ALTERNATIVE)
    if not text:
        raise ValueError(f"{template} has no caption for {names}")
    return text.strip(), alternative.strip()


@cache  # the environment keeps compiled templates
def _environment(folder: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=jinja2.select_autoescape(("html.j2",), default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"columns": columns, "rows": rows, "named": mechanisms_in_words}
    return environment


def columns(table: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the name and the kind of each column; the kind is "number" or ""."""
    return [
        (str(name), "number" if pd.api.types.is_numeric_dtype(table[name]) else "")
        for name in table
    ]


def rows(table: pd.DataFrame) -> Iterator[list[tuple[str, str]]]:
    """Yield the rows of a table, each as a list with the text and the kind of every cell.

    Numbers have four significant digits, whole numbers all digits; a missing value is "". A kind is
    "number", "verdict", "long", "hash" or "".
    """
    named = table.astype(object)
    if "mechanism" in named:
        named["mechanism"] = named["mechanism"].map(mechanisms_in_words, na_action="ignore")
    for row in named.itertuples(index=False):
        yield [_cell(value) for value in row]


def _cell(value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        if value in VERDICTS:
            return value, "verdict"
        if re.fullmatch("[0-9a-f]{16,}[+]?", value):
            return value, "hash"
        return value, "long" if len(value) > MAX_SHORT_TEXT else ""
    if pd.isna(value):
        return "", ""
    is_whole = float(value).is_integer()
    return f"{int(value):,}" if is_whole else f"{value:.4g}", "number"


def tally_verdicts(verdicts: Iterable[str]) -> list[tuple[str, int]]:
    """Return the verdicts that occur and how often they do, in the order of `VERDICTS`."""
    listed = list(verdicts)
    ordered = [*VERDICTS, *sorted({*listed} - {*VERDICTS})]
    return [(verdict, listed.count(verdict)) for verdict in ordered if verdict in listed]


def tally_claims(claims: pd.DataFrame) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """Return each group of claims with the number of claims and the tally of their verdicts."""
    return [
        (str(group), len(members), tally_verdicts(members["verdict"]))
        for group, members in claims.groupby("group", sort=False)
    ]


def readings(shares: pd.DataFrame) -> dict[str, list[str]]:
    """Return for each claim the shares of the readings of the paper by outcome, in a sentence.

    A second sentence has the alternatives without which it does not hold or fail, if there are any.
    shares: the table of the target `multiverse`; a claim's largest group of choices counts.
    """
    largest = shares.sort_values("readings", ascending=False, kind="stable")
    return {
        row["claim"]: [*_sentences(row)]
        for row in largest.drop_duplicates("claim").to_dict("records")
    }


def _sentences(row: Mapping[Any, Any]) -> Iterator[str]:
    outcomes = {"holds": "holds in", "partly": "partly in", "fails": "fails in"}
    outcomes["undecided"] = "is undecided in"
    parts = [
        f"{words} {_percent(row[outcome])}"
        for outcome, words in outcomes.items()
        if row[outcome] or outcome == "holds"
    ]
    yield f"Of {row['readings']:,} readings of the paper, it {', '.join(parts)}."
    conditions = [
        f"{verb} only if {' and '.join(row[column].split('; '))}"
        for verb, column in (("holds", "holds_only_if"), ("fails", "fails_only_if"))
        if isinstance(row[column], str)
    ]
    if conditions:
        yield mechanisms_in_words(f"It {'; it '.join(conditions)}.")


def _percent(share: float) -> str:
    """Return a share in percent; only a share of all or of none is 100 or 0 %."""
    if 0 < share < 0.005:
        return "under 1\u00a0%"
    return "over 99\u00a0%" if 0.995 <= share < 1 else f"{100 * share:.0f}\u00a0%"


def origins(manifest: Mapping[str, Any]) -> pd.DataFrame:
    """Return a table of the origin of a run's results, with the columns what and value."""
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
