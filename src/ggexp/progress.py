"""How much of a loop is done: in the log, with the estimated remaining time, or as a bar."""

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TypeVar

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


def log_progress(items: Sequence[T], what: str) -> Iterator[T]:
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


@contextmanager
def of_file(file: IO[bytes], name: str) -> Iterator[Callable[[], None]]:
    """Give a function that tells how much of a file is read: in the log, at a terminal as a bar.

    A file that is read within two seconds has no bar.
    """
    size = os.fstat(file.fileno()).st_size
    if not sys.stderr.isatty():
        log = reporter(f"bytes of {name}")
        yield lambda: log(file.tell(), size)
        return
    from tqdm import tqdm

    title = f"reading {name}"
    with tqdm(total=size, desc=title, unit="B", unit_scale=True, delay=2, leave=False) as shown:
        yield lambda: shown.update(file.tell() - shown.n)
