"""The names in reference/coverage.yaml exist, and each statement has an answer."""

import re
import sys
from functools import cache

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "docs/website"))

import statements

KEYS = {"at", "says", "functions", "tests", "claims", "left_out"}
# the values of `stated_by` for claims of the five texts
TEXTS = {
    "the paper",
    "the first version",
    "the approximate-DP lecture",
    "the CS208 notes",
    "Laud and Pankova",
}
STATEMENTS = [statement for text in statements.read("coverage") for statement in text["statements"]]
DEFINITION = re.compile(r"^( {4})?(def|class) (\w+)", re.MULTILINE)


def named(key):
    return {name for statement in STATEMENTS for name in statement.get(key, [])}


@cache
def defined(path):
    names, current_class = set(), ""
    for indent, kind, name in DEFINITION.findall((ROOT / path).read_text("utf-8")):
        names.add(f"{current_class}.{name}" if indent else name)
        current_class = name if kind == "class" and not indent else current_class
    return names


def is_function(name):
    *folders, first, second = name.split(".")
    for module, definition in (([*folders, first], second), (folders, f"{first}.{second}")):
        path = f"src/ggexp/{'/'.join(module)}.py"
        if (ROOT / path).is_file():
            return definition in defined(path)
    return False


def is_test(name):
    path, _, test = name.partition("::")
    return (ROOT / "tests" / path).is_file() and test in defined(f"tests/{path}")


@pytest.mark.parametrize(
    ("key", "exists"),
    [
        ("functions", is_function),
        ("tests", is_test),
        ("claims", lambda name: name in statements.verdicts()),
    ],
)
def test_names_exist(key, exists):
    names = named(key)
    assert names
    assert not [name for name in sorted(names) if not exists(name)]
    assert not exists("mechanisms.none.none::none")


def test_every_statement_has_an_answer_and_every_claim_a_statement():
    for statement in STATEMENTS:
        keys = statement.keys()
        assert keys & {"functions", "claims", "left_out"}, statement
        assert keys <= KEYS, statement
        assert "functions" not in keys or keys & {"tests", "claims"}, statement
    claims = {
        claim["id"]
        for name in statements.CLAIMS
        for claim in statements.read(name)
        if claim["stated_by"] in TEXTS
    }
    assert claims <= named("claims")
