"""Snakemake's report and the index in a browser, as a reader sees them."""

import base64
import itertools
import json
import re
import shutil

import pandas as pd
import pytest
from browser import opened, size, smallest_contrast
from playwright.sync_api import expect

from ggexp.run.files import read_csv
from ggexp.words import VERDICTS

pytestmark = pytest.mark.slow

FIGURES = {
    "Mildew": {6: "releases", 7: "errors"},
    "People": {20: "releases", 21: "errors", 22: "accuracy", 24: "ranks"},
    "My_wide.table-2": {23: "releases"},
    "Hidden": {25: "retained_cells"},
    "Copied": {26: "marginals", 27: "count_bias", 28: "training", 29: "mode"},
}
EVIDENCE = "details > p, .grid"
TEXTS = (".verdict", "p", "a", ".source", "summary", "dt", "footer", "th", "td")


def test_the_report_has_each_figure_with_its_caption(every_kind, tmp_path):
    every_kind.run("--report", str(tmp_path / "report.html"))
    text = (tmp_path / "report.html").read_text("utf-8")
    data = r'<script id="{0}">\s*var {0} = (.*?);?\s*</script>'
    results, categories = (
        json.loads(re.search(data.format(name), text, re.DOTALL)[1])
        for name in ("results", "categories")
    )
    shown = {
        f"{section} / {' / '.join(results[path]['labels'].values())}": results[path]
        for section, parts in categories.items()
        for path in itertools.chain(*parts.values())
    }
    figures = {
        f"{section} / Figure {number}: {kind}": section
        for section, kinds in FIGURES.items()
        for number, kind in kinds.items()
    }
    assert shown.keys() == figures.keys()
    # captions are different, and name the data set of a figure; pictures are for large screens
    assert len({figure["caption"] for figure in shown.values()}) == len(figures)
    for name, section in figures.items():
        assert len(shown[name]["caption"].split()) > 10
        assert section.lower() in shown[name]["caption"].lower()
        kind, _, content = shown[name]["data_uri"].partition(";base64,")
        assert kind.startswith("data:image/png;")
        assert int.from_bytes(base64.b64decode(content)[16:20]) > 1000


@pytest.mark.parametrize("window", [size(1280, 900), size(390, 844)], ids=["large", "phone"])
def test_index_shows_everything_on_one_page(browser, finished_run, tmp_path, window):
    shutil.copy(finished_run.folder / "results/index.html", tmp_path)  # without other files
    with opened(browser, tmp_path / "index.html", viewport=window) as page:
        pictures = page.locator("figure img")
        for number, picture in zip(figure_numbers(finished_run), pictures.all(), strict=True):
            picture.evaluate("picture => picture.decode()")
            assert picture.evaluate("picture => picture.naturalWidth") > 1000
            assert len(picture.get_attribute("alt").split()) >= 10
            expect(page.locator(f"#figure-{number:02d} h3")).to_contain_text(f"Figure {number}: ")
            expect(page.locator(f"#figure-{number:02d} figcaption p").first).to_contain_text(".")

        files = sorted((finished_run.folder / "results").glob("**/claims.csv"))
        claims = pd.concat(map(read_csv, files))
        for summary in page.locator(".statements section > details > summary").all():
            summary.click()
        for claim in claims.itertuples():
            item = page.locator(f"#claim-{claim.id}")
            expect(item.locator(".verdict")).to_have_text(claim.verdict)
            if claim.verdict == "not tested":
                expect(item).to_contain_text("missing")
                continue
            expect(item.locator(EVIDENCE).first).to_be_hidden()
            item.locator("summary").click()
            expect(item.locator(EVIDENCE).first).to_be_visible()
        assert page.locator(".claims > li").count() == len(claims)
        assert page.locator("nav ul").first.is_visible() == (window["width"] > 1120)

        summaries = page.locator("main > section:not(.statements) summary")
        for summary in summaries.all():
            summary.click()
        tables = page.locator("table:not(.grid)")
        answers = page.locator(".answers")
        assert answers.count() == len(finished_run.settings["datasets"])
        if window["width"] > 1000:  # tables of mechanisms are visible without scrolling
            for box in answers.locator(".scroll").all():
                assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        for table in tables.all():
            expect(table).to_be_visible()
        # wide tables and pictures scroll, but not the page
        assert page.evaluate("document.documentElement.scrollWidth") == window["width"]


