"""The frame of every job: a log, and one clear message if the job fails."""

import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNEXPECTED = "an error that this program did not expect:"


@contextmanager
def job(log: str | Path) -> Iterator[None]:
    """Send warnings and log records to the file ``log``; end the process with 1 on an error.

    Errors that a user can fix (a bad value, a bad or missing file, a full disk, too little memory)
    leave their message in the log, other errors a traceback. The process that started the job shows
    the log.
    """
    # a record that the full disk rejects must not hide its own error
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
        logging.getLogger("fontTools").setLevel(logging.WARNING)  # it logs the fonts of every PDF
        yield
    except (ValueError, OSError) as error:
        _end(log, f"error: {error}")
    except MemoryError as error:
        _end(
            log,
            f"error: out of memory ({error}). Give the job more memory (mem_mb of its rule on a "
            "cluster, ulimit -v elsewhere), or use a smaller design.",
        )
    except Exception:
        _end(log, f"{UNEXPECTED}\n{traceback.format_exc()}")


def _end(log: str | Path, message: str) -> None:
    """Log the message and end the process with 1; print it if the log could not be written."""
    logging.error("%s", message)
    try:
        logged = message in Path(log).read_text("utf-8")
    except OSError:
        logged = False
    if not logged:
        print(message, file=sys.stderr)
    sys.exit(1)
