"""docs/coverage.md: the statements of reference/coverage.yaml, and the verdicts on their claims."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/coverage.md"
CLAIMS = ("claims", "guarantees", "synthetic")

INTRODUCTION = """\
# What the texts say, and where it is here

Made by `make coverage` from `reference/coverage.yaml`: the definitions, lemmas, theorems, claims,
examples, exercises, figures and equations of five texts. Each has the function that computes it, a
test, and the verdict on what it states, or the reason why it is left out
([limits.md](limits.md#what-is-left-out-of-the-five-texts)). A verdict without a link is of
another target than `make reproduce`. What is misprinted is in [errata.md](errata.md).
"""


@cache
def read(name: str) -> list[dict[str, Any]]:
    """Return what a file of reference/ lists."""
    text = (ROOT / f"reference/{name}.yaml").read_text("utf-8")
    found: list[dict[str, Any]] = yaml.load(text, yaml.CSafeLoader)
    return found


@cache
def verdicts() -> dict[str, str]:
    """Return claim -> the verdict that is expected of it, a link if docs/claims.md has it."""
    shown = re.findall(r"^## (.+)$", (ROOT / "docs/claims.md").read_text("utf-8"), re.MULTILINE)
    links = {name: f"[{name}](claims.md#{name})" for name in shown}
    return {
        claim["id"]: f"{links.get(claim['id'], claim['id'])}: {claim['expected']}"
        for name in CLAIMS
        for claim in read(name)
    }


def cell(lines: list[str]) -> str:
    """Return lines in one cell of a table."""
    return "<br>".join(lines).replace("|", "\\|")


def row(statement: dict[str, Any], known: dict[str, str]) -> str:
    """Return a statement's row."""
    says = [f"**{statement['at']}**", statement["says"]]
    if "left_out" in statement:
        says.append(f"*Left out:* {statement['left_out']}")
    functions = [f"`ggexp.{name}`" for name in statement.get("functions", [])]
    tests = [f"`{name}`" for name in statement.get("tests", [])]
    claims = [known[name] for name in statement.get("claims", [])]
    return f"| {cell(says)} | {cell([*functions, *tests, *claims])} |"


def page() -> str:
    """Return the page."""
    known = verdicts()
    parts = [INTRODUCTION]
    for text in read("coverage"):
        statements = text["statements"]
        has = Counter(key for one in statements for key in one)
        parts.append(
            f"## {text['text']}\n\n{len(statements)} statements: {has['functions']} with a "
            f"function, {has['claims']} with a verdict, {has['left_out']} left out in whole or in "
            "part.\n\n"
            "| statement | functions, tests, verdicts |\n|---|---|\n"
            + "\n".join(row(one, known) for one in statements)
            + "\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
