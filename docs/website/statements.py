"""Write docs/coverage.md: statements of reference/coverage.yaml and verdicts on their claims."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/coverage.md"
CLAIMS = ("claims", "companions", "synthetic")

INTRODUCTION = """\
# Coverage of the five texts

This page lists the definitions, lemmas, theorems, claims, examples, exercises, figures and
equations of five texts. Each statement is listed with the functions that compute it, their tests,
and the verdicts on its claims. If a statement is left out in whole or in part, the reason is given.
Verdicts with a link are from `make reproduce`; the others are from other targets of `make`.
[Errata](errata.md) lists misprints and errors in the texts. `make coverage` writes this page from
`reference/coverage.yaml`.
"""


@cache
def read(name: str) -> list[dict[str, Any]]:
    """Return the entries of a file in reference/."""
    text = (ROOT / f"reference/{name}.yaml").read_text("utf-8")
    entries: list[dict[str, Any]] = yaml.load(text, yaml.CSafeLoader)
    return entries


@cache
def verdicts() -> dict[str, str]:
    """Return a mapping from claim to its expected verdict, with a link if docs/claims.md has it."""
    headings = re.findall(r"^## (.+)$", (ROOT / "docs/claims.md").read_text("utf-8"), re.MULTILINE)
    links = {name: f"[{name}](claims.md#{name})" for name in headings}
    return {
        claim["id"]: f"{links.get(claim['id'], claim['id'])}: {claim['expected']}"
        for name in CLAIMS
        for claim in read(name)
    }


def cell(lines: list[str]) -> str:
    """Return lines as one cell of a table."""
    return "<br>".join(lines).replace("|", "\\|")


def row(statement: dict[str, Any], verdict_texts: dict[str, str]) -> str:
    """Return the row of a statement."""
    parts = [f"**{statement['at']}**", statement["says"]]
    if "left_out" in statement:
        parts.append(f"*Left out:* {statement['left_out']}")
    functions = [f"`ggexp.{name}`" for name in statement.get("functions", [])]
    tests = [f"`{name}`" for name in statement.get("tests", [])]
    claims = [verdict_texts[name] for name in statement.get("claims", [])]
    return f"| {cell(parts)} | {cell([*functions, *tests, *claims])} |"


def page() -> str:
    """Return the page in Markdown."""
    verdict_texts = verdicts()
    parts = [INTRODUCTION]
    for text in read("coverage"):
        statements = text["statements"]
        counts = Counter(key for statement in statements for key in statement)
        parts.append(
            f"## {text['text']}\n\n{len(statements)} statements: {counts['functions']} with a "
            f"function, {counts['claims']} with a verdict, {counts['left_out']} left out in whole "
            "or in part.\n\n"
            "| statement | functions, tests, verdicts |\n|---|---|\n"
            + "\n".join(row(statement, verdict_texts) for statement in statements)
            + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
