"""Docstrings: their examples run, and the parameters that they describe exist."""

import ast
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import ggexp

PACKAGE = Path(ggexp.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
WITH_EXAMPLES = [
    ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for file in FILES
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
def test_examples_run(name):
    """They include their imports, so that readers can copy them."""
    results = doctest.testmod(importlib.import_module(name), globs={})
    assert results.attempted
    assert not results.failed


def test_exported_names_have_examples():
    assert len(EXPORTED) > 20
    assert not [name for name in EXPORTED if ">>> " not in (inspect.getdoc(EXPORTED[name]) or "")]


def test_described_parameters_exist():
    """A parameter is described at the start of a line; there are no numpydoc sections."""
    checked: set[str] = set()
    for node in (node for file in FILES for node in described(ast.parse(file.read_text("utf-8")))):
        text = ast.get_docstring(node) or ""
        assert not re.search(r"(?m)^-{3,}$", text)
        if not isinstance(node, ast.Module) and not DESCRIBES_RESULT.search(text):
            lines = re.findall(r"(?m)^([a-z]\w*(?:, [a-z]\w*)*): ", text)
            named = {name for line in lines for name in line.split(", ")}
            assert not named or named <= names(node), text
            checked |= named
    assert len(checked) > 100


#: Docstrings that describe the columns of a result, and those that are texts of `--help`.
DESCRIBES_RESULT = re.compile(r"\b[Cc]olumns?\b|\AReturn the numbers|\APrint ")


def described(node):
    """Yield a module, class or function, and those in it."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        yield node
    if not isinstance(node, ast.expr):
        for part in ast.iter_child_nodes(node):
            yield from described(part)


def names(node):
    parts = list(ast.walk(node))
    return (
        {part.arg for part in parts if isinstance(part, ast.arg)}
        | {part.attr for part in parts if isinstance(part, ast.Attribute)}
        | {ast.unparse(part.target) for part in parts if isinstance(part, ast.AnnAssign)}
        | {part.value for part in parts if isinstance(part, ast.Constant)}
    )
