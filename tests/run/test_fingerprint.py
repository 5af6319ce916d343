"""Fingerprints follow imports and ignore comments and docstrings."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import module_of
from ggexp.run.fingerprint import AT_FIRST_USE, fingerprint, imported, reached, store

FILES = {
    "script.py": "import numpy\nfrom pack import a\nfrom pack.run.job import job\n",
    "pack/__init__.py": '"""The package."""\n',
    "pack/a.py": "def f():\n    from pack.sub.b import g\n    return g()\n",
    "pack/sub/__init__.py": "",
    "pack/sub/b.py": 'def g():\n    """Return one."""\n    return 1\n',
    "pack/other.py": "x = 1\n",
    "pack/mechanisms/__init__.py": "",
    "pack/mechanisms/family.py": "def f():\n    module_at_first_use('own').g()\n",
    "pack/mechanisms/own.py": "def g():\n    module_at_first_use('tails')\n",
    "pack/mechanisms/tails.py": "",
    "pack/run/__init__.py": "",
    "pack/run/job.py": "job = print\n",
}


@pytest.fixture
def package(tmp_path):
    """A package with the imports script -> pack.a -> pack.sub.b, and the unused pack.other."""
    for name, text in FILES.items():
        (tmp_path / "original" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "original" / name).write_text(text)
    return tmp_path / "original"


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
        ("pack/run/job.py", "print", "repr", False),
    ],
)
def test_which_edits_change_a_fingerprint(package, path, old, new, changes):
    changed = package.with_name("changed")
    shutil.copytree(package, changed)
    text = (changed / path).read_text()
    (changed / path).write_text(text.replace(old, new, 1) if old else text + new)
    before = fingerprint(package / "script.py", package / "pack")
    assert (fingerprint(changed / "script.py", changed / "pack") != before) == changes


def test_the_fingerprint_of_a_source_is_known(package):
    """Under each version of Python, whose syntax trees of f-strings and functions differ."""
    source = """
class A(dict):
    async def f(self, *, x: "int" = 1) -> None:
        return f"{x!r:>{self.w}}" "" f"{x:}" f"{x = }é" if x else (1j, b"a", ..., {**x})
"""
    (package / "pack/a.py").write_text(source, "utf-8")
    assert fingerprint(package / "script.py", package / "pack") == "f1189b12dd8e38ff"


def test_an_import_without_a_file_is_refused(package):
    """Changes of such a module, or of a name that is imported on first use, would go unnoticed."""
    for line in ("from pack import b", "import pack.b", "from pack.sub import g"):
        (package / "script.py").write_text(f"{line}\n")
        with pytest.raises(ValueError, match=r"script\.py imports pack\..*, but there is no such"):
            fingerprint(package / "script.py", package / "pack")


def test_additional_modules_count(package):
    script, pack, found = package / "script.py", package / "pack", []
    script.write_text("import pack\n")
    for text in ("x = 1\n", "x = 2\n"):
        (package / "pack/a.py").write_text(text)
        found.append((fingerprint(script, pack), fingerprint(script, pack, also=["pack.a"])))
    assert found[0][0] == found[1][0]
    assert len({*found[0], *found[1]}) == 3


def test_modules_that_a_family_imports_at_first_use_are_covered_except_for_the_librarys(package):
    modules = reached(package / "script.py", package / "pack", also=["pack.mechanisms.family"])
    assert "pack.mechanisms.own" in modules
    assert "pack.mechanisms.tails" not in modules
    (package / "pack/mechanisms/own.py").unlink()
    with pytest.raises(ValueError, match=r"pack\.mechanisms\.own, but there is no such module"):
        reached(package / "script.py", package / "pack", also=["pack.mechanisms.family"])


def test_stored_fingerprints_follow_edits(package, monkeypatch):
    """An older file in place of a newer one counts too, even if it has the same size and time."""
    unwritable, stored = package / "script.py/fingerprints.json", package / "run/fingerprints.json"
    fingerprints = sys.modules[fingerprint.__module__]
    monkeypatch.setattr(fingerprints, "STORES", (unwritable, stored))
    script, module = package / "script.py", package / "pack/sub/b.py"

    def restarted():
        known.cache_clear()
        found = fingerprint(script, package / "pack")
        store(package / "pack")
        return found

    known = vars(fingerprints)["_known"]
    try:
        first = restarted()
        read = stored.read_bytes()
        assert restarted() == first
        assert stored.read_bytes() == read
        older, times = module.read_text().replace("return 1", "return 3"), module.stat()
        module.write_text(older)
        os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert restarted() != first
        module.unlink()
        with pytest.raises(ValueError, match=r"pack\.sub\.b, but there is no such module"):
            restarted()
    finally:
        known.cache_clear()


def test_a_job_that_uses_an_uncovered_module_fails(tmp_path):
    """The module is imported by its name, which no fingerprint can follow."""
    script = tmp_path / "script.py"
    script.write_text("""
import sys
from importlib import import_module
from types import SimpleNamespace
from ggexp import streams
from ggexp.run.job import job
with job(SimpleNamespace(log=["log"], params={"code": sys.argv[1]})):
    import_module("ggexp.mechanisms.tails")
""")
    for code, expected in (("0123 ggexp.mechanisms.tails", 0), ("0123", 1)):
        ended = subprocess.run([sys.executable, script, code], cwd=tmp_path, check=False)
        assert ended.returncode == expected
    assert "ggexp.mechanisms.tails" in (tmp_path / "log").read_text()


#: Modules that families of noise import at first use, by name, and one that these import.
LATER = {f"ggexp.mechanisms.{name}" for name in (*AT_FIRST_USE, "privacy_loss")}


def test_scripts_depend_on_their_noise_and_its_privacy_loss_only_if_they_use_it():
    """This test uses the real package, so that it notices if a module is moved."""
    script = ROOT / "workflow/scripts/measure_releases.py"
    assert "ggexp.run.job" in imported(script)
    families = [
        module_of(mechanism.noise(epsilon=1, delta=0.1).parameters())
        for mechanism in (Mechanism(2, "pdp"), Mechanism(1, "adp-truncated"))
    ]
    for family, other in (families, families[::-1]):
        modules = {*reached(script, also=[family])}
        assert {"ggexp.experiment.metrics", "ggexp.mechanisms.noise", family} <= modules
        assert not modules & {"ggexp.mechanisms.calibration", other, *LATER}
    checked = [
        modules
        for path in script.parent.glob("*.py")
        for modules in [reached(path).keys()]
        if "ggexp.mechanisms.guarantee" in modules
    ]
    assert len(checked) > 3
    for modules in checked:
        assert modules >= LATER
