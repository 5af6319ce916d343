"""Fingerprints follow imports and ignore what does not run."""

import shutil
from pathlib import Path

import pytest
from conftest import ROOT

from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import module_of
from ggexp.run.fingerprint import fingerprint, imported, reached

FILES = {
    "script.py": "import numpy\nfrom pack import a\nfrom pack.run.job import job\n",
    "pack/__init__.py": '"""The package."""\n',
    "pack/a.py": "def f():\n    from pack.sub.b import g\n    return g()\n",
    "pack/sub/__init__.py": "",
    "pack/sub/b.py": 'def g():\n    """Return one."""\n    return 1\n',
    "pack/other.py": "x = 1\n",
    "pack/run/__init__.py": "",
    "pack/run/job.py": "job = print\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with the chain script -> pack.a -> pack.sub.b, and pack.other beside it."""
    for name, text in FILES.items():
        (tmp_path / "one" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "one" / name).write_text(text)
    return tmp_path / "one"


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
def test_what_counts(package: Path, path: str, old: str, new: str, changes: bool) -> None:
    changed = package.with_name("changed")
    shutil.copytree(package, changed)
    text = (changed / path).read_text()
    (changed / path).write_text(text.replace(old, new, 1) if old else text + new)
    before, after = (fingerprint(one / "script.py", one / "pack") for one in (package, changed))
    assert (before != after) == changes


@pytest.mark.parametrize("line", ["from pack import b", "import pack.b", "from pack.sub import g"])
def test_what_no_file_has_is_refused(package: Path, line: str) -> None:
    """Its changes would go unnoticed, as those of a name that is imported when it is first used."""
    (package / "script.py").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"script\.py imports pack\..*, but no file is that"):
        fingerprint(package / "script.py", package / "pack")


def test_modules_that_a_script_is_told_of_count(package: Path) -> None:
    (package / "script.py").write_text("import pack\n")
    alone = fingerprint(package / "script.py", package / "pack")
    told = fingerprint(package / "script.py", package / "pack", also=["pack.a"])
    assert told != alone
    (package / "pack/a.py").write_text("x = 12345\n")
    changed = package.with_name("changed")
    shutil.copytree(package, changed)
    assert fingerprint(changed / "script.py", changed / "pack") == alone
    assert fingerprint(changed / "script.py", changed / "pack", also=["pack.a"]) != told


def test_jobs_that_sample_depend_on_what_samples_and_not_on_how_scales_are_found() -> None:
    """In the real package: fingerprints would not notice if a module had another place."""
    script = ROOT / "workflow/scripts/measure_releases.py"
    assert "ggexp.run.job" in imported(script)
    modules = reached(script)
    assert {"ggexp.experiment.errors", "ggexp.mechanisms.noise"} <= set(modules)
    assert "ggexp.mechanisms.calibration" not in modules


def test_jobs_that_sample_depend_on_their_own_family_of_noise_and_not_on_its_privacy_loss() -> None:
    script = ROOT / "workflow/scripts/measure_releases.py"
    gaussian, laplace = Mechanism(2, "pdp"), Mechanism(1, "adp-truncated")
    families = [
        module_of(mechanism.noise(epsilon=1, delta=0.1).parameters())
        for mechanism in (gaussian, laplace)
    ]
    for family, other in (families, families[::-1]):
        modules = set(reached(script, also=[family]))
        assert family in modules
        assert other not in modules
        assert not {f"ggexp.mechanisms.{name}" for name in ("tails", "privacy_loss")} & modules


def test_what_judges_guarantees_depends_on_tails_and_privacy_loss() -> None:
    """Generalized Gaussian noise imports these by name alone, which no fingerprint can follow."""
    needed = {f"ggexp.mechanisms.{name}" for name in ("tails", "privacy_loss", "truncated_laplace")}
    judging = 0
    for script in (ROOT / "workflow/scripts").glob("*.py"):
        modules = set(reached(script))
        if "ggexp.mechanisms.guarantee" in modules:
            judging += 1
            assert needed <= modules, script.name
    assert judging > 3


#: Modules of figures, beside scripts, whose jobs an edit reruns or leaves.
FIGURES = {"tabulate_theory", "tabulate_releases", "tabulate_accuracy", "draw_theory"}


@pytest.mark.parametrize(
    ("module", "reruns", "leaves"),
    [
        (
            "mechanisms.calibration",
            "tabulate_theory check_claims",
            "measure_releases tabulate_releases",
        ),
        ("experiment.metrics", "measure_releases", "measure_accuracy tabulate_releases"),
        (
            "figures.style",
            "draw_figure draw_theory",
            "tabulate_figure tabulate_theory tabulate_releases tabulate_accuracy",
        ),
        ("run.index", "write_index", "write_manifest"),
        ("run.pages", "write_index", "write_manifest"),
    ],
)
def test_walls_between_what_an_edit_reruns(module: str, reruns: str, leaves: str) -> None:
    for scripts, reruns_them in ((reruns, True), (leaves, False)):
        for name in scripts.split():
            folder = "src/ggexp/figures" if name in FIGURES else "workflow/scripts"
            modules = reached(ROOT / f"{folder}/{name}.py")
            assert (f"ggexp.{module}" in modules) == reruns_them, name
