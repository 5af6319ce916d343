"""The remaining time of loops."""

import logging

from ggexp import progress


def test_long_loops_log_the_remaining_time(caplog, monkeypatch):
    clock = iter([0.0, 0.0, 4.0, 8.0, 12.0, 16.0])  # 4 s per item
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with caplog.at_level(logging.INFO):
        assert list(progress.log_progress(range(5), "repeats")) == [0, 1, 2, 3, 4]
    assert [record.getMessage() for record in caplog.records] == ["3 of 5 repeats, 8 s remain"]
