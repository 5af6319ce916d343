"""An edit reruns what depends on it, and nothing else."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from conftest import Project

pytestmark = pytest.mark.slow

METRICS = "src/ggexp/experiment/metrics.py"
MEASURED = {
    "sanitize_histogram",
    "summarize_errors",
    "merge_summaries",
    "tabulate_summary",
    "draw_experiment",
}


@contextmanager
def edited(project: Project, path: str, change: Callable[[str], str]) -> Iterator[None]:
    """The project with a changed file, which is put back afterwards."""
    original = (project.folder / path).read_text("utf-8")
    project.edit(path, change)
    try:
        yield
    finally:
        (project.folder / path).write_text(original, "utf-8")


@pytest.mark.parametrize(
    ("path", "old", "new", "rules"),
    [
        # the metrics are in the repeats and all that follows, but not in the figure of releases
        (METRICS, "np.abs(", "2 * np.abs(", MEASURED),
        # what draws depends on no result
        (
            "src/ggexp/figures/style.py",
            "WIDTH = 7.0",
            "WIDTH = 8.0",
            {"draw_experiment"},
        ),
        # a rule of calibration changes nothing where the scales stay as they are
        (
            "src/ggexp/mechanisms/calibration.py",
            "return 1 / epsilon",
            "return 1 / (1 * epsilon)",
            set(),
        ),
        (
            "src/ggexp/mechanisms/calibration.py",
            "return 1 / epsilon",
            "return 2 / epsilon",
            MEASURED | {"tabulate_scales", "tabulate_releases"},
        ),
    ],
)
def test_an_edit_reruns_what_depends_on_it(
    finished: Project, path: str, old: str, new: str, rules: set[str]
) -> None:
    with edited(finished, path, lambda text: text.replace(old, new, 1)):
        assert finished.planned() == rules


def test_a_comment_or_docstring_reruns_nothing(finished: Project) -> None:
    def reword(text: str) -> str:
        return "# a comment\n" + text.replace('"""Return', '"""Give back', 1) + "\n# another\n"

    with edited(finished, METRICS, reword):
        assert finished.planned() == set()


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/ggexp/figures/draw_errors.py", "bottom=0", "bottom=1"),
        # the metrics too are no business of the figure of releases
        (METRICS, "np.abs(", "2 * np.abs("),
    ],
)
def test_an_edit_redraws_no_other_figure(finished: Project, path: str, old: str, new: str) -> None:
    with edited(finished, path, lambda text: text.replace(old, new, 1)):
        planned = finished.run("--dry-run")
    assert {*re.findall(r"^    wildcards: number=(\d+)$", planned, re.MULTILINE)} == {"07"}
