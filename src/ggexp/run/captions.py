"""Captions of figures and tables, from their templates, for the report and other pages."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def read(template: Path, **names: Any) -> tuple[str, str]:
    """Return a caption and the alternative text of the picture, each on one line.

    template: a file, which may include other files from its folder. It sets the alternative text
        as ``alternative``.
    Raises jinja2.UndefinedError if the template uses a name that is not in ``names``, and
    ValueError if the caption is empty.
    """
    module = _environment(template.parent).get_template(template.name).make_module(names)
    texts = [" ".join(text.split()) for text in (str(module), vars(module).get("alternative", ""))]
    if not texts[0]:
        raise ValueError(f"{template} has no caption for {names}")
    return texts[0], texts[1]


@cache  # the environment keeps compiled templates
def _environment(folder: Path) -> Environment:
    """Return a Jinja environment for a folder in which an unknown name is an error."""
    return Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined)
