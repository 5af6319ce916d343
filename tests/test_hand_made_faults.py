"""studies/faults.yaml: each fault can still be inserted, and its code can be parsed."""

import ast
import sys

import pytest
from conftest import ROOT, save

sys.path.append(str(ROOT / "studies"))

import faults


def test_every_fault_can_be_inserted():
    listed = faults.read_faults()
    assert len(listed) >= 40
    for fault in listed:
        correct = (ROOT / fault.file).read_text("utf-8")
        faulty = fault.applied(correct)
        assert faulty != correct
        if fault.file.endswith(".py"):
            ast.parse(faulty)
        for test in fault.groups()[0]:
            assert (ROOT / test).is_file(), fault.name


def test_a_list_that_would_test_the_wrong_code_is_refused(tmp_path):
    fault = faults.Fault("a sign", "a.py", "x = 1", "x = -1")
    for text in ("y = 1", "x = 1; x = 1"):
        with pytest.raises(ValueError, match=r"'a sign': [02] places in a.py, expected 1"):
            fault.applied(text)
    entry = "- {name: a, file: a.py, before: b, after: c}\n"
    with pytest.raises(ValueError, match="two faults have one name"):
        faults.read_faults(save(tmp_path / "faults.yaml", 2 * entry))
