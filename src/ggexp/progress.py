"""How much of a loop is done: in the log, with the estimated remaining time, or as a bar."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

EVERY = 10.0  # s between two lines: short loops write none

T = TypeVar("T")

logger = logging.getLogger(__name__)


def reporter(what: str) -> Callable[[int, int], None]:
    """Return a function of how many are done, and of how many, that logs them now and then.

    what: what they are, in the plural.
    """
    start = logged = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal logged
        now = time.monotonic()
        if now - logged >= EVERY:
            logged = now
            remaining = (now - start) / done * (total - done)
            logger.info("%d of %d %s, %.0f s remain", done, total, what, remaining)

    return report


def log_remaining(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield the items; log now and then how many are done and how long the others may take.

    what: what an item is, in the plural.
    """
    report = reporter(what)
    for done, item in enumerate(items):
        report(done, len(items))
        yield item


def bar(items: Sequence[T], title: str, what: str) -> Iterator[T]:
    """Yield the items, beside a bar that shows how many are done.

    title: before the bar. what: what an item is.
    """
    from tqdm.auto import tqdm  # not in a job

    yield from tqdm(items, desc=title, unit=what)
