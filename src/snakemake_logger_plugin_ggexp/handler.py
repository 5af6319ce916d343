"""The handler of Snakemake's log records: what a run prints while it lasts, and its last screen."""

import logging
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from ggexp.run.interrupt import INTERRUPTED
from snakemake_logger_plugin_ggexp.run import Job, Run
from snakemake_logger_plugin_ggexp.screen import last_screen, wrap

if TYPE_CHECKING:
    from snakemake_logger_plugin_ggexp.bars import Bars

WIDTH = 160  # characters of the longest line on a finished job


class LogHandler(LogHandlerBase):
    """Bars at a terminal, and one line per finished job elsewhere; then the last screen.

    A dry run prints the messages of Snakemake itself.
    """

    writes_to_stream = True
    writes_to_file = False
    has_formatter = False  # that of Snakemake formats its messages
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.stream = sys.stdout if self.common_settings.stdout else sys.stderr
        self.quiet = {choice.name for choice in self.common_settings.quiet or ()}
        # with `--quiet progress`, Snakemake does not report that jobs are finished
        self.run = Run(is_counted="PROGRESS" not in self.quiet)
        self.bars: Bars | None = None
        self.messages: list[str] = []
        self.is_over = False

    @property
    def has_filter(self) -> bool:
        """Return whether records are not filtered by Snakemake, which would drop events."""
        return not self.common_settings.dryrun

    def emit(self, record: logging.LogRecord) -> None:
        """Print what a record says to a person who waits for the run."""
        try:
            if self.common_settings.dryrun:
                self._print(self.format(record))
            else:
                self._show(record, getattr(record, "event", None), self.run.update(record))
        except Exception:
            self.handleError(record)

    def _show(self, record: logging.LogRecord, event: str | None, jobs: list[Job]) -> None:
        settings = self.common_settings
        shows_progress = not self.quiet & {"PROGRESS", "ALL"}
        is_terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        if event == LogEvent.RUN_INFO and shows_progress and is_terminal:
            from snakemake_logger_plugin_ggexp.bars import Bars  # takes 0.1 s to load

            self.bars = Bars(self.run, self.stream)
        elif event == LogEvent.JOB_FINISHED:
            if shows_progress and not self.bars:
                for job in jobs:
                    self._print_done(job)
        elif self.run.is_cancelled or INTERRUPTED.is_set():
            pass  # the jobs end with errors, because they were interrupted too
        elif event in (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR):
            for job in jobs:
                self._print_failure(job)
        elif record.levelno >= logging.ERROR or settings.verbose or settings.debug_dag:
            self._print(self.format(record))
        elif record.levelno >= logging.WARNING:
            if "ALL" not in self.quiet:
                lines = self.format(record).splitlines()
                self._print("\n".join(part for line in lines for part in wrap(line)))
        elif event is None and not (self.run.command or self.quiet):
            self.messages.append(self.format(record))  # of a command other than a run

    def close(self) -> None:
        """Print the last screen of a run, or the messages of another command."""
        if not self.is_over:
            self.is_over = True
            if self.bars:
                self.bars.live.stop()
                self.bars = None
            self.run.is_cancelled |= INTERRUPTED.is_set()
            if screen := last_screen(self.run):
                self._print("\n".join(["", *screen]))
            elif not (self.run.command or self.run.is_stopped or self.run.is_cancelled):
                self._print("\n".join(self.messages))
        super().close()

    def _print_done(self, job: Job) -> None:
        total = str(self.run.totals.total())
        line = f"{self.run.done.total():>{len(total)}} of {total}, {self.run.times()}: {job.label}"
        self._print(line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…")

    def _print_failure(self, job: Job) -> None:
        logs = job.written_logs()
        self._print(f"failed: {job.label}, {' '.join(logs) or 'without a log'}")
        self._print(job.message)
        if self.common_settings.show_failed_logs and not self.quiet & {"RULES", "ALL"}:
            for log in logs:
                with suppress(OSError), open(log, encoding="utf-8", errors="replace") as file:
                    self._print("".join(f"    {line}" for line in file).rstrip())

    def _print(self, text: str) -> None:
        """Print a text, above the bars if there are any; a closed pipe does not end the run."""
        if text in ("", "None"):  # "None": a record without a message, which a queue has formatted
            return
        try:
            if self.bars:
                self.bars.console.print(text, markup=False, highlight=False, soft_wrap=True)
            else:
                print(text, file=self.stream, flush=True)
        except OSError:
            # nothing reads the output; without this, Python would fail again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.stream.fileno())
