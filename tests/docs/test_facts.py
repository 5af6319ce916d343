"""The marked numbers of the pages are the facts that they name, to the last printed digit."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules

import facts
import pytest
from conftest import ROOT
from marks import marks, numbers

PATTERNS = ("*.md", "[a-z]*/*.md", "tests/data/*.md")
MARKS = [mark for one in PATTERNS for page in sorted(ROOT.glob(one)) for mark in marks(page)]
for module in iter_modules(facts.__path__):
    import_module(f"facts.{module.name}")


def parameters() -> list[object]:
    """The names of all facts, with the marks of slow ones."""
    found = sorted(facts.FACTS.items())
    return [pytest.param(name, marks=getattr(one, "pytestmark", ())) for name, one in found]


@pytest.mark.parametrize("name", parameters())
def test_facts(name: str, request: pytest.FixtureRequest) -> None:
    """They are computed once; pages name all of them and no other, and print what they are."""
    compute = facts.FACTS[name]
    found = compute(*map(request.getfixturevalue, signature(compute).parameters))
    if isinstance(found, dict):
        found = {f"{name}.{key}": fact for key, fact in found.items()}
    else:
        found = {name: found}
    named = [mark for mark in MARKS if mark.name.partition(".")[0] == name]
    assert {mark.name for mark in named} == found.keys()
    off = [f"{mark.place}: {one}" for mark in named for one in mark.misprints(found[mark.name])]
    assert not off, "\n".join(off)


def test_each_mark_names_a_fact() -> None:
    assert not [mark for mark in MARKS if mark.name.partition(".")[0] not in facts.FACTS]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from 0.05 to 0.15 %", [0.05, 0.15]),
        ("(0.5, 10⁻⁶), 1.9·10¹³ and 7.6 × 10⁻⁵", [0.5, 1e-6, 1.9e13, 7.6e-5]),
        ("5.36e-05 of 19,440,691,200,000, 10,005", [5.36e-05, 19_440_691_200_000, 10_005]),
        ("−0.04 to +0.09, 59.9 − 1.2", [-0.04, 0.09, 59.9, 1.2]),
        ("GGM-3, gg-1.5, l1, S3, p₁, Figure 2", [2]),
    ],
)
def test_numbers_are_read(text: str, values: list[float]) -> None:
    assert [one.value for one in numbers(text)] == values


@pytest.mark.parametrize(
    ("page", "fact", "agrees"),
    [
        ("is 0.536<!-- x --> of", 0.53649, True),
        ("is 0.536<!-- x --> of", 0.5366, False),
        ("at δ = 10⁻⁶<!-- x -->", 1.1e-6, False),
        ("are 22, 16 and 12 %<!-- x --> more", (21.9, 16.2, 12), True),
        ("are 22, 16 and 12 %<!-- x --> more", (21.9, 17, 12), False),
        ("only 16 and 12 %<!-- x --> more", (21.9, 16, 12), False),
        ("of 12 points of it<!-- x -->", 12, False),
        ("```text\nof 12<!-- unknown -->\n```\n13<!-- x -->", 13, True),
        ("| 7 | 12<!-- x --> |", 12, True),
        ("| 7 | 12<!-- x --> |", (7, 12), False),
        ("<!-- table: x -->\n| a | b |\n|---|---|\n| 2 | 3.1 |\n", [[2, 3.14]], True),
        ("<!-- table: x -->\n| a | b |\n|---|---|\n| 2 | 3.1 |\n", [[3, 3.14]], False),
        ("<!-- table: x -->\n| a | b |\n|---|---|\n| 2 | 3.1 |\n", [[2]], False),
        ("<!-- table: x -->\n| a | b |\n|---|---|\n| 2 | 3.1 |\n", [], False),
        ("<!-- table: x -->\n| a | p = 4 |\n|---|---|\n| 2 | 3.1 |\n", [[2, 3.14]], False),
        (
            "<!-- table: x -->\n| a | p = 4 |\n|---|---|\n| 2 | 3.1 |\n",
            [[None, 4], [2, 3.14]],
            True,
        ),
        ("<!-- table: x -->\n| a |\n|---|\n| **3.1** |\n", [[3.14]], False),
        ("<!-- table: x -->\n| a |\n|---|\n| `gg-1` |\n", [["gg-1"]], True),
        ("<!-- table: x -->\n| a |\n|---|\n| `gg-1` |\n", [["gg-2"]], False),
    ],
)
def test_misprints_are_found(tmp_path: Path, page: str, fact: object, agrees: bool) -> None:
    path = tmp_path / "page.md"
    path.write_text(page, "utf-8")
    (mark,) = marks(path)
    assert agrees == (not list(mark.misprints(fact)))


def test_a_comment_is_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("\n\nis 0.536<!-- the best order --> of", "utf-8")
    with pytest.raises(ValueError, match=r"page.md:3: <!-- the best order -->"):
        list(marks(path))
