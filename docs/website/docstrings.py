"""Conversion of docstrings, which are plain text in this project, to Markdown."""

import re
from collections.abc import Iterator

import griffe

LOG = griffe.get_logger(__name__)


class PlainText(griffe.Extension):
    """An extension that converts all docstrings after griffe has loaded the package."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Convert each docstring to Markdown, and warn about public names without a docstring."""
        for member in walk(pkg):
            if member.docstring:
                member.docstring.value = markdown(member.docstring.value)
            elif member.is_public and not member.is_attribute:
                LOG.warning("%s has no docstring", member.path)


def walk(parent: griffe.Object) -> Iterator[griffe.Object]:
    """Yield an object and all objects defined in it, except special methods and imports."""
    yield parent
    for name, member in parent.members.items():
        if isinstance(member, griffe.Object) and not (member.is_function and name.startswith("__")):
            yield from walk(member)


def markdown(text: str) -> str:
    """Return a docstring with links to names, fenced examples and bold argument names.

    Line breaks at the end of a sentence are kept; others are treated as spaces.
    """
    text = re.sub(r"`(ggexp(?:\.\w+)+)`", r"[`\1`][]", text)
    text = re.sub(r"(?m)^>>> (?:.+\n?)+", "```pycon\n\\g<0>\n```\n", text)
    text = re.sub(r"(?m)(\n\n|[.:;]\s)([a-z]\w*(?:, [a-z]\w*)*): ", r"\1**\2**: ", text)
    return re.sub(r"(?<=[.:;])\n(?=[^\s`>])", "  \n", text)
