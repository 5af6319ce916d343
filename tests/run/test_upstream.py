"""The names of Snakemake and of its plugin that `ggexp.run` reaches into (docs/upstream.md).

A test that fails here says that a newer release has moved or mended them.
"""

from collections.abc import Callable
from threading import Semaphore
from types import SimpleNamespace

import pytest
from rich.console import Console
from snakemake.scheduling import job_scheduler
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.script import PythonScript
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_logger_plugin_rich.handler import RichLogHandler

from ggexp.run import display, scheduling
from ggexp.run.console import Job


@pytest.fixture
def due(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """The looks that are due, of Snakemake's own scheduler and of ours."""
    found: list[Callable[[], None]] = []

    def timer(_: float, look: Callable[[], None]) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: found.append(look))

    monkeypatch.setattr(job_scheduler.threading, "Timer", timer)
    monkeypatch.setattr(scheduling, "Timer", timer)
    return found


def a_scheduler() -> JobScheduler:
    """A scheduler of Snakemake that waits for a look."""
    scheduler = JobScheduler.__new__(JobScheduler)
    scheduler._open_jobs = Semaphore(0)
    return scheduler


def test_snakemake_s_own_looks_add_up(due: list[Callable[[], None]]) -> None:
    """Once they do not, `look_once_a_timespan` may go."""
    assert "_open_jobs" in JobScheduler.__init__.__code__.co_names
    assert "_schedule_reevalutation" in JobScheduler.schedule.__code__.co_names
    scheduler = a_scheduler()
    for _ in range(5):
        scheduler._schedule_reevalutation(1)
    assert len(due) == 5
    for look in due:
        look()
        assert scheduler._open_jobs.acquire(blocking=False)


def test_a_scheduler_of_snakemake_looks_once(due: list[Callable[[], None]]) -> None:
    scheduler = a_scheduler()
    scheduling.look_once_a_timespan(scheduler)
    for _ in range(5):
        scheduler._schedule_reevalutation(1)
    (look,) = due
    look()
    assert scheduler._open_jobs.acquire(blocking=False)
    assert not scheduler._open_jobs.acquire(blocking=False)


def test_snakemake_does_not_quote_the_path_of_python() -> None:
    """Once it does, `quote_path` may go."""
    assert "{py_exec} {fname:q}" in PythonScript.execute_script.__code__.co_consts
    assert "_execute_cmd" in PythonScript.execute_script.__code__.co_names
    assert "get_python_executable" in RealExecutor.format_job_exec.__code__.co_names
    assert "-m snakemake" in RealExecutor.format_job_exec.__code__.co_consts


def test_the_display_of_the_plugin_is_made_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of forty rules at work a terminal of 24 rows shows some, and the bar of all jobs."""
    monkeypatch.setattr(display.logging, "raiseExceptions", True)  # `fit` changes it
    names = ("dryrun", "printshellcmds", "show_failed_logs", "verbose")
    handler = RichLogHandler(SimpleNamespace(**dict.fromkeys(names, False)))
    screen = Console(width=80, height=24)
    handler.progress.live.console = handler.live_display.console = screen
    jobs = [Job(f"draw_{number:02}", [], [], 0.0) for number in range(40)]
    display.fit(handler, lambda: jobs)
    bars = handler.event_handler.progress_display
    bars.add_or_update("Total Progress", 3, 200)
    for job in jobs:
        bars.add_or_update(job.rule, 0, 5)
    shown = screen.render_lines(handler.live_display.renderable)
    rows = ["".join(segment.text for segment in row) for row in shown]
    assert len(rows) < 24
    assert "draw 07" in "\n".join(rows)
    assert "3/200" in "\n".join(rows)
