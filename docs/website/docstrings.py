"""Docstrings, which are plain text in this project, as Markdown."""

import re
from collections.abc import Iterator

import griffe

LOG = griffe.get_logger(__name__)


class PlainText(griffe.Extension):
    """What is done with the package once it is read, and before it is written."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Write each docstring as Markdown, and warn of a public name that has none."""
        for one in within(pkg):
            if one.docstring:
                one.docstring.value = markdown(one.docstring.value)
            elif one.is_public and not one.is_attribute:
                LOG.warning("%s has no docstring", one.path)


def within(parent: griffe.Object) -> Iterator[griffe.Object]:
    """Yield an object and all that is defined in it, but for special methods and imports."""
    yield parent
    for name, one in parent.members.items():
        if isinstance(one, griffe.Object) and not (one.is_function and name.startswith("__")):
            yield from within(one)


def markdown(text: str) -> str:
    """Return a docstring with links to names, its examples fenced, and its arguments marked.

    A line ends where a sentence does: what is broken for its length alone flows.
    """
    text = re.sub(r"`(ggexp(?:\.\w+)+)`", r"[`\1`][]", text)
    text = re.sub(r"(?m)^>>> (?:.+\n?)+", "```pycon\n\\g<0>\n```\n", text)
    text = re.sub(r"(?m)(\n\n|[.:;]\s)([a-z]\w*(?:, [a-z]\w*)*): ", r"\1**\2**: ", text)
    return re.sub(r"(?<=[.:;])\n(?=[^\s`>])", "  \n", text)
