"""The live display of snakemake-logger-plugin-rich, made to fit a terminal.

Its own panel has a bar for every rule that has started, until the run ends: here more of them than
a terminal of 24 rows has, which leaves a blank screen.
"""

import logging
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn
from rich.table import Table
from rich.text import Text

from ggexp.run.console import Job

ROWS = 8  # bars of rules at a time


#: The last line of a job's log that says how far the job is.
PROGRESS = re.compile(r"\d\d:\d\d:\d\d (\d+ of \d+ .+ remain)\n?\Z")


class Bars:
    """The bars of the rules at work, as many as fit, and under them the bar of all jobs."""

    def __init__(self, progress: Progress, at_work: Callable[[], Sequence[Job]]) -> None:
        self.progress = progress
        self.at_work = at_work

    def __rich__(self) -> Table:
        if not self.progress.tasks:
            return Table.grid()
        total, *rules = self.progress.tasks
        jobs = self.at_work()
        names = {job.rule.replace("_", " ") for job in jobs}
        running = [task for task in rules if task.description in names]
        rows = max(0, min(ROWS, self.progress.console.height - 5))
        table = self.progress.make_tasks_table([*running[:rows], total])
        lines = "\n".join([_times(total, len(running) - rows), *progress_of(jobs)])
        table.caption = Text(lines, style="default", justify="left")
        table.caption_justify = "left"
        return table


def progress_of(jobs: Sequence[Job]) -> list[str]:
    """Return a line that says how far the longest of the jobs is whose logs tell, or none."""
    for job in sorted(jobs, key=lambda job: job.start):
        for log in job.logs:
            try:
                found = PROGRESS.search(Path(log).read_text("utf-8"))
            except (OSError, UnicodeDecodeError):
                continue
            if found:
                return [f"{job.rule.replace('_', ' ')}: {found[1]}"]
    return []


def fit(display: Any, at_work: Callable[[], Sequence[Job]]) -> None:
    """Show no more bars than fit, and the time that the whole run is likely to take yet.

    display: the plugin's handler of log events.
    at_work: gives the jobs that run now.
    """
    progress = display.progress
    # of the whole run: jobs of a minute leave no speed to see in the last half
    progress.speed_estimate_period = float("inf")
    progress.columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None, complete_style="green", finished_style="dim green"),
        MofNCompleteColumn(),
    )
    display.live_display.update(Bars(progress, at_work))
    # the plugin reads the log of a job that failed before it had one
    logging.raiseExceptions = False


def _times(total: Task, hidden: int) -> str:
    """Return the time so far, the time it may take yet, and how many bars there is no room for."""
    times = f"{_clock(total.elapsed)} so far"
    if total.time_remaining:
        times += f", about {_clock(total.time_remaining)} to go"
    return f"{times}; running rules that are not shown: {hidden}" if hidden > 0 else times


def _clock(seconds: float | None) -> str:
    minutes, rest = divmod(int(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
