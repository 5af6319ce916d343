"""A browser without a network, which opens pages and clicks through them as a reader does."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)

CHROMIUM = shutil.which("chromium")
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no host is found
]
TIMEOUT = 20_000  # milliseconds until an expected element must be on the screen
expect.set_options(timeout=TIMEOUT)


@contextmanager
def started() -> Iterator[Browser]:
    """Start a browser. If there is none, skip the test."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES) as browser,
    ):
        yield browser


@contextmanager
def opened(browser: Browser, page_file: Path, **window: object) -> Iterator[Page]:
    """Open a page in its own window, as a new visitor.

    An error in the page or a network request fails the test.
    """
    problems: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            problems.append(f"console: {message.text}")

    def watch(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            problems.append(f"request: {request.url}")

    screen = {"viewport": size(1300, 900), "reduced_motion": "reduce", **window}
    context = browser.new_context(offline=True, **screen)
    context.on("weberror", lambda error: problems.append(f"script: {error.error}"))
    context.on("console", listen)
    context.on("request", watch)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(page_file.as_uri())
    try:
        yield page
    except Exception as error:
        raise AssertionError(f"{error}\n{problems}") from error
    finally:
        context.close()
    assert problems == []


def size(width: int, height: int) -> dict[str, int]:
    return {"width": width, "height": height}


def smallest_contrast(texts: Locator) -> float:
    """Return the smallest contrast between some texts and their backgrounds (WCAG 2, 1 to 21)."""
    colours = texts.evaluate_all(
        """texts => texts.map(text => {
          let ancestor = text;
          const background = () => getComputedStyle(ancestor).backgroundColor;
          while (background() == "rgba(0, 0, 0, 0)") ancestor = ancestor.parentElement;
          return getComputedStyle(text).color + " on " + background();
        })"""
    )
    return min(map(contrast, {*colours}))


def contrast(colours: str) -> float:
    """Return the contrast of two colours, which are written as "text on background"."""
    lighter, darker = sorted(map(luminance, colours.split(" on ")), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


class Report:
    """The report on a screen, as a reader sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        # the outer element; the inner one has the links back
        self.bar = page.locator("#app nav").first
        self.entries = self.bar.locator("ul > li > a")
        self.results = self.bar.locator("tbody > tr")
        self.seen: set[str | None] = set()

    def read(self) -> dict[str, str]:
        """Open all pages and results from the first screen on; return result -> description."""
        expect(self.bar.get_by_text("General")).to_be_visible()
        descriptions = {}
        for category in self.names()[3:]:  # after Workflow, Statistics and About
            self.enter(category)
            descriptions |= self.open_results(category)
            self.go_home()
            assert category in self.names()
        return descriptions

    def go_home(self) -> None:
        self.bar.locator("ol a").first.click()
        expect(self.bar.get_by_text("General")).to_be_visible()

    def names(self) -> list[str]:
        return self.entries.all_inner_texts()

    def enter(self, name: str) -> None:
        self.entries.filter(has_text=re.compile(f"^{re.escape(name)}$")).click()
        expect(self.entries.or_(self.results).first).to_be_visible()

    def go_back(self, name: str) -> None:
        """Click the link back to a category."""
        self.bar.locator("ol a").filter(has_text=re.compile(f"^{re.escape(name)}$")).click()
        expect(self.entries.or_(self.results).first).to_be_visible()

    def open_results(self, category: str) -> dict[str, str]:
        descriptions = {}
        for i in range(self.results.count()):
            row = self.results.nth(i)
            labels = row.locator("td").all_inner_texts()[:-1]
            show, describe = row.locator("td a").all()
            show.click()
            self.check_content()
            describe.click()
            descriptions[" / ".join([category, *labels])] = self.description(labels)
            self.go_back(category)
        assert descriptions
        return descriptions

    def description(self, labels: list[str]) -> str:
        expect(self.bar.get_by_text("Description")).to_be_visible()
        text = " ".join(self.bar.inner_text().split())
        assert all(label in text for label in labels)
        return text.partition("DESCRIPTION")[2].partition("SIZE")[0]

    def check_content(self) -> None:
        """Check that a new picture is on the screen."""
        picture = self.page.locator("#app img[src^='data:image/png']")
        expect(picture).to_be_visible()
        assert picture.get_attribute("src") not in self.seen
        self.seen.add(picture.get_attribute("src"))
        picture.evaluate("picture => picture.decode()")
        assert picture.evaluate("picture => picture.naturalWidth") > 1000
