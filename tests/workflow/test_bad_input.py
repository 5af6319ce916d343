"""Bad input ends a run before any job starts, with one message and no traceback."""

import pytest
from conftest import Project


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"repeats": 0}, "repeats: must be >= 1, got 0"),
        ({"epsilon": [float("nan")]}, "epsilon[0]: must be a finite number, got nan"),
        ({"datasets": ["moths"]}, "datasets: unknown data set 'moths', defined in histograms are:"),
    ],
)
def test_configuration(project: Project, settings: dict[str, object], message: str) -> None:
    project.configure(**settings)
    ended = project.snakemake()
    assert ended.returncode != 0
    assert message in ended.stdout
    assert "Traceback" not in ended.stdout
    assert not (project.folder / "results").exists()


def test_table(project: Project) -> None:
    project.edit("data/mildew.csv", lambda text: text.replace("2,1,1,1,1,1,0", "2,1,1,1,1,1,-1"))
    ended = project.snakemake()
    assert ended.returncode != 0
    assert "data/mildew.csv, line 3: count must be a non-negative whole number, got '-1'" in (
        ended.stdout
    )
    assert "Traceback" not in ended.stdout
    assert not (project.folder / "results").exists()
