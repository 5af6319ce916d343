"""How long a loop is likely to take yet, in the log."""

import logging
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

EVERY = 10.0  # s between two lines: short loops write none

T = TypeVar("T")

logger = logging.getLogger(__name__)


def log_remaining(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield the items; log now and then how many are done and how long the others may take.

    what: what an item is, in the plural.
    """
    start = logged = time.monotonic()
    for done, item in enumerate(items):
        now = time.monotonic()
        if now - logged >= EVERY:
            logged = now
            remaining = (now - start) / done * (len(items) - done)
            logger.info("%d of %d %s, %.0f s remain", done, len(items), what, remaining)
        yield item
