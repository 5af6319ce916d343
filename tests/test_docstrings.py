"""Docstrings of public names: their sections agree with signatures, and their examples run."""

import doctest
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import ggexp

PACKAGE = Path(ggexp.__file__).parent
WITH_EXAMPLES = [
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted(PACKAGE.rglob("*.py"))
    if re.search(r"(?m)^ *>>> ", file.read_text("utf-8"))
]
PUBLIC = [getattr(ggexp, name) for name in ggexp.__all__]
#: The functions and classes that `ggexp` exports, and those in the modules that it exports.
EXPORTED = {
    f"{value.__module__}.{value.__qualname__}": value
    for public in PUBLIC
    for value in (vars(public).values() if inspect.ismodule(public) else [public])
    if inspect.isfunction(value) or inspect.isclass(value)
    if not value.__name__.startswith("_")
    if not inspect.ismodule(public) or value.__module__ == public.__name__
}


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name: str) -> None:
    """They include their imports, so that readers can copy them."""
    results = doctest.testmod(importlib.import_module(name), globs={})
    assert results.attempted
    assert not results.failed


@pytest.mark.parametrize("name", EXPORTED)
def test_sections_agree_with_the_signature(name: str) -> None:
    value = EXPORTED[name]
    sections = sections_of(value)
    assert ">>> " in sections["Examples"]
    names = list(inspect.signature(value).parameters)
    if inspect.isclass(value):
        title = "Attributes" if issubclass(value, tuple) else "Parameters"
        assert described(sections[title]) == names
    else:
        assert described(sections["Parameters"]) == names
        assert "Returns" in sections


def sections_of(value: Callable) -> dict[str, str]:
    """Return title -> text of the sections of a docstring."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(value) or "")
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(section: str) -> list[str]:
    """Return the names that a section describes."""
    entries = re.findall(r"(?m)^(\w+(?:, \w+)*) : ", section)
    return [name for names in entries for name in names.split(", ")]
