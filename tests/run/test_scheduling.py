"""Snakemake's looks at the jobs that wait."""

from collections.abc import Callable
from threading import Semaphore
from types import SimpleNamespace

import pytest

from ggexp.run import scheduling


def test_of_many_looks_that_are_asked_for_one_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    due: list[Callable[[], None]] = []

    def timer(_: float, look: Callable[[], None]) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: due.append(look))

    monkeypatch.setattr(scheduling, "Timer", timer)
    scheduler = SimpleNamespace(_open_jobs=Semaphore(0))
    scheduling.look_once_a_timespan(scheduler)
    for _ in range(2):  # once it has looked, it looks again
        for _ in range(100):
            scheduler._schedule_reevalutation(1)
        (look,) = due
        due.clear()
        look()
        assert scheduler._open_jobs.acquire(blocking=False)
        assert not scheduler._open_jobs.acquire(blocking=False)
