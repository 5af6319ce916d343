"""The live display of a run at a terminal: progress bars that fit, and the estimated time."""

import re
from pathlib import Path
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from snakemake_logger_plugin_ggexp.run import Run

MAX_BARS = 8  # rules whose bars are shown at the same time
#: The last line of a job's log if it reports the job's progress.
PROGRESS = re.compile(r"\d\d:\d\d:\d\d (\d+ of \d+ .+ remain)\n?\Z")


class Bars:
    """The bars of the running rules, limited to those that fit, above the bar of all jobs."""

    def __init__(self, run: Run, stream: TextIO) -> None:
        self.run = run
        self.console = Console(file=stream)
        self.live = Live(self, console=self.console, refresh_per_second=2, transient=True)
        self.live.start()

    def __rich__(self) -> Group:
        run = self.run
        rules = [*dict.fromkeys(job.rule for job in [*run.running.values()])]
        rows = max(0, min(MAX_BARS, self.console.height - 5))
        table = Table.grid(padding=(0, 1), expand=True)
        table.add_column(no_wrap=True)
        table.add_column(ratio=1)
        table.add_column(justify="right", no_wrap=True)
        counts = [
            (rule.replace("_", " "), run.done[rule], run.totals[rule]) for rule in rules[:rows]
        ]
        for name, done, total in [*counts, ("all jobs", run.done.total(), run.totals.total())]:
            bar = ProgressBar(total=total, completed=done, complete_style="green")
            table.add_row(name, bar, f"{done}/{total}")
        hidden = len(rules) - rows
        times = run.times() + (f"; rules that are not shown: {hidden}" if hidden > 0 else "")
        lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in progress_of(run)]
        return Group(table, Text(times), *lines)


def progress_of(run: Run) -> list[str]:
    """Return a line on the progress of the longest-running job whose log reports it, if any."""
    for job in sorted([*run.running.values()], key=lambda job: job.start):
        for log in job.logs:
            try:
                match = PROGRESS.search(Path(log).read_text("utf-8"))
            except (OSError, UnicodeDecodeError):
                continue
            if match:
                return [f"{job.rule.replace('_', ' ')}: {match[1]}"]
    return []
