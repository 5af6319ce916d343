"""studies/faults.yaml: each fault can still be inserted, and its code can be parsed."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def faults():
    spec = importlib.util.spec_from_file_location("faults", ROOT / "studies/faults.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["faults"] = module  # its dataclass needs the module there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["faults"]


def test_every_fault_can_be_inserted(faults):
    listed = faults.read_faults()
    assert len(listed) >= 40
    for fault in listed:
        correct = (ROOT / fault.file).read_text("utf-8")
        faulty = fault.applied(correct)
        assert faulty != correct
        if fault.file.endswith(".py"):
            ast.parse(faulty)
        for test in fault.tests:
            assert (ROOT / test).is_file(), fault.name


@pytest.mark.parametrize("text", ["y = 1", "x = 1; x = 1"])
def test_a_fault_must_have_exactly_one_place(faults, text):
    fault = faults.Fault("a sign", "a.py", "x = 1", "x = -1")
    with pytest.raises(ValueError, match=r"'a sign': [02] places in a.py, expected 1"):
        fault.applied(text)


def test_two_faults_with_the_same_name_are_refused(faults, tmp_path):
    entry = "- {name: a, file: a.py, before: b, after: c}\n"
    (tmp_path / "faults.yaml").write_text(2 * entry, "utf-8")
    with pytest.raises(ValueError, match="two faults have one name"):
        faults.read_faults(tmp_path / "faults.yaml")
