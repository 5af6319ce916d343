"""The state of a run, collected from Snakemake's log events."""

import logging
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from snakemake_interface_logger_plugins.common import LogEvent

from ggexp.run.job import error_in

#: The event of the record that names the files of the run (workflow/rules/hooks.smk).
FILES = "ggexp"
#: How Snakemake's messages begin if a signal ends the run.
CANCELLED = ("Terminating processes on user", "Will exit after finishing")


class Job(NamedTuple):
    """A started job: its rule, also with its wildcards, and what a cluster said of it, or ""."""

    rule: str
    label: str
    outputs: Sequence[str]
    logs: Sequence[str]
    start: float
    message: str

    def written_logs(self) -> list[str]:
        """Return the logs that exist and are not empty."""
        return [log for log in self.logs if Path(log).exists() and Path(log).stat().st_size]


class Run:
    """The jobs of a run, and what became of them."""

    def __init__(self, is_counted: bool = True) -> None:
        self.is_counted = is_counted  # whether Snakemake reports that jobs are finished
        self.start: float | None = None
        self.end = 0.0  # of the job that was finished last
        self.command: Sequence[str] = []
        self.files: Mapping[str, Any] = {}
        self.totals: Counter[str] = Counter()  # rule -> number of jobs
        self.done: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)  # rule -> time of finished jobs
        self.running: dict[int, Job] = {}
        self.failed: dict[int, Job] = {}
        self.reports: dict[int, Job] = {}  # started jobs whose result is only in their log
        self.is_idle = self.is_stopped = self.is_cancelled = False

    def update(self, record: logging.LogRecord) -> list[Job]:
        """Take note of an event, and return the jobs that ended with it."""
        event = vars(record)
        match event.get("event"):
            case LogEvent.WORKFLOW_STARTED:
                self.command = event["cmd"].split()
            case LogEvent.RUN_INFO:
                self.start = record.created
                self.totals = Counter({k: v for k, v in event["stats"].items() if k != "total"})
            case LogEvent.JOB_INFO:
                self._begin(event["jobid"], _job(event, event["wildcards"], record.created))
            case LogEvent.JOB_FINISHED:
                return [self._finish(event["job_id"], record.created)]
            case LogEvent.JOB_ERROR if not event["indent"]:  # an indented one belongs to a group
                return self._fail([event])
            case LogEvent.GROUP_ERROR:  # only the logs show which of the group's jobs failed
                jobs = event["job_error_info"]
                return self._fail([job for job in jobs if error_in(job["log"])] or jobs[:1])
            case LogEvent.ERROR:
                # a job raises RuleException, and may succeed when it is tried again
                self.is_stopped |= event["exception"] != "RuleException"
            case None:
                self.is_idle |= str(record.msg).startswith("Nothing to be done")
                self.is_cancelled |= str(record.msg).startswith(CANCELLED)
            case event_name if event_name == FILES:
                self.files = event["files"]
        return []

    def remaining(self, now: float) -> float:
        """Return the estimated remaining time in seconds, 0 if there is no estimate.

        Jobs of a rule take as long as its finished jobs on average, or as all finished jobs if the
        rule has none, and as many run at the same time as until the last one was finished.
        """
        busy = sum(self.seconds.values())
        if self.start is None or not busy:
            return 0
        mean = busy / self.done.total()
        ahead = sum(
            (total - self.done[rule])
            * (self.seconds[rule] / self.done[rule] if self.done[rule] else mean)
            for rule, total in self.totals.items()
        )
        return max(0, ahead * (self.end - self.start) / busy - (now - self.end))

    def times(self) -> str:
        """Return the elapsed time and the estimated remaining time."""
        now = time.time()
        remaining = self.remaining(now)
        elapsed = timedelta(seconds=int(now - (self.start or now)))
        left = f", about {timedelta(seconds=int(remaining))} left" if remaining else ""
        return f"{elapsed} elapsed{left}"

    def _begin(self, key: int, job: Job) -> None:
        self.running[key] = job
        self.is_stopped = False  # earlier errors were those of jobs
        self.failed.pop(key, None)  # a job that failed before is tried again
        if not job.outputs:
            self.reports[key] = job

    def _finish(self, key: int, end: float) -> Job:
        job = self.running.pop(key)
        self.end = end
        self.done[job.rule] += 1
        self.seconds[job.rule] += end - job.start
        return job

    def _fail(self, events: Sequence[Mapping[str, Any]]) -> list[Job]:
        jobs = {event["jobid"]: _job(event) for event in events}
        for key, job in jobs.items():
            started = self.running.pop(key, job)
            self.failed[key] = started._replace(logs=job.logs, message=job.message)
        return [self.failed[key] for key in jobs]


def _job(event: Mapping[str, Any], wildcards: Mapping[str, str] = {}, start: float = 0) -> Job:
    rule, outputs, logs = event["rule_name"], event["output"], event["log"]
    label = " ".join([rule, *wildcards.values()])
    return Job(rule, label, list(outputs), list(logs), start, event.get("rule_msg") or "")
