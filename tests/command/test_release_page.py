"""The page of a release: one printed sheet, without scripts, for every kind of statement."""

import html
import itertools
import json
import re
from math import exp

import pytest
from browser import opened, size, smallest_contrast
from conftest import done, refused, save

from ggexp.guarantees.advantage import best_guess
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.guarantee import of_group
from ggexp.mechanisms.optimal_integer import Geometric
from ggexp.releases.statement import Statement
from ggexp.words import up

LEVELS = [f"{'a long name of a level ' * 3}{i}" for i in range(40)]
WORD = ["--no-totals", "--levels-from-file"]
VARIANTS = {
    "many warnings": ("--epsilon 11 --delta 0.01 --order 2 --calibration pdp --rescale".split()),
    "totals": ["--epsilon", 1, "--delta", 0.01, "--totals", LEVELS[0], "--keep-totals"],
    "example": ["--epsilon", 1, "--seed", 1],
}


PEOPLE = "a,b\n" + "x,u\ny,v\nx,v\nx,u\ny,u\n" * 8


def test_each_table_states_the_noise_of_its_weight(call, tmp_path):
    words = ["sanitize", save(tmp_path / "t.csv", PEOPLE), "--tables", "a", "--tables", "b"]
    words += ["--levels-from-file", "--epsilon", 4, "--weights"]
    statement = json.loads(done(call(*words, "3,1", "--json")))
    noises = [Geometric(1 / 3), Geometric(1)]
    assert [each["sd"] for each in statement["tables"]] == pytest.approx([n.sd for n in noises])
    assert statement["sd"] is None
    page = (tmp_path / "t-release.html").read_text("utf-8")
    assert all(f"standard deviation {up(noise.sd)}" in page for noise in noises)
    sds = zip(statement["tables"] * 2, (9.5, 10.25, 9.75), strict=False)
    tables = [each | {"sd": sd, "error_of_19_in_20": 1} for each, sd in sds]
    assert "deviation of 9.5 to 10.3 " in Statement(**statement | {"tables": tables}).methods
    refused(call(*words, "3", "--output", tmp_path / "o.csv"), 2, "each of the 2 tables")


#: The options of a release with each kind of guarantee.
SENTENCES = {
    "ε": "--tables a,b --epsilon 0.7",
    "δ": "--tables a,b --epsilon 1 --delta 1e-5",
    "many digits": "--tables a,b --epsilon 0.1234567 --delta 0.0123456789",
    "large ε": "--tables a,b --epsilon 120 --delta 0.05",
    "replaced": "--tables a,b --epsilon 0.7 --rescale",
    "replaced, δ": "--tables a,b --epsilon 0.7 --delta 0.05 --rescale",
    "tables": "--tables a --tables b --epsilon 0.7",
    "tables, δ": "--tables a --tables b --epsilon 1 --delta 0.05 --consistent",
    "real": "--tables a,b --epsilon 1 --delta 0.05 --calibration pdp --order 2",
}


def numbers(before, text):
    found = re.findall(rf"{before}(\d[\d,]*(?:\.\d+)?(?:e-?\d+)?)", text)
    return [float(number.replace(",", "")) for number in found]


@pytest.mark.parametrize("variant", SENTENCES)
def test_the_sentences_have_the_numbers_of_the_guarantee(variant, call, tmp_path):
    """Given numbers have the digits that were given, and computed ones are rounded up."""
    options = SENTENCES[variant].split()
    path = save(tmp_path / "t.csv", PEOPLE)
    printed = done(call("sanitize", path, *options, "--levels-from-file"))
    statement = json.loads((tmp_path / "t-release.json").read_text("utf-8"))
    page = (tmp_path / "t-release.html").read_text("utf-8").partition("<body>")[2]
    text = " ".join(html.unescape(re.sub("<[^>]+>", "", page)).split())
    epsilon, delta = statement["epsilon"], statement["delta"]
    read = Statement(**statement)
    assert json.loads(read.json_text()) == statement
    assert {*statement} <= {*Statement.model_json_schema(mode="serialization")["properties"]}
    budget = Budget(epsilon, delta or 0.0)
    computed = [(best_guess(budget), "right in at most ", 100)]
    if epsilon < 100:
        computed.append((exp(epsilon), r"e\^ε = ", 1))
    if delta is not None:
        computed.append((of_group(budget, 2).delta, "δ becomes ", 1))
    if statement["sd"] is not None:
        computed.append((statement["error_of_19_in_20"], "20 counts are within ±", 1))
    for exact, pattern, unit in computed:
        (number,) = numbers(pattern, text)
        assert unit * exact <= number <= unit * exact * 1.01
    assert numbers("ε becomes ", text) == [2 * epsilon]
    for output in (text, printed):
        assert {*numbers("ε = ", output.replace("e^ε", ""))} >= {epsilon}
        deltas = numbers("δ = ", output)
        assert {*deltas} <= {delta, statement["delta_of_a_count"]}
        assert (delta in deltas) is (delta is not None)
    # the paragraph for a publication
    methods = statement["methods"]
    if (sd := statement["sd"]) is not None:  # one number, with as many digits as there is room for
        assert numbers(" sd ", printed) == [pytest.approx(sd, rel=1e-5)]
        assert numbers(" sd ", printed)[0] >= sd
        assert len({*numbers("deviation of ", f"{text} {methods}")}) == 1
    if "tables" in statement:
        *_, line = re.findall("(?m)^columns .*", printed)
        assert len(line) <= 80
    each = statement.get("tables", [statement])
    for name, pattern in (("sd", "deviation of "), ("error_of_19_in_20", "between -")):
        largest = max(table[name] for table in each)
        (number,) = numbers(pattern, methods)
        assert largest <= number <= 1.01 * largest
    assert numbers("ε = ", methods) == [epsilon]
    assert numbers("δ = ", methods) == ([] if delta is None else [delta])
    assert (f"of {len(each)} tables" in methods) is ("tables" in statement)
    assert ("replaced" in methods) is bool(statement["total"])
    given = dict(itertools.pairwise(options))
    assert statement["delta"] is None or statement["delta"] >= float(given["--delta"])
    if not statement["total"]:
        assert f"ε = {given['--epsilon']}" in text
        assert delta is None or f"δ = {given['--delta'].replace('1e-5', '1e-05')}" in text


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_page_of_a_release(browser, variant, call, tmp_path):
    names = [f"<b>factor</b> {i}" for i in range(10)]
    rows = [f"{level},{',2' * 9},bold,{i + 10}" for i, level in enumerate(LEVELS)]
    rows = [row.replace(",,2", ",2") for row in rows]
    (tmp_path / "t.csv").write_text("\n".join([f"x,{','.join(names)},n", *rows]) + "\n")
    options = ["--factors", f"x,{','.join(names)}", "--count", "n", *WORD, *VARIANTS[variant]]
    done(call("sanitize", tmp_path / "t.csv", *options))
    page_file = tmp_path / "t-release.html"
    written = page_file.read_text("utf-8")
    assert "&lt;b&gt;factor" in written
    assert not re.search(r"<(script|link|img|iframe)\b|<b>|https?://", written)
    statement = json.loads((tmp_path / "t-release.json").read_text("utf-8"))
    with opened(browser, page_file, viewport=size(390, 800)) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert smallest_contrast(page.locator("p, li, td, th")) >= 7
        text = page.locator("body").inner_text()
        assert f"{statement['epsilon']:.15g}" in text
        (error,) = re.findall(r"19 of 20 counts are within ±([\d.]+)", text)
        assert 0 <= float(error) - statement["error_of_19_in_20"] < 1e-3 * float(error) + 1e-9
        assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1
