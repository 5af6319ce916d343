"""Interrupts (Ctrl-C): the process ends with one sentence instead of a traceback."""

import os
import signal
import sys
from contextlib import suppress
from threading import Event
from types import FrameType

AGAIN = "Interrupted. To continue, run the same command again."
#: Is set when the process is interrupted.
INTERRUPTED = Event()


def end_at_interrupt(sentence: str = AGAIN) -> None:
    """Let the first interrupt end this process with code 130, and ignore the following ones.

    Its child processes are terminated: jobs do not receive interrupts (`workflow/rules/hooks.smk`),
    because Python would print a traceback if it is still importing modules. A process that ignores
    interrupts, such as one in the background of a script, continues to do so.
    """

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        INTERRUPTED.set()
        import psutil  # type: ignore[import-untyped]  # a package that Snakemake needs

        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.terminate()
        if sentence:
            os.write(2, f"{sentence}\n".encode())  # print would fail within another print
        sys.exit(130)  # the usual exit code of an interrupted process

    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, end)
