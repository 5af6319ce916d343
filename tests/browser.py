"""A browser that reads pages as people do, with no network."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect, sync_playwright

CHROMIUM = shutil.which("chromium")
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # there is no network
]
PATIENCE = 20_000  # milliseconds until something must be on the screen
expect.set_options(timeout=PATIENCE)

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


@contextmanager
def opened(page_file: Path, **window: object) -> Iterator[Page]:
    """A page in a window of its own. Any error in it, and any request to a network, is one here."""
    wrong: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(f"console: {message.text}")

    def watch(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            wrong.append(f"request: {request.url}")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        context = browser.new_context(offline=True, **{"viewport": size(1300, 900), **window})
        context.on("weberror", lambda error: wrong.append(f"script: {error.error}"))
        context.on("console", listen)
        context.on("request", watch)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(page_file.as_uri())
        try:
            yield page
        except Exception as error:
            raise AssertionError(f"{error}\n{wrong}") from error
        finally:
            browser.close()
    assert wrong == []


def size(width: int, height: int) -> dict[str, int]:
    return {"width": width, "height": height}


def least_contrast(shown: Locator) -> float:
    """The least contrast of some texts to their grounds by WCAG 2, from 1 to 21."""
    colours = shown.evaluate_all(
        """all => all.map(shown => {
          let ground = shown;
          const behind = () => getComputedStyle(ground).backgroundColor;
          while (behind() == "rgba(0, 0, 0, 0)") ground = ground.parentElement;
          return getComputedStyle(shown).color + " on " + behind();
        })"""
    )
    return min(map(contrast, {*colours}))


def contrast(colours: str) -> float:
    """The contrast of a colour on another one."""
    high, low = sorted(map(luminance, colours.split(" on ")), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


class Report:
    """The report on a screen, as far as a reader sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        # the outer one; the other holds the way back
        self.bar = page.locator("#app nav").first
        self.entries = self.bar.locator("ul > li > a")
        self.results = self.bar.locator("tbody > tr")
        self.seen: set[str | None] = set()

    def read(self) -> dict[str, str]:
        """Open everything from the first screen on, and return each result's description."""
        expect(self.bar.get_by_text("General")).to_be_visible()
        self.look_at_the_first_screen()
        found = {}
        for category in self.names()[3:]:  # after Workflow, Statistics and About
            self.enter(category)
            # a category of one kind shows its results at once
            subcategories = [] if self.results.count() else self.names()
            for subcategory in subcategories:
                self.enter(subcategory)
                found |= self.open_results(category, subcategory)
                self.go_back(category)
            if not subcategories:
                found |= self.open_results(category)
            self.go_back("Results")
            assert category in self.names()
        return found

    def look_at_the_first_screen(self) -> None:
        self.enter("Workflow")
        expect(self.page.locator("#rulegraph svg, #rulegraph canvas").first).to_be_visible()
        expect(self.page.get_by_text("Fang Liu").first).to_be_visible()
        self.enter("Statistics")
        for plot in ("runtimes", "timeline"):
            expect(self.page.locator(f"#{plot} svg, #{plot} canvas").first).to_be_visible()
        self.enter("About")
        expect(self.bar.get_by_text("Embedded packages")).to_be_visible()
        self.bar.locator("ol a").first.click()
        expect(self.bar.get_by_text("General")).to_be_visible()

    def names(self) -> list[str]:
        return self.entries.all_inner_texts()

    def enter(self, name: str) -> None:
        self.entries.filter(has_text=re.compile(f"^{re.escape(name)}$")).click()
        expect(self.entries.or_(self.results).first).to_be_visible()

    def go_back(self, name: str) -> None:
        """Click a name on the way back."""
        self.bar.locator("ol a").filter(has_text=re.compile(f"^{re.escape(name)}$")).click()
        expect(self.entries.or_(self.results).first).to_be_visible()

    def open_results(self, *above: str) -> dict[str, str]:
        found = {}
        for i in range(self.results.count()):
            row = self.results.nth(i)
            labels = row.locator("td").all_inner_texts()[:-1]
            look, describe = row.locator("td a").all()
            look.click()
            self.see()
            describe.click()
            found[" / ".join([*above, *labels])] = self.description(labels)
            self.go_back(above[-1])
        assert found
        return found

    def description(self, labels: list[str]) -> str:
        expect(self.bar.get_by_text("Description")).to_be_visible()
        shown = " ".join(self.bar.inner_text().split())
        assert all(label in shown for label in labels)
        return shown.partition("DESCRIPTION")[2].partition("SIZE")[0]

    def see(self) -> None:
        """Something new is on the screen: a picture, or a page with a table."""
        content = self.page.locator("#app img[src^='data:image/png'], #app iframe")
        expect(content).to_be_visible()
        assert content.get_attribute("src") not in self.seen
        self.seen.add(content.get_attribute("src"))
        if content.evaluate("shown => shown.tagName") == "IMG":
            content.evaluate("picture => picture.decode()")
            assert content.evaluate("picture => picture.naturalWidth") > 1000
        else:
            table = content.content_frame.locator("table")
            expect(table.first).to_be_visible()
            assert table.first.locator("tbody tr").count() > 0
