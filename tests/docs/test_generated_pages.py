"""Generated pages are up to date, and no other page repeats a number that could become stale."""

import re
import sys

import pytest
from conftest import ROOT

from ggexp.plan.plan import Plan

sys.path.append(str(ROOT / "docs/website"))

import result_tables
import statements

GENERATED = ("claims", "coverage", "gallery", "numbers")
#: Pages that are not about results.
WITHOUT_RESULTS = ("cluster", "command", "reliability", "upstream")
PAGES = [
    ROOT / "README.md",
    *(
        path
        for path in sorted(ROOT.glob("docs/**/*.md"))
        if path.stem not in WITHOUT_RESULTS + GENERATED
    ),
]
#: Code and formulas, which other tests run; headings, links, quotations, and rows of tables.
EXEMPT = re.compile(
    r"^ *```.*?^ *```|`[^`]*`|^#[^\n]*|\[[^\]]*\]\([^)]*\)|\"[^\"]*\"|^\|[^\n]*",
    re.DOTALL | re.MULTILINE,
)
#: Numbers with decimals or commas, but no versions; and numbers of cases.
NUMBER = re.compile(r"(?<![\w./])(?:\d+\.\d{2,}|\d{1,3}(?:,\d{3})+)(?![\w./]\w)")
SHARE = re.compile(r"\b\d+ of (?:the )?\d+(?= (?:cases|comparisons|points|settings|statements))")


def unknown(text, known):
    """Return the numbers of a page that are not known, and all numbers of cases."""
    prose = EXEMPT.sub("", text)
    found = [number for number in NUMBER.findall(prose) if number.replace(",", "") not in known]
    return found + SHARE.findall(prose)


def test_the_readme_has_the_verdicts():
    numbers = (ROOT / "docs/numbers.md").read_text("utf-8")
    row = r"^\| (?:sentences|statements: results) of section 4 \| (.*) \|$"
    (sentences, whole, _, part, *_, unknown), (total, confirmed, _, partly, refuted, *_) = (
        found.split(" | ") for found in re.findall(row, numbers, re.MULTILINE)
    )
    (always, never) = re.findall(r"^\| all \d+: (\d+) in all .*, (\d+) in none", numbers, re.M)[0]
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    words = (
        rf"\b{sentences} sentences\b.* {whole} \w+ confirmed\b.* {part} .* {unknown} .*"
        rf"\b{total} statements\b.* {confirmed} are confirmed\b.* {partly} .*"
        rf" {refuted} are refuted\b.*\b{always} of the statements hold\b\D* {never} never\b"
    )
    assert re.search(words, readme)


def test_a_number_in_prose_is_on_a_generated_page():
    """Or a design or a paper sets it."""
    pages = [f"docs/{name}.md" for name in GENERATED]
    patterns = [*pages, "config/*.yaml", "reference/*.yaml", "data/*.csv"]
    text = "\n".join(path.read_text("utf-8") for name in patterns for path in ROOT.glob(name))
    known = {number.replace(",", "") for number in re.findall(r"\d[\d,.]*\d", text)}
    for page in PAGES:
        assert not unknown(page.read_text("utf-8"), known), page
    exempt = "```python\n0.123\n```\n# 0.123\n`0.123`, [0.123](x.md), Python 3.11.7\n\n| 0.123 |\n"
    text = f'It is 0.786 at 3 of 12 points, 1,234 here, and 0.123. {exempt} "0.123"'
    assert unknown(text, {"0.786"}) == ["1,234", "0.123", "3 of 12"]


@pytest.mark.parametrize(
    ("module", "target"),
    [(statements, "coverage"), pytest.param(result_tables, "numbers", marks=pytest.mark.slow)],
)
def test_a_generated_page_is_up_to_date(module, target):
    assert module.PAGE.read_text("utf-8") == module.page(), f"run `make {target}`"


def test_the_gallery_has_the_captions_of_the_figures(monkeypatch):
    monkeypatch.chdir(ROOT)
    figures, page = Plan.of({}).figures, (ROOT / "docs/gallery.md").read_text("utf-8")
    shown = [figures.describe(figure) for figure in figures.of("theory", "data")]
    assert len(shown) == 12
    for figure in shown:
        assert f"![{figure['alternative']}](gallery/figure_{figure['number']}.png)" in page
        assert f"\n\n{figure['caption']}\n\n" in page, "run `make gallery`"
