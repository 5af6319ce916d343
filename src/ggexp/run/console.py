"""The last screen of a run: its outcome, the files to look at, and what to do after a failure.

Snakemake prints messages after its hooks, and `make` after Snakemake. Therefore the last screen is
printed when the process of Snakemake ends. A handler of Snakemake's log events collects it.
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

WIDTH = 80  # columns of a default terminal
SHOWN = 3  # failed jobs; the others are counted
LONGEST = 3  # rules
ENDED = "the job was killed or could not start"
GOALS = {  # folder of pages -> target of make
    "results": "reproduce",
    "results/smoke": "smoke",
    "results/guarantees": "guarantees",
}


class Job(NamedTuple):
    """A job that has been started."""

    rule: str
    outputs: Sequence[str]
    logs: Sequence[str]
    start: float


class LastScreen(logging.Handler):
    """A handler of Snakemake's log events, which prints the outcome of a run at its end.

    results: the folder of results.
    sources: file that may have to be fetched -> the data sets made from it.
    datasets: the data sets of the run.
    pages: returns the folder of the run's report and index.
    answer: the file with the recommendations for the run's own tables, if it has any.
    """

    def __init__(
        self,
        results: str,
        *,
        sources: Mapping[str, Sequence[str]],
        datasets: Sequence[str],
        pages: Callable[[], str],
        answer: str | None = None,
    ) -> None:
        super().__init__()
        self.results = Path(results)
        self.sources = sources
        self.datasets = datasets
        self.pages = pages
        self.answer = answer
        self.figures: dict[str, str] = {}
        self.missing: set[str] = set()
        self.messages = "the messages above"
        self.begun: float | None = None
        self.jobs: dict[int, Job] = {}
        self.running: dict[int, Job] = {}
        self.failed: dict[int, Job] = {}
        self.seconds: Counter[str] = Counter()
        self.told: list[str] = []
        self.done = self.total = 0
        self.idle = self.stopped = self.cancelled = False

    def begin(
        self, figures: Mapping[str, str], planned: Iterable[str], messages: Iterable[str] = ()
    ) -> None:
        """Record the start of the jobs.

        figures: file of each requested figure -> its subject.
        planned: the files that the run is to make.
        messages: the files, if any, with Snakemake's own messages.
        """
        self.begun = time.monotonic()
        self.messages = " ".join(map(os.path.relpath, messages)) or self.messages
        self.figures = dict(figures)
        self.missing = set(planned)

    def emit(self, record: logging.LogRecord) -> None:
        """Record a job that starts, finishes or fails, and any other error."""
        seen = vars(record)
        match seen.get("event"):
            case "job_info":
                self.jobs[seen["jobid"]] = self.running[seen["jobid"]] = _job(seen)
            case "job_finished":
                self._finish(seen["job_id"])
            case "job_error":
                self._fail({seen["jobid"]: _job(seen)})
            case "group_error":  # only the logs tell which of the group's jobs failed
                jobs = {job["jobid"]: _job(job) for job in seen["job_error_info"]}
                failed = {key: job for key, job in jobs.items() if _error(job.logs)}
                self._fail(failed or dict(list(jobs.items())[:1]))
            case "progress":
                self.done, self.total = seen["done"], seen["total"]
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
        self.failed.pop(key, None)  # it was tried again
        if not job.outputs:  # then its result is only in its log
            self.told += _last_words(job.logs)

    def show(self) -> None:
        """Print the last screen."""
        if lines := self.lines():
            with suppress(OSError):  # the terminal is closed
                print("", *lines, sep="\n", file=sys.stderr, flush=True)

    def lines(self) -> list[str]:
        """Return the lines of the last screen, none if nothing was run."""
        if self.begun is None:
            return ["Everything is up to date:", *self._places()] if self.idle else []
        took = _duration(time.monotonic() - self.begun)
        if self.failed and not self.cancelled:
            return [*self._failures(), *self._made(), *self._remedy()]
        # with --quiet the number of jobs is unknown
        quiet_end = bool(self.jobs) and not self.running and not self.missing
        if self.stopped or not (self.done == self.total if self.total else quiet_end):
            jobs = f"{self.done} of {self.total or len(self.jobs)} jobs"
            return [
                f"Stopped after {took}: {jobs} are done.",
                "Run the same command again: it continues where it stopped.",
            ]
        longest = [
            f"{rule} ({_duration(seconds)})" for rule, seconds in self.seconds.most_common(LONGEST)
        ]
        return [
            *_wrap(
                f"All {self.total or len(self.jobs)} jobs are done in {took}. "
                f"Longest rules: {', '.join(longest)}."
            ),
            *(line for words in self.told for line in _wrap(words)),
            *self._places(),
        ]

    def _places(self) -> list[str]:
        """Return the recommendation, and the paths of figures, report and index."""
        places = {
            "figures": self.results / "figures",
            "report": Path(self.pages(), "report.html"),
            "all on one page": Path(self.pages(), "index.html"),
        }
        found = [f"  {name + ':':<17}{path}" for name, path in places.items() if path.exists()]
        return [*self._answer(), *found]

    def _answer(self) -> list[str]:
        """Return the recommendations for the run's own tables, if the pages show them."""
        if Path(self.pages()) != self.results or not (self.answer and Path(self.answer).exists()):
            return []
        texts = Path(self.answer).read_text("utf-8").splitlines()
        return [line for text in texts for line in _wrap(text)]

    def _failures(self) -> list[str]:
        """Return each failed job: its rule, its log, and the line of the log with the error."""
        count = len(self.failed)
        lines = ["1 job failed:" if count == 1 else f"{count} jobs failed:"]
        for job in list(self.failed.values())[:SHOWN]:
            logs = _written(job.logs)
            lines += _wrap(f"{job.rule}: {' '.join(logs or job.outputs)}", indent="  ")
            reason = _error(logs) or f"No {'error in its log' if logs else 'log'}: {ENDED}."
            lines += _wrap(reason, indent="    ", lines=2)
        return [*lines, f"  and {count - SHOWN} more"] if count > SHOWN else lines

    def _made(self) -> list[str]:
        """Summarize what was completed despite failures."""
        asked = Counter(self.figures.values())
        made = Counter(about for path, about in self.figures.items() if path not in self.missing)
        text = f"Completed: {self.done} of {self.total or len(self.jobs)} jobs"
        if asked:
            each = (f"{about} {made[about]} of {asked[about]}" for about in asked)
            text += f", {made.total()} of {asked.total()} figures ({', '.join(each)})"
        return _wrap(f"{text}.")

    def _remedy(self) -> list[str]:
        """Return what to do next."""
        absent = [
            path for job in self.failed.values() for path in job.outputs if path in self.sources
        ]
        if not absent:
            logged = any(_written(job.logs) for job in self.failed.values())
            cause = f"What to do: fix the cause, see {'the log' if logged else self.messages}."
            return _wrap(f"{cause} Run the same command again: it continues where it stopped.")
        path = absent[0]
        text = (
            f"What to do: put the file at {path}, or set GGEXP_MIRROR to a folder or an address "
            "that has it, then run the same command again."
        )
        others = [name for name in self.datasets if name not in self.sources[path]]
        if not others:
            return _wrap(text)
        without = f"Or run without {', '.join(self.sources[path])}:"
        option = f"--config 'datasets=[{','.join(others)}]'"
        if goal := GOALS.get(self.pages()):
            without += f' make {goal} DATASETS="{" ".join(others)}"'
            option = f"(snakemake: {option})"
        return [*_wrap(text), without, f"  {option}"]


