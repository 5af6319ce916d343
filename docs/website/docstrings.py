"""Conversion of docstrings, which are plain text in this project, to Markdown."""

import ast
import re
from collections.abc import Iterator

import griffe

LOG = griffe.get_logger(__name__)


class PlainText(griffe.Extension):
    """An extension that converts all docstrings after griffe has loaded the package."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Convert each docstring to Markdown, and warn about public names without a docstring.

        The ranges that the types of parameters state follow the first sentence.
        """
        ranges = {
            member.path: ast.literal_eval(str(member.value.slice.elements[-1]))
            for member in pkg["ranges"].attributes.values()
        }
        for member in walk(pkg):
            if member.docstring:
                first, *rest = markdown(member.docstring.value).split("\n\n", 1)
                stated = [ranges[path] for path in types_of(member) if path in ranges]
                line = [f"Ranges: {'; '.join(stated)}."] if stated else []
                member.docstring.value = "\n\n".join([first, *line, *rest])
            elif member.is_public and not member.is_attribute:
                LOG.warning("%s has no docstring", member.path)


def types_of(member: griffe.Object) -> list[str]:
    """Return the paths of the names in the types of parameters or fields, each once."""
    parts: list[griffe.Parameter | griffe.Attribute] = []
    if isinstance(member, griffe.Function):
        for function in member.overloads or [member]:
            parts += function.parameters
    elif isinstance(member, griffe.Class):
        parts += member.attributes.values()
    names = [
        name.canonical_path
        for part in parts
        if isinstance(part.annotation, griffe.Expr)
        for name in part.annotation.iterate(flat=True)
        if isinstance(name, griffe.ExprName)
    ]
    return list(dict.fromkeys(names))


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
