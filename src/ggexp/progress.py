"""Report the progress of loops in the log, with the estimated remaining time."""

import logging
import time
from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

LOG_INTERVAL = 10.0  # seconds between two log lines; shorter loops log nothing

T = TypeVar("T")

logger = logging.getLogger(__name__)


def reporter(noun: str) -> Callable[[int, int], None]:
    """Return a function that logs progress and remaining time, at most once per `LOG_INTERVAL`.

    Its arguments are the number of finished items and of all items. noun: names the items in the
    log, in the plural.
    """
    start = logged = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal logged
        now = time.monotonic()
        if done and now - logged >= LOG_INTERVAL:
            logged = now
            remaining = (now - start) / done * (total - done)
            logger.info("%d of %d %s, %.0f s remain", done, total, noun, remaining)

    return report


def log_progress(items: Collection[T], noun: str) -> Iterator[T]:
    """Yield the items, and log progress and remaining time, at most once per `LOG_INTERVAL`.

    noun: names the items in the log, in the plural.
    """
    report = reporter(noun)
    for done, item in enumerate(items):
        report(done, len(items))
        yield item