def follow(logger: logging.Logger, screen: LastScreen) -> None:
    """Send all log events to the screen, and print it when this process ends."""
    logger.addHandler(screen)
    atexit.register(screen.show)


def _job(seen: Mapping[str, object]) -> Job:
    rule, outputs, logs = seen["rule_name"], seen["output"], seen["log"]
    return Job(str(rule), list(outputs), list(logs), time.monotonic())  # type: ignore[call-overload]


def _written(logs: Sequence[str]) -> list[str]:
    """Return the logs that are not empty."""
    return [log for log in logs if Path(log).exists() and Path(log).stat().st_size]


def _error(logs: Sequence[str]) -> str | None:
    """Return the error in a failed job's logs: the message that `job` wrote at the end."""
    for log in logs:
        try:
            lines = Path(log).read_text("utf-8", "replace").split("\n")
        except OSError:
            continue
        # the last such line: the work may have logged others before
        for number in reversed(range(len(lines))):
            if found := re.fullmatch(r"\d\d:\d\d:\d\d error: (.+)", lines[number]):
                return found[1].removesuffix(" Tried:")
            if lines[number].endswith(UNEXPECTED):
                return next(line for line in reversed(lines) if line.strip())
    return None


def _last_words(logs: Sequence[str]) -> list[str]:
    """Return the last line of each non-empty log, without its time."""
    texts = (Path(log).read_text("utf-8", "replace").strip() for log in _written(logs))
    return [re.sub(r"^\d\d:\d\d:\d\d ", "", text.splitlines()[-1]) for text in texts if text]


def _wrap(text: str, indent: str = "", lines: int | None = None) -> list[str]:
    """Return the text in lines of at most `WIDTH` columns; paths are not broken."""
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
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
