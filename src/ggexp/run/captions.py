"""The captions of the report's templates, for pages other than the report."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import StrictUndefined, Template


def caption(template: Path, *, config: Mapping[str, Any], **names: Any) -> str:
    """Return the caption that Snakemake's report would make of a template, on one line.

    template: a file that asks for ``snakemake.config``, ``snakemake.wildcards`` and
        ``snakemake.params``. config: the run's configuration. names: the wildcards and parameters.
    Raises jinja2.UndefinedError where the template asks for another name, and ValueError where it
    has nothing to say of these.
    """
    given = SimpleNamespace(**names)
    snakemake = SimpleNamespace(config=config, wildcards=given, params=given)
    words = _compiled(template.read_text("utf-8")).render(snakemake=snakemake).split()
    if not words:
        raise ValueError(f"{template} has no caption for {names}")
    return " ".join(words)


@cache  # a template has the captions of many figures, and takes 0.03 s to compile
def _compiled(text: str) -> Template:
    """Return a template that fails where it asks for a name it is not given."""
    return Template(text, undefined=StrictUndefined)
