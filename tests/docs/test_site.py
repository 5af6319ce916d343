"""The site of `make docs`: faults that make the build fail, and its pages in a browser offline."""

import importlib.util
import json
import os
import shutil
import sys

import pytest
from browser import opened, size
from conftest import ROOT, git, ran
from playwright.sync_api import expect

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("mkdocs") is None, reason="`make docs` has not installed its tools"
    ),
]
PHONE = size(390, 844)
SCREEN = size(1300, 900)


def build(folder, site):
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", site]
    return ran(*command, cwd=folder, check=False, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})


def files():
    listed = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard")
    return [name for name in listed.splitlines() if (ROOT / name).exists()]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site of `make docs` if it is newer than all files of the project, otherwise a new one."""
    last = ROOT / "site/search/search_index.js"  # written last
    changed = max((ROOT / name).stat().st_mtime for name in files())
    if last.exists() and changed < last.stat().st_mtime:
        return ROOT / "site"
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT, folder)
    assert built.returncode == 0, built.stderr
    return folder


def test_faults_fail(tmp_path):
    """All faults are tested in one build, because a build takes a while."""
    copy = tmp_path / "copy"
    for name in files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    with (copy / "docs/guide.md").open("a", encoding="utf-8") as page:
        page.write("\n[a](../results/none.md), [b](limits.md#none), `ggexp.none`\n")
    (copy / "docs/new.md").write_text("# New\n", "utf-8")
    (copy / "src/ggexp/room").mkdir()
    (copy / "src/ggexp/room/__init__.py").write_text('"""A new room."""\n', "utf-8")
    with (copy / "src/ggexp/checks.py").open("a", encoding="utf-8") as module:
        module.write("\n\ndef undocumented():\n    return 1\n")
    built = build(copy, tmp_path / "site")
    assert built.returncode == 1
    for fault in (
        "contains a link '../results/none.md'",
        "'limits.md#none', but the doc 'docs/limits.md' does not contain an anchor '#none'",
        "Could not find cross-reference target 'ggexp.none'",
        "- docs/new.md\n",
        "- library/room.md\n",
        "ggexp.checks.undocumented has no docstring",
    ):
        assert fault in built.stderr
    assert built.stderr.count("WARNING") == 5  # one for both pages


def test_every_page_by_clicks(browser, site):
    visited = set()
    with opened(browser, site / "index.html", viewport=SCREEN) as page:
        tabs = page.locator(".md-tabs__link")
        for tab in tabs.all_inner_texts():
            tabs.get_by_text(tab, exact=True).click()
            expect(page.locator(".md-tabs__item--active")).to_have_text(tab)
            navigation = page.locator(".md-sidebar--primary .md-nav__item--section > nav > ul")
            entries = navigation.locator("> li > a:visible")
            expect(entries.first).to_be_visible()
            names = entries.all_inner_texts()
            for name in names:
                entries.get_by_text(name, exact=True).click()
                expect(page.locator(".md-nav__link--active:visible").first).to_have_text(name)
                visited.add(page.url.partition("#")[0])
                expect(page.locator("article h1")).to_be_visible()
                for picture in page.locator("article img").all():
                    picture.evaluate("image => image.decode()")
                    assert picture.evaluate("image => image.naturalWidth") > 600
                page.set_viewport_size(PHONE)
                assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
                page.set_viewport_size(SCREEN)
    pages = {path.as_uri() for path in site.rglob("*.html")}
    assert visited == pages - {(site / "404.html").as_uri()}


def test_the_page_of_the_notebook_shows_all_outputs(browser, site):
    notebook = json.loads((ROOT / "docs/notebook.ipynb").read_text("utf-8"))
    outputs = sum(len(cell.get("outputs", ())) for cell in notebook["cells"])
    with opened(browser, site / "index.html") as page:
        page.locator("article a[href*='notebook']").first.click()
        expect(page.locator("article img, article table")).to_have_count(outputs)


def test_names_link_to_docstrings(browser, site):
    with opened(browser, site / "docs/guide.html") as page:
        page.get_by_role("link", name="ggexp.best_order").first.click()
        heading = page.locator(f"[id='{page.url.partition('#')[2]}']")
        expect(heading).to_be_in_viewport()
        expect(heading).to_contain_text("best_order")
