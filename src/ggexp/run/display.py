"""The live display of snakemake-logger-plugin-rich, limited to the height of a terminal.

Until the run ends, the plugin's own panel keeps a bar for every rule that has started. This
workflow has more rules than a terminal with 24 rows can show; with all their bars, the screen would
stay blank.
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

MAX_BARS = 8  # largest number of rules whose bars are shown at the same time
#: The last line of a job's log if it reports the job's progress.
PROGRESS = re.compile(r"\d\d:\d\d:\d\d (\d+ of \d+ .+ remain)\n?\Z")


class Bars:
    """The progress bars of running rules, limited to those that fit, above the bar of all jobs."""

    def __init__(self, progress: Progress, running_jobs: Callable[[], Sequence[Job]]) -> None:
        self.progress = progress
        self.running_jobs = running_jobs

    def __rich__(self) -> Table:
        if not self.progress.tasks:
            return Table.grid()
        total, *rules = self.progress.tasks
        jobs = self.running_jobs()
        names = {job.rule.replace("_", " ") for job in jobs}
        running = [task for task in rules if task.description in names]
        rows = max(0, min(MAX_BARS, self.progress.console.height - 5))
        table = self.progress.make_tasks_table([*running[:rows], total])
        lines = "\n".join([_times(total, len(running) - rows), *progress_of(jobs)])
        table.caption = Text(lines, style="default", justify="left")
        table.caption_justify = "left"
        return table


def progress_of(jobs: Sequence[Job]) -> list[str]:
    """Return one line on the progress of the longest-running job whose log reports progress.

    The list is empty if there is no such job.
    """
    for job in sorted(jobs, key=lambda job: job.start):
        for log in job.logs:
            try:
                match = PROGRESS.search(Path(log).read_text("utf-8"))
            except (OSError, UnicodeDecodeError):
                continue
            if match:
                return [f"{job.rule.replace('_', ' ')}: {match[1]}"]
    return []


def fit(display: Any, running_jobs: Callable[[], Sequence[Job]]) -> None:
    """Limit the display to the bars that fit, and add the estimated remaining time of the run.

    display: the plugin's handler of log events.
    running_jobs: a function that returns the jobs that are running.
    """
    progress = display.progress
    # Estimate the speed from the whole run: if jobs take a minute, rich's default window of 30 s
    # often contains no progress.
    progress.speed_estimate_period = float("inf")
    progress.columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None, complete_style="green", finished_style="dim green"),
        MofNCompleteColumn(),
    )
    display.live_display.update(Bars(progress, running_jobs))
    # Hide the plugin's error about the missing log of a job that failed before writing one.
    logging.raiseExceptions = False


def _times(total: Task, hidden: int) -> str:
    """Return the elapsed time, the estimated remaining time, and the number of hidden bars."""
    times = f"{_clock(total.elapsed)} elapsed"
    if total.time_remaining:
        times += f", about {_clock(total.time_remaining)} remaining"
    return f"{times}; running rules that are not shown: {hidden}" if hidden > 0 else times


def _clock(seconds: float | None) -> str:
    minutes, whole_seconds = divmod(int(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{whole_seconds:02d}"
