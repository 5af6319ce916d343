"""Pages and captions from templates."""

from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import jinja2

from ggexp.words import mechanisms_in_words

#: In the template of a caption, what precedes the alternative text of the picture.
ALTERNATIVE = "Alternative text:"


class FigureText(TypedDict):
    """What a page says about a figure."""

    number: str
    name: str
    title: str
    caption: str
    alternative: str


class SectionText(TypedDict):
    """A section of a page, with figures."""

    name: str
    figures: list[FigureText]


class TableText(TypedDict):
    """What a page says about a table; source: its file, relative to the results."""

    source: str
    title: str
    caption: str


def render(template: Path, **names: Any) -> str:
    """Return the page that a template renders with the values of ``names``.

    Values are escaped if the template's name ends in .html.j2.
    Raises jinja2.UndefinedError if the template uses another name.
    """
    return _environment(template.parent).get_template(template.name).render(names)


def caption(template: Path, **names: Any) -> tuple[str, str]:
    """Return a caption and the alternative text of the picture, each on one line.

    In the template, the alternative text, if there is one, follows `ALTERNATIVE`.
    Raises ValueError if the caption is empty, and errors as `render` does.
    """
    text, _, alternative = " ".join(render(template, **names).split()).partition(ALTERNATIVE)
    if not text:
        raise ValueError(f"{template} has no caption for {names}")
    return text.strip(), alternative.strip()


@cache  # the environment keeps compiled templates
def _environment(folder: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=jinja2.select_autoescape(("html.j2",), default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["named"] = mechanisms_in_words
    return environment
