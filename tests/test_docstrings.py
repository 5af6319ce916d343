"""Docstrings of public names: numpydoc sections that agree with signatures, examples that run."""

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
OFFERED = [getattr(ggexp, name) for name in ggexp.__all__]
#: The functions and classes that `ggexp` exports, and those of the modules that it exports.
EXPORTED = {
    f"{value.__module__}.{value.__qualname__}": value
    for offered in OFFERED
    for value in (vars(offered).values() if inspect.ismodule(offered) else [offered])
    if inspect.isfunction(value) or inspect.isclass(value)
    if not value.__name__.startswith("_")
    if not inspect.ismodule(offered) or value.__module__ == offered.__name__
}


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name: str) -> None:
    """Each has its imports, so that a reader can copy it."""
    tried = doctest.testmod(importlib.import_module(name), globs={})
    assert tried.attempted
    assert not tried.failed


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
    """Return title -> text of a docstring's sections."""
    parts = re.split(r"(?m)^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(value) or "")
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(section: str) -> list[str]:
    """Return the names that a section describes."""
    found = re.findall(r"(?m)^(\w+(?:, \w+)*) : ", section)
    return [name for names in found for name in names.split(", ")]
