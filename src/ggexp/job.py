"""What every job does around its work: keep a log, and end with one clear message if it fails."""

import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def job(log: str | Path) -> Iterator[None]:
    """Send warnings and log records to the file ``log``; end the process with 1 on an error.

    Errors that a user can mend (a bad value, a bad or missing file) leave their message in the log,
    others a traceback. Whoever started the job shows the log.
    """
    logging.basicConfig(
        filename=log,
        filemode="w",
        encoding="utf-8",
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        datefmt="%H:%M:%S",
    )
    logging.captureWarnings(True)
    try:
        yield
    except (ValueError, OSError) as error:
        logging.error("error: %s", error)
        logging.debug("", exc_info=True)
        sys.exit(1)
    except Exception:
        logging.error("an error that this program did not expect:\n%s", traceback.format_exc())
        sys.exit(1)
