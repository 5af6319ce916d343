"""What every job does around its work: keep a log, and end with one clear message if it fails."""

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

    Errors that a user can mend (a bad value, a bad or missing file, a full disk, too little memory)
    leave their message in the log, others a traceback. Whoever started the job shows the log.
    """
    # a record that no longer fits on the disk must not hide the error that it is about
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
        logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells of every PDF's fonts
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
    """Log the message and end the process with 1; print it where the log could not be written."""
    logging.error("%s", message)
    try:
        logged = message in Path(log).read_text("utf-8")
    except OSError:
        logged = False
    if not logged:
        print(message, file=sys.stderr)
    sys.exit(1)
