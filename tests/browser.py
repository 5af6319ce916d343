"""Pages in a browser, as a reader sees them, and the contrast of their texts."""

import re
from contextlib import contextmanager

from playwright.sync_api import expect

TIMEOUT = 20_000  # milliseconds until an expected element must be on the screen
expect.set_options(timeout=TIMEOUT)


@contextmanager
def opened(browser, page_file, **window):
    """Open a page in its own window, as a new visitor.

    An error in the page or a network request fails the test.
    """
    problems: list[str] = []

    def listen(message):
        if message.type == "error":
            problems.append(f"console: {message.text}")

    def watch(request):
        if not request.url.startswith(("file:", "data:", "blob:")):
            problems.append(f"request: {request.url}")

    screen = {"viewport": size(1300, 900)} | window
    context = browser.new_context(offline=True, reduced_motion="reduce", **screen)
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


def size(width, height):
    return {"width": width, "height": height}


def smallest_contrast(texts):
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


def contrast(colours):
    lighter, darker = sorted(map(luminance, colours.split(" on ")), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
