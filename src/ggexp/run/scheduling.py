"""A workaround for Snakemake's repeated checks for waiting jobs (docs/upstream.md)."""

from threading import Event, Timer
from typing import Any


def check_once_per_timespan(scheduler: Any) -> None:
    """Make Snakemake's scheduler repeat its check for waiting jobs only once per timespan.

    The scheduler checks for waiting jobs whenever a job ends. If the number of jobs that may start
    in a timespan is limited, by default to 100 per second, each check is repeated after the
    timespan, and each repetition is repeated again. The checks after all finished jobs accumulate,
    and after several hundred jobs they fully occupy a core (Snakemake 9.27).
    """
    is_due = Event()

    def check() -> None:
        is_due.clear()
        scheduler._open_jobs.release()

    def check_later(delay: float) -> None:
        if not is_due.is_set():
            is_due.set()
            Timer(delay, check).start()

    scheduler._schedule_reevalutation = check_later
