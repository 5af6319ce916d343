"""Snakemake's looks at the jobs that wait."""

from threading import Event, Timer
from typing import Any


def look_once_a_timespan(scheduler: Any) -> None:
    """Have a scheduler of Snakemake look again once a timespan, besides whenever a job ends.

    Where the jobs started in a timespan are limited, as 100 a second are by default, each look is
    followed by another one a timespan later, and that by another: the looks of all jobs that ever
    ended add up, and after some hundred of them take a core (Snakemake 9.27).
    """
    due = Event()

    def look() -> None:
        due.clear()
        scheduler._open_jobs.release()

    def look_later(delay: float) -> None:
        if not due.is_set():
            due.set()
            Timer(delay, look).start()

    scheduler._schedule_reevalutation = look_later
