"""Tables as pages of the report, which shows HTML and offers CSV for download only."""

from collections.abc import Mapping
from html import escape
from typing import Any

import pandas as pd

VERDICTS = ("confirmed", "by construction", "partly", "refuted", "undecided")
_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; color: #222; margin: 1.5em; }
h1 { font-size: 1.3em; }
table { border-collapse: collapse; }
th { position: sticky; top: 0; background: #eee; text-align: left; }
th, td { padding: .25em .6em; border-bottom: 1px solid #ddd; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.long { min-width: 14em; }
td.confirmed { background: #d5efdf; } td.refuted { background: #f6d5c9; }
td.partly { background: #fbeecb; } td.undecided { background: #e4e4e4; }
td.by-construction { background: #d9e4f2; }
"""


def table_page(title: str, table: pd.DataFrame) -> str:
    """Return a page of HTML that needs no other file: a title and a table.

    Numbers have four significant digits, whole ones all of theirs. A missing value is blank. A cell
    with a verdict on a claim has its colour.
    """
    head = "".join(f"<th>{escape(str(name))}</th>" for name in table)
    rows = "\n".join(
        f"<tr>{''.join(_cell(value) for value in row)}</tr>"
        for row in table.astype(object).itertuples(index=False)
    )
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n"
        f"<style>{_STYLE}</style>\n<h1>{escape(title)}</h1>\n"
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</html>\n"
    )


def _cell(value: Any) -> str:
    if isinstance(value, str):
        kind = "long" if len(value) > 70 else ""
        if value in VERDICTS:
            kind = value.replace(" ", "-")
        return f'<td class="{kind}">{escape(value)}</td>' if kind else f"<td>{escape(value)}</td>"
    if pd.isna(value):
        return "<td></td>"
    whole = float(value).is_integer()
    return f'<td class="number">{f"{int(value):,}" if whole else f"{value:.4g}"}</td>'


def origins(manifest: Mapping[str, Any]) -> pd.DataFrame:
    """Return what a run was made of, from its manifest: the columns what and value."""
    rows = [
        ("configuration (sha256)", manifest["configuration"]),
        ("seed", str(manifest["seed"])),
        ("repeats", str(manifest["repeats"])),
        ("commit", manifest["commit"] or "not known"),
        ("Python", manifest["python"]),
        *manifest["packages"].items(),
        *((f"{name} (sha256)", value) for name, value in manifest["data"].items()),
        *((f"code of {name}", value) for name, value in manifest["code"].items()),
    ]
    return pd.DataFrame(rows, columns=["what", "value"])
