"""The last screen of a run: its outcome, the files to look at, and what to do after a failure."""

import re
import textwrap
import time
from collections import Counter
from pathlib import Path

from ggexp.run.job import error_in
from snakemake_logger_plugin_ggexp.run import Run

WIDTH = 80  # characters per line of a default terminal
MAX_FAILURES = 3  # failed jobs that are shown; further ones are only counted
MAX_RULES = 3  # rules whose run time is shown, the longest first
AGAIN = "Run the same command again: it continues where it stopped."


def last_screen(run: Run) -> list[str]:
    """Return the lines of the last screen, an empty list if no run was started."""
    files = _files(run)
    up_to_date = [f"Everything is up to date{':' if files else '.'}", *files]
    if run.start is None:
        return up_to_date if run.is_idle else []
    duration = duration_of(time.time() - run.start)
    done, total = run.done.total(), run.totals.total()
    if run.is_cancelled:
        count = f": {done} of {total} jobs are done" if run.is_counted else ""
        return [f"Stopped after {duration}{count}.", AGAIN]
    if run.failed or run.is_stopped:
        logged = any(job.written_logs() for job in run.failed.values())
        cause = f"fix the cause, see {'the log' if logged else 'the messages above'}"
        return [
            *_failures(run),
            *_completed(run, duration),
            *wrap(f"What to do: {cause}. {AGAIN}"),
        ]
    if not total:  # --until may leave no jobs
        return up_to_date
    if {"-t", "--touch"}.intersection(run.command):
        return [f"The existing files of {total} jobs were touched, and nothing was computed."]
    rules = [
        f"{rule} ({duration_of(s)})" for rule, s in Counter(run.seconds).most_common(MAX_RULES)
    ]
    all_jobs = "1 job is" if total == 1 else f"All {total} jobs are"
    longest = f" Longest rules: {', '.join(rules)}." if any(run.seconds.values()) else ""
    return [
        *wrap(f"{all_jobs} done in {duration}.{longest}"),
        *(
            line
            for job in run.reports.values()
            for log in job.written_logs()
            for line in _last_line(log)
        ),
        *files,
    ]


def duration_of(seconds: float) -> str:
    """Return a duration in words."""
    minutes, whole_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole_seconds} s" if minutes else f"{whole_seconds} s"


def _files(run: Run) -> list[str]:
    """Return the recommendations for the user's tables, and the paths of the files to look at."""
    if not run.files:
        return []
    results = pages = Path(run.files["results"])
    answer = run.files["answer"] and Path(run.files["answer"])
    for target, folder in run.files["pages"].items():
        if target in run.command:
            pages, answer = Path(folder), None
    paths = {
        "figures": results / "figures",
        "all on one page": pages / "index.html",
    }
    texts = answer.read_text("utf-8").splitlines() if answer and answer.exists() else []
    return [
        # a command, which begins with a blank, is one line, so that it can be copied
        *(line for text in texts for line in ([text] if text[:1] == " " else wrap(text))),
        *(f"  {name + ':':<17}{path}" for name, path in paths.items() if path.exists()),
    ]


def _failures(run: Run) -> list[str]:
    """Return lines on each failed job: its rule, its log, and the error in the log."""
    count = len(run.failed)
    lines = [f"{count} job{'' if count == 1 else 's'} failed:"] if count else []
    for job in list(run.failed.values())[:MAX_FAILURES]:
        logs = job.written_logs()
        lines += wrap(f"{job.rule}: {' '.join(logs or job.outputs)}", indent="  ")
        missing = f"No {'error in its log' if logs else 'log'}: it was killed or could not start."
        lines += wrap(error_in(logs) or job.message or missing, indent="    ", lines=2)
    return [*lines, f"  and {count - MAX_FAILURES} more"] if count > MAX_FAILURES else lines


def _completed(run: Run, duration: str) -> list[str]:
    """Return the numbers of jobs and figures that were completed despite failures."""
    parts = {"jobs": (run.done.total(), run.totals.total())}
    if figures := run.totals["draw_figure"]:
        parts["figures"] = (run.done["draw_figure"], figures)
    counts = ", ".join(f"{done} of {total} {name}" for name, (done, total) in parts.items())
    completed = f" Completed: {counts}." if run.is_counted else ""
    return wrap(f"Stopped after {duration}.{completed}")


def _last_line(log: str) -> list[str]:
    """Return the last line of a log without its time."""
    text = Path(log).read_text("utf-8", "replace").strip()
    return wrap(re.sub(r"^\d\d:\d\d:\d\d ", "", text.splitlines()[-1])) if text else []


def wrap(text: str, indent: str = "", lines: int | None = None) -> list[str]:
    """Return the text as lines of at most `WIDTH` characters; paths stay whole."""
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
