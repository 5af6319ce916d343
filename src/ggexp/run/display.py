"""The live display of snakemake-logger-plugin-rich, limited to the height of a terminal.

The plugin's own panel keeps a bar for every rule that has started until the run ends. This workflow
has more rules than a terminal of 24 rows can show, and the screen stays blank.
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

ROWS = 8  # bars of rules shown together


#: The last line of a job's log if it reports the progress of the job.
PROGRESS = re.compile(r"\d\d:\d\d:\d\d (\d+ of \d+ .+ remain)\n?\Z")


class Bars:
    """The bars of the running rules, as many as fit, and below them the bar of all jobs."""

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
    """Return the progress of the longest-running job whose log reports it, or nothing."""
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
    """Show no more bars than fit, and the estimated remaining time of the run.

    display: the plugin's handler of log events.
    at_work: returns the jobs that are running.
    """
    progress = display.progress
    # the whole run: with jobs of a minute the default window of 30 s sees no progress
    progress.speed_estimate_period = float("inf")
    progress.columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None, complete_style="green", finished_style="dim green"),
        MofNCompleteColumn(),
    )
    display.live_display.update(Bars(progress, at_work))
    # the plugin fails to read the log of a job that failed before writing one
    logging.raiseExceptions = False


def _times(total: Task, hidden: int) -> str:
    """Return the elapsed time, the estimated remaining time, and the number of hidden bars."""
    times = f"{_clock(total.elapsed)} elapsed"
    if total.time_remaining:
        times += f", about {_clock(total.time_remaining)} remaining"
    return f"{times}; running rules that are not shown: {hidden}" if hidden > 0 else times


def _clock(seconds: float | None) -> str:
    minutes, rest = divmod(int(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
