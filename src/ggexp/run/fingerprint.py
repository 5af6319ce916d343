"""Fingerprints of code: what a script's results depend on, so that an edit reruns just that."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
APART = {"ggexp.run.job"}  # logs and messages, on which no result depends


def fingerprint(script: Path) -> str:
    """Return a hash of the package's code that a script imports, directly or not.

    It covers every module of this package that is imported anywhere in the script or, transitively,
    in those modules, but for those `APART`; neither comments nor docstrings count. The script
    itself is not covered: the workflow watches that on its own.
    """
    found: dict[str, str] = {}
    waiting = list(_imports(ast.parse(script.read_text("utf-8"))))
    while waiting:
        name = waiting.pop()
        if name not in {*found, *APART} and (path := _module_path(name)):
            found[name], imports = _read(path)
            waiting += imports
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]


def _module_path(name: str) -> Path | None:
    """Return the file of a module of this package, None if the name is of something else."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


@cache
def _read(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return a module's code without comments and docstrings, and what it imports."""
    tree = ast.parse(path.read_text("utf-8"))
    imports = tuple(_imports(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None:
                node.body[0] = ast.Pass()
    return ast.unparse(tree), imports


def _imports(tree: ast.AST) -> Iterator[str]:
    """Yield the package's modules that a tree imports, with the packages above them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            # the last name may be a module, as in `from ggexp import checks`, or something in it
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == PACKAGE.name:
                yield from (".".join(parts[: i + 1]) for i in range(len(parts)))
