"""Conversion of formulas (blocks of the language `math`) to MathML, which browsers display."""

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig


def on_config(config: MkDocsConfig) -> None:
    """Register the conversion for blocks of the language `math`."""
    block = {"name": "math", "class": "math", "format": formula}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [block]}


def formula(source: str, *_: object, **__: object) -> str:
    """Return a LaTeX formula as MathML."""
    return f'<div class="math">{convert(source, display="block")}</div>'
