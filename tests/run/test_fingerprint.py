"""Fingerprints follow imports and ignore what does not run."""

from pathlib import Path

import pytest

from ggexp.run import fingerprint as module
from ggexp.run.fingerprint import fingerprint


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with the chain script -> pack.a -> pack.sub.b, and pack.other beside it."""
    files = {
        "script.py": "import numpy\nfrom pack import a\nfrom pack.log import log\n",
        "pack/__init__.py": '"""The package."""\n',
        "pack/a.py": "def f():\n    from pack.sub.b import g\n    return g()\n",
        "pack/sub/__init__.py": "",
        "pack/sub/b.py": 'def g():\n    """Return one."""\n    return 1\n',
        "pack/other.py": "x = 1\n",
        "pack/log.py": "log = print\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(module, "PACKAGE", tmp_path / "pack")
    monkeypatch.setattr(module, "APART", {"pack.log"})
    return tmp_path


@pytest.mark.parametrize(
    ("path", "old", "new", "changes"),
    [
        ("pack/sub/b.py", "return 1", "return 2", True),
        ("pack/sub/b.py", "Return one", "Give one", False),
        ("pack/sub/b.py", "return 1", "return 1  # one", False),
        ("pack/sub/__init__.py", "", "y = 1\n", True),
        ("pack/__init__.py", '"""\n', '"""\nz = 1\n', True),
        ("pack/__init__.py", "The package", "A package", False),
        ("pack/other.py", "x = 1", "x = 2", False),
        ("pack/log.py", "print", "repr", False),
    ],
)
def test_what_counts(package: Path, path: str, old: str, new: str, changes: bool) -> None:
    before = fingerprint(package / "script.py")
    module._read.cache_clear()
    text = (package / path).read_text()
    (package / path).write_text(text.replace(old, new, 1) if old else text + new)
    assert (fingerprint(package / "script.py") != before) == changes
