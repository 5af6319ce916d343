"""The page of configuration keys, from config/schema.yaml and the values in config.yaml."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

CONFIG = Path(__file__).parents[2] / "config"
WORDS = {
    "array": "list",
    "boolean": "true or false",
    "integer": "whole number",
    "null": "null",
    "number": "number",
    "object": "mapping",
    "string": "text",
}
BOUNDS = {
    "minimum": "≥",
    "exclusiveMinimum": ">",
    "maximum": "≤",
    "exclusiveMaximum": "<",
}
Schema = Mapping[str, Any]


def page() -> str:
    """Return the page in Markdown."""
    schema = yaml.safe_load((CONFIG / "schema.yaml").read_text("utf-8"))
    values = yaml.safe_load((CONFIG / "config.yaml").read_text("utf-8"))
    table, records = (schema["$defs"][name]["properties"] for name in ("table", "microdata"))
    shared = {key: rule for key, rule in table.items() if records.get(key) == rule}
    sections = {
        "Data sets of both kinds": shared,
        "Tables of counts": {key: rule for key, rule in table.items() if key not in shared},
        "Files of records": {key: rule for key, rule in records.items() if key not in shared},
    }
    lines = [
        "# Configuration keys",
        "",
        "[Configuration](README.md) explains how to use them. This page is made from",
        "[`schema.yaml`](schema.yaml), against which every configuration is checked.",
        "",
        "## Every key",
        "",
        "| key | value | in `config.yaml` | meaning |",
        "|---|---|---|---|",
    ]
    for key, rule in keys(schema["properties"], schema):
        lines.append(row(f"`{key}`", value(rule), default(key, values), meaning(rule, schema)))
    for heading, properties in sections.items():
        lines += ["", f"### {heading}", "", "Below `histograms.NAME`:", ""]
        lines += ["| key | value | meaning |", "|---|---|---|"]
        for key, rule in keys(properties, schema):
            lines.append(row(f"`{key}`", value(rule), meaning(rule, schema)))
    return "\n".join([*lines, ""])


def row(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cell.replace('|', '¦') for cell in cells)} |"


def keys(properties: Schema, schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield the path and the rule of each key.

    Keys without a description are skipped; the key that contains them describes them.
    """
    for key, listed in properties.items():
        rule = resolve(listed, schema)
        if "description" not in rule:
            continue
        yield f"{path}{key}", rule
        yield from keys(rule.get("properties", {}), schema, f"{path}{key}.")
        if isinstance(named_rule := rule.get("additionalProperties"), dict):
            yield from keys(named_rule.get("properties", {}), schema, f"{path}{key}.NAME.")


def resolve(rule: Schema, schema: Schema) -> Schema:
    """Return a rule; if it is a reference, return the rule that it refers to."""
    target = schema
    for part in rule["$ref"].split("/")[1:] if "$ref" in rule else ():
        target = target[part]
    return target if "$ref" in rule else rule


def meaning(rule: Schema, schema: Schema) -> str:
    """Return the description of a rule, and of the names that its mapping allows."""
    name_rule = resolve(rule.get("propertyNames", {}), schema)
    if "allowed" not in name_rule:
        return rule["description"]
    longest = f"; at most {name_rule['maxLength']} characters" if "maxLength" in name_rule else ""
    words = f"{rule['description']} NAME: {name_rule['allowed']}{longest}."
    return f"{words} {name_rule.get('description', '')}".strip()


def value(rule: Schema) -> str:
    """Return a description of the values that a key may have."""
    if "allowed" in rule:
        return rule["allowed"]
    if "enum" in rule:
        return ", ".join(f"`{json.dumps(name)}`" for name in rule["enum"])
    types = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    words = " or ".join(WORDS[name] for name in types)
    bounds = [f"{sign} {rule[name]}" for name, sign in BOUNDS.items() if name in rule]
    words = " ".join([words, ", ".join(bounds)]).strip()
    return f"{words}: {value(rule['items'])}" if "items" in rule and "array" in types else words


def default(key: str, values: Any) -> str:
    """Return the value of a key in config.yaml, or "" if it has none or is a mapping."""
    for part in key.split("."):
        if not isinstance(values, dict) or part not in values:
            return ""
        values = values[part]
    return "" if isinstance(values, dict) else f"`{json.dumps(values, ensure_ascii=False)}`"
