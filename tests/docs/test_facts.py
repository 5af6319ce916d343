"""The marked numbers of the pages equal the facts that they name, to the last printed digit."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules

import facts
import pytest
from conftest import ROOT
from marks import Mark, marks, numbers, unmarked

PATTERNS = ("*.md", "[a-z]*/*.md", "tests/data/*.md")
MARKS = [
    mark for pattern in PATTERNS for page in sorted(ROOT.glob(pattern)) for mark in marks(page)
]
#: Pages that report results: each of their numbers must be a fact or have a source.
REPORTS = [
    ROOT / page
    for page in (
        "README.md",
        "docs/audit.md",
        "docs/best-order.md",
        "docs/bounding.md",
        "docs/cluster.md",
        "docs/empty-cells.md",
        "docs/equal-privacy.md",
        "docs/exact-privacy-loss.md",
        "docs/growth.md",
        "docs/guessing.md",
        "docs/many-queries.md",
        "docs/reproduction.md",
        "docs/synthetic.md",
        "docs/whole-numbers.md",
        "examples/README.md",
    )
]
for module in iter_modules(facts.__path__):
    import_module(f"facts.{module.name}")


def parameters() -> list[object]:
    """Return the names of all facts; slow facts have the pytest mark."""
    items = sorted(facts.FACTS.items())
    return [pytest.param(name, marks=getattr(compute, "pytestmark", ())) for name, compute in items]


@pytest.mark.parametrize("name", parameters())
def test_facts(name: str, request: pytest.FixtureRequest) -> None:
    """Pages name exactly the computed facts, and print their values."""
    compute = facts.FACTS[name]
    result = compute(*map(request.getfixturevalue, signature(compute).parameters))
    if isinstance(result, dict):
        computed = {f"{name}.{key}": fact for key, fact in result.items()}
    else:
        computed = {name: result}
    used = [mark for mark in MARKS if mark.name.partition(".")[0] == name]
    assert {mark.name for mark in used} == computed.keys()
    messages = [
        f"{mark.place}: {message}"
        for mark in used
        for message in mark.misprints(computed[mark.name])
    ]
    messages += [
        f"{mark.place}: {number} is not marked"
        for mark in used
        if isinstance(mark, Mark) and Path(mark.place.partition(":")[0]) in REPORTS
        for number in mark.unmarked(computed[mark.name])
    ]
    assert not messages, "\n".join(messages)


@pytest.mark.parametrize("page", REPORTS, ids=lambda page: page.name)
def test_each_number_of_a_report_is_marked(page: Path) -> None:
    """Each number has a mark after it; test_facts finds unmarked numbers between two marks."""
    assert not list(unmarked(page))


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
    assert [number.value for number in numbers(text)] == values


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


@pytest.mark.parametrize(
    ("page", "values"),
    [
        ("12 of 13 points<!-- x -->, 0.5 elsewhere", ["0.5"]),
        ("at (0.5, 10⁻⁶), ε = 0.5, 1 and 2, δ ≤ 0.25 and orders 1.5 to 2.5", []),
        ("at ε = 0.5 the error is 0.25. It is 13.", ["0.25", "13"]),
        ("# 13\n\nFigure 13, [14](15.md), `16`, 2020-12-17, Python 3.11\n```sh\n18\n```", []),
        ("It takes 15 s, and 2.5 GB<!-- source: Makefile, two cores -->. And 16 s.", ["16"]),
        ("- It takes 15 s\n- or 2.5 s<!-- source: Makefile -->", ["15"]),
        ("<!-- table: x -->\n| 13 |\n|---|\n| 14 |\n", []),
        ("<!-- source: Makefile -->\n| 13 |\n|---|\n| 14 |\n", []),
        ("<!-- source: Makefile -->\nIt is 13\nor 14.\n\nIt is 15.", ["15"]),
        ("| 13 | 14<!-- x --> |\n|---|---|\n| 3 | 0.5 |\n", ["13", "0.5"]),
    ],
)
def test_unmarked_numbers_are_found(tmp_path: Path, page: str, values: list[str]) -> None:
    path = tmp_path / "page.md"
    path.write_text(page, "utf-8")
    assert [message.rpartition(" ")[2] for message in unmarked(path)] == values


@pytest.mark.parametrize(
    ("page", "fact", "values"),
    [
        ("is 0.5 of 13<!-- x --> and 15 of 17<!-- y -->", {"x": 13, "y": (15, 17)}, ["0.5"]),
        ("of 13<!-- x --> are 15 of 17<!-- y -->", {"x": 13, "y": 17}, ["15"]),
        ("These are 13. And 15 at (0.5, 0.1) of 17<!-- x -->", {"x": 17}, ["15"]),
    ],
)
def test_numbers_before_a_fact_are_found(
    tmp_path: Path, page: str, fact: dict[str, float], values: list[str]
) -> None:
    path = tmp_path / "page.md"
    path.write_text(page, "utf-8")
    found = [number for mark in marks(path) for number in mark.unmarked(fact[mark.name])]
    assert found == values


def test_a_source_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("It takes 15 s<!-- source: benchmarks/none.py -->", "utf-8")
    with pytest.raises(ValueError, match=r"page.md:1: benchmarks/none.py is no file"):
        list(marks(path))


def test_a_comment_is_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("\n\nis 0.536<!-- the best order --> of", "utf-8")
    with pytest.raises(ValueError, match=r"page.md:3: <!-- the best order -->"):
        list(marks(path))
