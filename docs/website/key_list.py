"""Write config/keys.md, the list of configuration keys, from their types and explanations."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import yaml
from pydantic import BeforeValidator
from pydantic.fields import FieldInfo

from ggexp.datasets.layout import ColumnForm
from ggexp.experiment.keys import NAME, Configuration, RecordsData, TableData
from ggexp.section import Allowed, Section

CONFIG = Path(__file__).parents[2] / "config"
TYPES = {bool: "true or false", int: "whole number", float: "number", str: "text"}
BOUNDS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}


def page() -> str:
    """Return the page in Markdown."""
    values = yaml.safe_load((CONFIG / "config.yaml").read_text("utf-8"))
    lines = [
        "# Configuration keys",
        "",
        "[Configuration](README.md) explains how to use them. `make keys` writes this page from",
        "`ggexp.experiment.keys`, by which every configuration is checked. A NAME consists of at",
        f"most 40 {NAME}. No two names may differ only in case.",
        "",
        "## Every key",
        "",
        "| key | value | in `config.yaml` | meaning |",
        "|---|---|---|---|",
    ]
    for key, field in keys(Configuration):
        lines.append(row(f"`{key}`", value(field), default(key, values), str(field.description)))
    table, records = dict(keys(TableData)), dict(keys(RecordsData))
    sections = {
        "Data sets of both kinds": table.keys() & records.keys() - {"drop"},
        "Tables of counts": table.keys() - records.keys() | {"drop"},
        "Files of records": records.keys() - table.keys(),
    }
    for heading, names in sections.items():
        lines += ["", f"### {heading}", "", "Below `histograms.NAME`:", ""]
        lines += ["| key | value | meaning |", "|---|---|---|"]
        for key, field in (table | records).items():
            if key in names:
                lines.append(row(f"`{key}`", value(field), str(field.description)))
    return "\n".join([*lines, ""])


def row(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(' '.join(cell.replace('|', '¦').split()) for cell in cells)} |"


def keys(section: type[Section], path: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield the path and the field of each key, but those of the columns' bins."""
    for field in section.model_fields.values():
        key = f"{path}{field.alias}"
        yield key, field
        for nested in parts(field.annotation):
            named = ".NAME" * (get_origin(field.annotation) is dict)
            if isinstance(nested, type) and issubclass(nested, Section):
                if nested not in (ColumnForm, TableData, RecordsData):
                    yield from keys(nested, f"{key}{named}.")


def parts(annotation: Any) -> Iterator[Any]:
    """Yield an annotation and its parts, at any depth."""
    yield annotation
    for part in get_args(annotation):
        yield from parts(part)


def value(field: FieldInfo) -> str:
    """Return a description of the values that a key may have."""
    return words(field.annotation, field.metadata)


def words(annotation: Any, metadata: Iterable[Any] = ()) -> str:
    """Return a description of the values of a type."""
    if get_origin(annotation) is Annotated:
        annotation, *inner = get_args(annotation)
        return words(annotation, [*inner, *metadata])
    bounds = []
    for part in metadata:
        if isinstance(check := getattr(part, "func", None), Allowed):
            return check.words
        for limit in part.metadata if isinstance(part, FieldInfo) else [part]:
            bounds += [
                f"{sign} {getattr(limit, name)}"
                for name, sign in BOUNDS.items()
                if hasattr(limit, name)
            ]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list:
        return f"list: {words(arguments[0])}"
    if origin is Literal:
        return f"one of {', '.join(map(repr, arguments))}"
    if type(None) in arguments:
        inner = words(arguments[0], metadata)
        # a key with the default null is usually left out
        return (
            f"{inner} or null"
            if any(isinstance(part, BeforeValidator) for part in metadata)
            else inner
        )
    return " ".join([TYPES.get(annotation, "mapping"), ", ".join(bounds)]).strip()


def default(key: str, values: Any) -> str:
    """Return the value of a key in config.yaml, or "" if it has none or is a mapping."""
    for part in key.split("."):
        if not isinstance(values, dict) or part not in values:
            return ""
        values = values[part]
    return "" if isinstance(values, dict) else f"`{json.dumps(values, ensure_ascii=False)}`"


if __name__ == "__main__":
    (CONFIG / "keys.md").write_text(page(), "utf-8")
