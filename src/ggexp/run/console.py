"""The last screen of a run: its outcome, the files to look at, and what to do after a failure.

The last screen is printed when Snakemake's process ends, because Snakemake still prints messages
after its hooks. A handler of Snakemake's log events collects the content of the screen.
"""

import atexit
import logging
import os
import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ggexp.run.job import UNEXPECTED

WIDTH = 80  # characters per line of a default terminal
MAX_FAILURES = 3  # failed jobs that are shown; further ones are only counted
MAX_RULES = 3  # rules whose run time is shown, the longest first
NO_ERROR = "the job was killed or could not start"  # shown if there is no error in the log


class Job(NamedTuple):
    """A job that has been started."""

    rule: str
    outputs: Sequence[str]
    logs: Sequence[str]
    start: float


class LastScreen(logging.Handler):
    """A handler of Snakemake's log events that prints the outcome of a run at its end.

    results: the folder of results.
    pages: a function that returns the folder of the run's report and index.
    answer: the file with the recommendations for the user's own tables, None if there are none.
    """

    def __init__(
        self,
        results: str,
        *,
        pages: Callable[[], str],
        answer: str | None = None,
    ) -> None:
        super().__init__()
        self.results = Path(results)
        self.pages = pages
        self.answer = answer
        self.figures: dict[str, str] = {}
        self.missing: set[str] = set()
        self.messages = "the messages above"
        self.start: float | None = None
        self.jobs: dict[int, Job] = {}
        self.running: dict[int, Job] = {}
        self.failed: dict[int, Job] = {}
        self.seconds: Counter[str] = Counter()
        self.reports: list[str] = []
        self.done = self.total = 0
        self.idle = self.stopped = self.cancelled = False

    def begin(
        self, figures: Mapping[str, str], planned: Iterable[str], messages: Iterable[str] = ()
    ) -> None:
        """Record the start of the jobs.

        figures: file of each requested figure -> its data set, "theory" or "supplement".
        planned: the files that the run will make.
        messages: the paths of Snakemake's own log files, if there are any.
        """
        self.start = time.monotonic()
        self.messages = " ".join(map(os.path.relpath, messages)) or self.messages
        self.figures = dict(figures)
        self.missing = set(planned)

    def emit(self, record: logging.LogRecord) -> None:
        """Record the start, end or failure of a job, the progress of the run, and other errors."""
        event = vars(record)
        match event.get("event"):
            case "job_info":
                self.jobs[event["jobid"]] = self.running[event["jobid"]] = _job(event)
            case "job_finished":
                self._finish(event["job_id"])
            case "job_error":
                self._fail({event["jobid"]: _job(event)})
            case "group_error":  # only the logs show which of the group's jobs failed
                jobs = {job["jobid"]: _job(job) for job in event["job_error_info"]}
                failed = {key: job for key, job in jobs.items() if _error(job.logs)}
                self._fail(failed or dict(list(jobs.items())[:1]))
            case "progress":
                self.done, self.total = event["done"], event["total"]
            case "error":
                self.stopped = True
            case None:
                self.idle |= str(record.msg).startswith("Nothing to be done")
                self.cancelled |= str(record.msg).startswith("Terminating processes on user")

    def _fail(self, jobs: Mapping[int, Job]) -> None:
        self.failed.update(jobs)
        for key in jobs:
            self.running.pop(key, None)

    def _finish(self, key: int) -> None:
        job = self.running.pop(key)
        self.seconds[job.rule] += round(time.monotonic() - job.start)
        self.missing.difference_update(job.outputs)
        self.failed.pop(key, None)  # a job that failed before may succeed when it is retried
        if not job.outputs:  # its result is only in its log
            self.reports += _last_lines(job.logs)

    def show(self) -> None:
        """Print the last screen."""
        if lines := self.lines():
            with suppress(OSError):  # the terminal may be closed
                print("", *lines, sep="\n", file=sys.stderr, flush=True)

    def lines(self) -> list[str]:
        """Return the lines of the last screen, an empty list if no run was started."""
        if self.start is None:
            return ["Everything is up to date:", *self._outcome()] if self.idle else []
        duration = _duration(time.monotonic() - self.start)
        if self.failed and not self.cancelled:
            return [*self._failures(), *self._completed(), *self._remedy()]
        # with --quiet, Snakemake does not report the total number of jobs
        quiet_end = bool(self.jobs) and not self.running and not self.missing
        if self.stopped or not (self.done == self.total if self.total else quiet_end):
            jobs = f"{self.done} of {self.total or len(self.jobs)} jobs"
            return [
                f"Stopped after {duration}: {jobs} are done.",
                "Run the same command again: it continues where it stopped.",
            ]
        longest = [
            f"{rule} ({_duration(seconds)})"
            for rule, seconds in self.seconds.most_common(MAX_RULES)
        ]
        return [
            *_wrap(
                f"All {self.total or len(self.jobs)} jobs are done in {duration}. "
                f"Longest rules: {', '.join(longest)}."
            ),
            *(line for report in self.reports for line in _wrap(report)),
            *self._outcome(),
        ]

    def _outcome(self) -> list[str]:
        """Return the recommendations, and the paths of figures, report and index that exist."""
        paths = {
            "figures": self.results / "figures",
            "report": Path(self.pages(), "report.html"),
            "all on one page": Path(self.pages(), "index.html"),
        }
        lines = [f"  {name + ':':<17}{path}" for name, path in paths.items() if path.exists()]
        return [*self._answer(), *lines]

    def _answer(self) -> list[str]:
        """Return the recommendations for the user's own tables if the run's pages show them."""
        if Path(self.pages()) != self.results or not (self.answer and Path(self.answer).exists()):
            return []
        texts = Path(self.answer).read_text("utf-8").splitlines()
        return [line for text in texts for line in _wrap(text)]

    def _failures(self) -> list[str]:
        """Return lines on each failed job: its rule, its log, and the error in the log."""
        count = len(self.failed)
        lines = ["1 job failed:" if count == 1 else f"{count} jobs failed:"]
        for job in list(self.failed.values())[:MAX_FAILURES]:
            logs = _written(job.logs)
            lines += _wrap(f"{job.rule}: {' '.join(logs or job.outputs)}", indent="  ")
            reason = _error(logs) or f"No {'error in its log' if logs else 'log'}: {NO_ERROR}."
            lines += _wrap(reason, indent="    ", lines=2)
        return [*lines, f"  and {count - MAX_FAILURES} more"] if count > MAX_FAILURES else lines

    def _completed(self) -> list[str]:
        """Return the numbers of jobs and figures that were completed despite failures."""
        requested = Counter(self.figures.values())
        completed = Counter(
            subject for path, subject in self.figures.items() if path not in self.missing
        )
        text = f"Completed: {self.done} of {self.total or len(self.jobs)} jobs"
        if requested:
            parts = (
                f"{subject} {completed[subject]} of {requested[subject]}" for subject in requested
            )
            text += f", {completed.total()} of {requested.total()} figures ({', '.join(parts)})"
        return _wrap(f"{text}.")

    def _remedy(self) -> list[str]:
        """Return advice on what to do after a failure."""
        logged = any(_written(job.logs) for job in self.failed.values())
        cause = f"What to do: fix the cause, see {'the log' if logged else self.messages}."
        return _wrap(f"{cause} Run the same command again: it continues where it stopped.")


