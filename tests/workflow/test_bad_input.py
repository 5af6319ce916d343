"""Bad input ends a run with one message and no traceback; a bad configuration, before any job.

tests/experiment/test_configuration.py and tests/datasets test all messages.
"""

import re

import pytest
from conftest import Project, pattern_of

pytestmark = pytest.mark.slow


def assert_refused(project: Project, message: str) -> None:
    assert re.search(pattern_of(message), project.refused())
    assert not [*(project.folder / "results").rglob("*.parquet")]


def test_configuration(project: Project) -> None:
    own = {"counts": "data/own/mine.csv", "factors": {"a": ["x", "y"]}, "total": 1}
    project.configure(datasets=["own"], histograms={"own": own | {"mechanisms": ["laplace"]}})
    assert_refused(project, "histograms.own.counts: … 'data/own/mine.csv'")
    assert not (project.folder / "results").exists()


def test_table(project: Project) -> None:
    project.edit("data/mildew.csv", lambda text: text.replace("2,1,1,1,1,1,0", "2,1,1,1,1,1,-1"))
    project.configure(theory=False)
    assert_refused(project, "data/mildew.csv, line 3: count … negative … got '-1'")