def test_links_of_the_index_exist(browser, every_kind):
    results = every_kind.folder / "results"
    with opened(browser, results / "index.html") as page:
        links = [link.get_attribute("href") for link in page.locator("a").all()]
        identities = [element.get_attribute("id") for element in page.locator("[id]").all()]
    assert len({*identities}) == len(identities)
    assert {link[1:] for link in links if link.startswith("#")} <= {*identities}
    files = [link for link in links if not link.startswith(("#", "https://doi.org/"))]
    assert [link for link in files if not (results / link).is_file()] == []
    for ending in ("csv", "pdf"):
        assert {
            link for link in files if link.startswith("figures/") and link.endswith(ending)
        } == {f"figures/figure_{number:02d}.{ending}" for number in figure_numbers(every_kind)}


def test_a_reader_opens_claims_and_sorts_tables(browser, every_kind):
    with opened(browser, every_kind.folder / "results/index.html") as page:
        shown = page.locator(".claims > li:visible")
        assert shown.count() == 0
        for tally in page.locator(".tallies a").all():
            tally.click()
            number, _, verdict = tally.inner_text().partition(" ")
            target = page.locator(str(tally.get_attribute("href")))
            expect(target).to_be_in_viewport()
            counted = target.locator(shown)
            assert counted.locator(".verdict").all_inner_texts() == [verdict] * int(number)
        claim = page.locator(".claims > li").first
        page.evaluate("document.querySelectorAll('details').forEach(box => box.open = false)")
        assert shown.count() == 0
        claim.evaluate("claim => location.hash = claim.id")
        expect(claim).to_be_in_viewport()
        heading = page.locator("th[scope=col]", has_text=re.compile("^mean$")).last
        table = heading.locator("xpath=ancestor::table")
        table.evaluate("table => table.closest('details').open = true")
        column = heading.evaluate("heading => heading.cellIndex") + 1
        means = table.locator(f"td:nth-child({column})")
        for order in (1, -1):
            heading.get_by_role("button").press("Enter")
            numbers = [float(text.replace(",", "")) for text in means.all_inner_texts()]
            assert numbers == sorted(numbers)[::order]


def test_the_printed_index_leaves_out_what_is_folded(browser, every_kind):
    with opened(browser, every_kind.folder / "results/index.html") as page:
        folded = printed_pages(page)
        page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")
        assert folded <= 12 < printed_pages(page)


def printed_pages(page):
    """Return the number of printed pages (A4)."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))


def test_index_supports_screen_readers_and_keyboards(browser, every_kind):
    with opened(browser, every_kind.folder / "results/index.html") as page:
        assert page.locator("html").get_attribute("lang") == "en"
        for role in ("banner", "navigation", "main", "contentinfo"):
            assert page.get_by_role(role).count() == 1
        levels_of = "headings => headings.map(heading => +heading.tagName[1])"
        levels = page.locator("h1, h2, h3, h4").evaluate_all(levels_of)
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
        page.keyboard.press("Tab")
        skip = page.get_by_role("link", name="Skip to the results")
        expect(skip).to_be_focused()
        expect(skip).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(page.get_by_role("main")).to_be_focused()
        for table in page.locator("table").all():
            assert table.locator("caption").count() == 1
            assert table.locator("th:not([scope])").count() == 0
    verdict = '<li><span class="verdict {}">{}</span></li>'
    verdicts = "".join(verdict.format(name.replace(" ", "-"), name) for name in VERDICTS)
    for scheme in ("light", "dark"):
        with opened(browser, every_kind.folder / "results/index.html", color_scheme=scheme) as page:
            tallies = page.locator(".tallies").first
            tallies.evaluate("(list, items) => list.innerHTML = items", verdicts)
            for selector in (*TEXTS, ".grid td:not(:empty)"):
                assert smallest_contrast(page.locator(selector)) >= 4.5, (scheme, selector)


def figure_numbers(project):
    own = [data.get("figures", {}) for data in project.settings["histograms"].values()]
    return sorted([*FIGURES["Mildew"], *(number for kinds in own for number in kinds.values())])
