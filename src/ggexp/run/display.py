"""The live display of snakemake-logger-plugin-rich, made to fit a terminal.

Its own panel has a bar for every rule that has started, until the run ends: here more of them than
a terminal of 24 rows has, which leaves a blank screen.
"""

import logging
from collections.abc import Callable
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn
from rich.table import Table
from rich.text import Text

ROWS = 8  # bars of rules at a time


class Bars:
    """The bars of the rules at work, as many as fit, and under them the bar of all jobs."""

    def __init__(self, progress: Progress, at_work: Callable[[], set[str]]) -> None:
        self.progress = progress
        self.at_work = at_work

    def __rich__(self) -> Table:
        if not self.progress.tasks:
            return Table.grid()
        total, *rules = self.progress.tasks
        names = {name.replace("_", " ") for name in self.at_work()}
        running = [task for task in rules if task.description in names]
        rows = max(0, min(ROWS, self.progress.console.height - 4))
        table = self.progress.make_tasks_table([*running[:rows], total])
        table.caption = Text(_times(total, len(running) - rows), style="default", justify="left")
        table.caption_justify = "left"
        return table


def fit(display: Any, at_work: Callable[[], set[str]]) -> None:
    """Show no more bars than fit, and the time that the whole run is likely to take yet.

    display: the plugin's handler of log events.
    at_work: gives the names of the rules whose jobs run now.
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
    return f"{times}; rules at work that are not shown: {hidden}" if hidden > 0 else times


def _clock(seconds: float | None) -> str:
    minutes, rest = divmod(int(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
