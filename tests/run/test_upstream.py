"""The private names of Snakemake and its plugin that `ggexp.run` uses (docs/upstream.md).

If a test fails, a newer release has moved a name, or has corrected the fault.
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
    """The checks that are due, in Snakemake's own scheduler and in ours."""
    checks: list[Callable[[], None]] = []

    def timer(_: float, check: Callable[[], None]) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: checks.append(check))

    monkeypatch.setattr(job_scheduler.threading, "Timer", timer)
    monkeypatch.setattr(scheduling, "Timer", timer)
    return checks


def new_scheduler() -> JobScheduler:
    """A scheduler of Snakemake that waits for a check."""
    scheduler = JobScheduler.__new__(JobScheduler)
    scheduler._open_jobs = Semaphore(0)
    return scheduler


def test_snakemake_s_own_checks_accumulate(due: list[Callable[[], None]]) -> None:
    """If this fails because they no longer do, `check_once_per_timespan` can be removed."""
    assert "_open_jobs" in JobScheduler.__init__.__code__.co_names
    assert "_schedule_reevalutation" in JobScheduler.schedule.__code__.co_names
    scheduler = new_scheduler()
    for _ in range(5):
        scheduler._schedule_reevalutation(1)
    assert len(due) == 5
    for check in due:
        check()
        assert scheduler._open_jobs.acquire(blocking=False)


def test_our_scheduler_checks_once(due: list[Callable[[], None]]) -> None:
    scheduler = new_scheduler()
    scheduling.check_once_per_timespan(scheduler)
    for _ in range(5):
        scheduler._schedule_reevalutation(1)
    (check,) = due
    check()
    assert scheduler._open_jobs.acquire(blocking=False)
    assert not scheduler._open_jobs.acquire(blocking=False)


def test_snakemake_does_not_quote_the_path_of_python() -> None:
    """If this fails because it now does, `quote_path` can be removed."""
    assert "{py_exec} {fname:q}" in PythonScript.execute_script.__code__.co_consts
    assert "_execute_cmd" in PythonScript.execute_script.__code__.co_names
    assert "get_python_executable" in RealExecutor.format_job_exec.__code__.co_names
    assert "-m snakemake" in RealExecutor.format_job_exec.__code__.co_consts


def test_the_display_of_the_plugin_is_made_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """If forty rules are running, a terminal with 24 rows shows some of them and the total."""
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
