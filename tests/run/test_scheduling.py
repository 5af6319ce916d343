"""The workaround for Snakemake's repeated checks for waiting jobs."""

from collections.abc import Callable
from threading import Semaphore
from types import SimpleNamespace

import pytest

from ggexp.run import scheduling


def test_only_one_of_many_requested_checks_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    due: list[Callable[[], None]] = []

    def timer(_: float, check: Callable[[], None]) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: due.append(check))

    monkeypatch.setattr(scheduling, "Timer", timer)
    scheduler = SimpleNamespace(_open_jobs=Semaphore(0))
    scheduling.check_once_per_timespan(scheduler)
    for _ in range(2):  # after a check, another one may become due
        for _ in range(100):
            scheduler._schedule_reevalutation(1)
        (check,) = due
        due.clear()
        check()
        assert scheduler._open_jobs.acquire(blocking=False)
        assert not scheduler._open_jobs.acquire(blocking=False)
