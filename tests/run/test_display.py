"""The line of a run's live display with the progress of its longest-running job."""

from pathlib import Path

from ggexp.run.console import Job
from ggexp.run.display import progress_of


def job(folder: Path, rule: str, start: float, log: str) -> Job:
    path = folder / f"{rule}.log"
    path.write_text(log, "utf-8")
    return Job(rule, [], [str(path)], start)


def test_the_longest_running_job_is_shown(tmp_path: Path) -> None:
    jobs = [
        job(tmp_path, "late", 3.0, "10:00:00 1 of 9 repeats, 80 s remain\n"),
        job(tmp_path, "tabulate_figure", 2.0, "10:00:00 2 of 9 points, 7 s remain\n" * 2),
        job(tmp_path, "silent", 1.0, "10:00:00 reading\n"),
    ]
    assert progress_of(jobs) == ["tabulate figure: 2 of 9 points, 7 s remain"]


def test_a_last_line_without_progress_is_not_shown(tmp_path: Path) -> None:
    ended = job(tmp_path, "ended", 1.0, "10:00:00 1 of 9 repeats, 80 s remain\n10:00:09 writing\n")
    missing = Job("missing", [], [str(tmp_path / "none.log")], 2.0)
    assert progress_of([ended, missing]) == []
