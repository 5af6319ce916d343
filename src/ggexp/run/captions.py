"""What the templates of captions say, for the report, the index and other pages."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def read(template: Path, **names: Any) -> tuple[str, str]:
    """Return a caption, and the text that stands for the picture, each on one line.

    template: a file that may include those beside it. The text for the picture is what it sets as
        ``alternative``, nothing if it sets none.
    Raises jinja2.UndefinedError if the template asks for another name, and ValueError if it has no
    caption for these.
    """
    made = _environment(template.parent).get_template(template.name).make_module(names)
    texts = [" ".join(text.split()) for text in (str(made), vars(made).get("alternative", ""))]
    if not texts[0]:
        raise ValueError(f"{template} has no caption for {names}")
    return texts[0], texts[1]


@cache  # it keeps compiled templates
def _environment(folder: Path) -> Environment:
    """Return what reads templates of a folder, and fails if one asks for a name it is not given."""
    return Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined)
