"""Report the progress of loops in the log, with the estimated remaining time, or as a bar."""

import logging
import os
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import IO, TypeVar

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


@contextmanager
def of_file(file: IO[bytes], name: str) -> Iterator[Callable[[], None]]:
    """Provide a function that reports how much of a file has been read.

    At a terminal it shows a bar, unless reading takes less than two seconds. Otherwise it logs.
    """
    size = os.fstat(file.fileno()).st_size
    if not sys.stderr.isatty():
        log = reporter(f"bytes of {name}")
        yield lambda: log(file.tell(), size)
        return
    from tqdm import tqdm

    title = f"reading {name}"
    with tqdm(
        total=size, desc=title, unit="B", unit_scale=True, delay=2, leave=False
    ) as progress_bar:
        yield lambda: progress_bar.update(file.tell() - progress_bar.n)
