"""Snakemake's looks at the jobs that wait."""

from threading import Semaphore
from types import SimpleNamespace

from ggexp.run.scheduling import look_once_a_timespan


def test_of_many_looks_that_are_asked_for_one_is_due() -> None:
    scheduler = SimpleNamespace(_open_jobs=Semaphore(0))
    look_once_a_timespan(scheduler)
    for _ in range(2):  # once it has looked, it looks again
        for _ in range(100):
            scheduler._schedule_reevalutation(0.2)
        assert scheduler._open_jobs.acquire(timeout=60)
        assert not scheduler._open_jobs.acquire(timeout=0.4)
