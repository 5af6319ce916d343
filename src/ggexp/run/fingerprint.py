"""Fingerprints of the code on which the results of a script depend.

After an edit of the library, only those jobs rerun whose scripts have a new fingerprint.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
#: Modules on which no result depends: this one, and that of logs and messages.
EXCLUDED = ("run.fingerprint", "run.job")
#: The modules that the library's noise imports with `module_at_first_use`. Scripts that use them
#: import them too, or their rules name them: jobs that only draw noise do not depend on them.
AT_FIRST_USE = ("loss_distribution", "real_losses", "tails")
#: Where it is written what is known of the modules, so that unchanged ones are not parsed again:
#: beside the bytecode, or for an installation that a user cannot change, in the folder of the run.
STORES = (PACKAGE / "__pycache__/fingerprints.json", Path(".snakemake/fingerprints.json"))
#: The hash of this file. What another version of it wrote is not read.
VERSION = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def fingerprint(script: Path, package: Path = PACKAGE, *, also: Iterable[str] = ()) -> str:
    """Return a hash of the modules that a script imports; see `reached` for the parameters."""
    modules = reached(script, package, also=also)
    return _hash(repr(sorted(modules.items())).encode())[:16]


def reached(script: Path, package: Path = PACKAGE, *, also: Iterable[str] = ()) -> dict[str, str]:
    """Return module -> hash of its code, for all modules that a script imports, also indirectly.

    also: names of modules that the script receives and imports at run time.
    Imports within functions count too; the modules `EXCLUDED` do not. The code has neither comments
    nor docstrings. Snakemake detects changes of the script itself.
    """
    modules: dict[str, str] = {}
    excluded = {f"{package.name}.{name}" for name in EXCLUDED}
    waiting = [*imported(script, package), *(part for name in also for part in _packages(name))]
    while waiting:
        name = waiting.pop()
        if name not in {*modules, *excluded}:
            if (file := _file(name, package)) is None:
                raise ValueError(f"{script} depends on {name}, but there is no such module")
            modules[name], imports = _read(file, package)
            waiting += imports
    return modules


def check_covered(script: Path, also: Iterable[str]) -> None:
    """Raise ValueError if this process has imported modules that a fingerprint does not cover.

    Then an edit of these modules would rerun nothing.
    """
    loaded = {name for name in sys.modules if name.split(".")[0] == PACKAGE.name}
    covered = {*reached(script, also=also), *(f"{PACKAGE.name}.{name}" for name in EXCLUDED)}
    if missing := sorted(loaded - covered):
        raise ValueError(
            f"{script.name} has used {', '.join(missing)}, which the parameter code of its rule "
            "does not cover. Name them there, in the call of fingerprint_of"
        )


def imported(file: Path, package: Path = PACKAGE) -> set[str]:
    """Return the modules of the package that a file imports, and their parent packages."""
    return set(_imports(ast.parse(file.read_text("utf-8")), file, package))


def store(package: Path = PACKAGE) -> None:
    """Parse all modules of the package that have changed, and write what is known to a file."""
    known = _known()
    before = dict(known)
    for path in package.rglob("*.py"):
        _read(path, package)
    for path in STORES if known != before else ():
        temporary = path.with_name(f".{os.getpid()}.{path.name}")
        with suppress(OSError):
            path.parent.mkdir(exist_ok=True)
            temporary.write_text(json.dumps({"by": VERSION, "modules": known}), "utf-8")
            temporary.replace(path)
            break


@cache
def _known() -> dict[str, tuple[str, list[str]]]:
    """Return hash of the file -> hash of its code, and imports, of each module that was parsed."""
    for path in STORES:
        with suppress(OSError, ValueError, KeyError):
            stored = json.loads(path.read_text("utf-8"))
            if stored["by"] == VERSION:
                return dict(stored["modules"])
    return {}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(path: Path, package: Path) -> tuple[str, list[str]]:
    """Return a hash of a module's code, and the modules that it imports."""
    source, known = path.read_bytes(), _known()
    if (key := _hash(source)) not in known:
        tree = ast.parse(source)
        known[key] = _hash(_code(tree).encode()), [*_imports(tree, path, package)]
    code, imports = known[key]
    return code, imports


def _code(part: object) -> str:
    """Return a part of a syntax tree as text, without docstrings.

    The text is the same under each version of Python, unlike those of `ast.unparse` and `ast.dump`:
    empty fields, and pieces of text without characters in f-strings, are left out.
    """
    if isinstance(part, list):
        return f"[{','.join(map(_code, part))}]"
    if not isinstance(part, ast.AST):
        return ascii(part)  # repr depends on the version of Unicode
    fields = {
        name: value
        for name, value in ast.iter_fields(part)
        if value is not None and value != [] and not isinstance(value, ast.expr_context)
    }
    if isinstance(part, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        fields["body"] = [line for line in part.body if not _is_text(line)]
    elif isinstance(part, ast.JoinedStr):
        fields["values"] = [value for value in part.values if getattr(value, "value", None) != ""]
    texts = (f"{name}={_code(value)}" for name, value in sorted(fields.items()))
    return f"{type(part).__name__}({','.join(texts)})"


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or the explanation below a field of a class."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _file(name: str, package: Path) -> Path | None:
    """Return the file of a module of the package, None if it does not exist."""
    path = package.parent.joinpath(*name.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in candidates if file.is_file()), None)


def _imports(tree: ast.AST, path: Path, package: Path) -> Iterator[str]:
    """Yield the package's modules that a syntax tree imports, and their parent packages."""
    for node in _nodes_that_run(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            module = _file(node.module, package)
            if module is not None and module.name != "__init__.py":
                names = [node.module]  # the imported names are objects in this module
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "module_at_first_use":
            later = [str(name.value) for name in node.args if isinstance(name, ast.Constant)]
            names = [
                f"{package.name}.mechanisms.{name}" for name in later if name not in AT_FIRST_USE
            ]
        else:
            continue
        for name in names:
            if name.split(".")[0] == package.name:
                if _file(name, package) is None:
                    raise ValueError(f"{path} imports {name}, but there is no such module")
                yield from _packages(name)


def _nodes_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield a tree's nodes, without the statements that only type checkers read."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not is_for_types:
            waiting += ast.iter_child_nodes(node)


def _packages(name: str) -> list[str]:
    """Return the name of a module, and of the packages that contain it."""
    parts = name.split(".")
    return [".".join(parts[: i + 1]) for i in range(len(parts))]