def follow(logger: logging.Logger, screen: LastScreen) -> None:
    """Send all log events to the screen, and print the screen when this process ends."""
    logger.addHandler(screen)
    atexit.register(screen.show)


def _job(event: Mapping[str, object]) -> Job:
    rule, outputs, logs = event["rule_name"], event["output"], event["log"]
    return Job(str(rule), list(outputs), list(logs), time.monotonic())  # type: ignore[call-overload]


def _written(logs: Sequence[str]) -> list[str]:
    """Return the logs that exist and are not empty."""
    return [log for log in logs if Path(log).exists() and Path(log).stat().st_size]


def _error(logs: Sequence[str]) -> str | None:
    """Return the error in a failed job's logs: the last message that `ggexp.run.job` wrote.

    None if there is no error in the logs.
    """
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


def _last_lines(logs: Sequence[str]) -> list[str]:
    """Return the last line of each non-empty log, without its time."""
    texts = (Path(log).read_text("utf-8", "replace").strip() for log in _written(logs))
    return [re.sub(r"^\d\d:\d\d:\d\d ", "", text.splitlines()[-1]) for text in texts if text]


def _wrap(text: str, indent: str = "", lines: int | None = None) -> list[str]:
    """Return the text as lines of at most `WIDTH` characters, without breaking paths."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent or "  ",
        max_lines=lines,
        placeholder=" …",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _duration(seconds: float) -> str:
    minutes, whole_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole_seconds} s" if minutes else f"{whole_seconds} s"
