"""Formulas, which are blocks of the language `math`, as MathML: browsers draw it by themselves."""

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig


def on_config(config: MkDocsConfig) -> None:
    """Set how such blocks are written."""
    block = {"name": "math", "class": "math", "format": formula}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [block]}


def formula(source: str, *_: object, **__: object) -> str:
    """Return a formula of LaTeX as MathML."""
    return f'<div class="math">{convert(source, display="block")}</div>'
