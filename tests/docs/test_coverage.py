"""reference/coverage.yaml names what exists, and leaves no statement without an answer."""

import re
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location

import pytest
from conftest import ROOT

SPEC = spec_from_file_location("statements", ROOT / "docs/website/statements.py")
statements = module_from_spec(SPEC)
SPEC.loader.exec_module(statements)

KEYS = {"at", "says", "functions", "tests", "claims", "left_out"}
# whose claims are of one of the five texts
TEXTS = {
    "the paper",
    "the first version",
    "the approximate-DP lecture",
    "the CS208 notes",
    "Laud and Pankova",
}
FOUND = [one for text in statements.read("coverage") for one in text["statements"]]
DEFINITION = re.compile(r"^( {4})?(def|class) (\w+)", re.MULTILINE)
ANSWERS = {"functions", "claims", "left_out"}


def named(key):
    return {name for one in FOUND for name in one.get(key, [])}


@cache
def defined(path):
    """The functions and classes of a file, and the methods of these."""
    names, inside = set(), ""
    for indent, kind, name in DEFINITION.findall((ROOT / path).read_text("utf-8")):
        names.add(f"{inside}.{name}" if indent else name)
        inside = name if kind == "class" and not indent else inside
    return names


def is_function(name):
    *folders, first, second = name.split(".")
    for module, what in (([*folders, first], second), (folders, f"{first}.{second}")):
        path = f"src/ggexp/{'/'.join(module)}.py"
        if (ROOT / path).is_file():
            return what in defined(path)
    return False


def is_test(name):
    path, _, test = name.partition("::")
    return (ROOT / "tests" / path).is_file() and test in defined(f"tests/{path}")


def is_claim(name):
    return name in statements.verdicts()


@pytest.mark.parametrize(
    ("key", "exists"),
    [
        ("functions", is_function),
        ("tests", is_test),
        ("claims", is_claim),
    ],
)
def test_what_is_named_exists(key, exists):
    names = named(key)
    assert names
    assert not [name for name in sorted(names) if not exists(name)]
    assert not exists("mechanisms.none.none::none")


def test_every_statement_has_an_answer():
    assert not [one for one in FOUND if not ANSWERS & one.keys() or one.keys() - KEYS]
    assert not [one for one in FOUND if "functions" in one and not one.keys() & {"tests", "claims"}]


def test_the_claims_of_the_texts_are_there():
    said = {
        one["id"]
        for name in statements.CLAIMS
        for one in statements.read(name)
        if one["stated_by"] in TEXTS
    }
    assert said <= named("claims")


def test_the_page_is_made_of_it():
    assert statements.PAGE.read_text("utf-8") == statements.page(), "make coverage writes it"
