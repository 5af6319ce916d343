"""The context of every job: a log, and one clear message if it fails."""

import errno
import logging
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from ggexp.run.fingerprint import check_covered

UNEXPECTED = "an error that this program did not expect:"


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Write warnings and log records to the job's log; on an error, end the process with code 1.

    For an error that a user can correct the log contains its message, for any other a traceback.
    """
    log = snakemake.log[0]
    # If the disk is full, a log record that cannot be written must not hide the job's own error.
    logging.raiseExceptions = False
    try:
        logging.basicConfig(
            filename=log,
            filemode="w",
            encoding="utf-8",
            level=logging.INFO,
            format="%(asctime)s %(message)s",
            datefmt="%H:%M:%S",
        )
        logging.captureWarnings(True)
        # fontTools logs the fonts of every PDF on the level INFO
        logging.getLogger("fontTools").setLevel(logging.WARNING)
        yield
        if code := snakemake.params.get("code"):
            _, *modules = code.split()
            check_covered(Path(str(sys.modules["__main__"].__file__)), modules)
    except KeyboardInterrupt:
        _end(log, "error: interrupted")
    except Exception as error:
        if message := out_of_memory(error):
            _end(
                log,
                f"error: {message}. Give the job more (mem_mb of its rule on a cluster, ulimit -v "
                "elsewhere), or use a smaller design.",
            )
        if isinstance(error, ValueError | OSError):
            _end(log, f"error: {error}")
        _end(log, f"{UNEXPECTED}\n{traceback.format_exc()}")


def out_of_memory(error: Exception) -> str | None:
    """Return a message if an error means that memory is exhausted, or the address space."""
    # the address space for libraries, and for the stacks of threads
    causes = ("failed to map segment", "can't start new thread")
    is_cause = isinstance(error, MemoryError) or any(cause in str(error) for cause in causes)
    if is_cause or getattr(error, "errno", None) == errno.ENOMEM:
        return f"out of memory or address space ({str(error) or 'no details'})"
    return None


def _end(log: str | Path, message: str) -> NoReturn:
    """Log the message, print it if it could not be logged, and end the process with code 1."""
    logging.error("%s", message)
    try:
        logged = message in Path(log).read_text("utf-8")
    except OSError:
        logged = False
    if not logged:
        print(message, file=sys.stderr)
    sys.exit(1)


def error_in(logs: Sequence[str]) -> str | None:
    """Return the error in a failed job's logs, None if they have none."""
    for log in logs:
        try:
            lines = Path(log).read_text("utf-8", "replace").split("\n")
        except OSError:
            continue
        # the last such line, because the job's own code may have logged similar lines before
        for number in reversed(range(len(lines))):
            if message := re.fullmatch(r"\d\d:\d\d:\d\d error: (.+)", lines[number]):
                return message[1].removesuffix(" Tried:")
            if lines[number].endswith(UNEXPECTED):
                return next(line for line in reversed(lines) if line.strip())
    return None
