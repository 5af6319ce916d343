"""``ggexp example``: two files with which the other commands can be tried."""

from pathlib import Path

import click

from ggexp.command.options import example as with_example
from ggexp.command.options import show
from ggexp.run.project import ROOT

#: The counts, and the column in which they are.
COUNTS, COUNT = ROOT / "examples/hair-eye.csv", "Freq"
#: What can be done with the files.
COMMANDS = (
    "ggexp sanitize students.csv --tables Hair,Eye --tables Hair,Sex --tables Eye,Sex "
    "--levels-from-file --epsilon 1",
    "ggexp sanitize hair-eye.csv --factors Hair,Eye,Sex --count Freq --levels-from-file "
    "--epsilon 1",
    "ggexp run hair-eye.csv",
)


@with_example("ggexp example")
@click.command(short_help="Write two files with which the commands can be tried.")
def example() -> None:
    """Write two files to the current folder, and print commands that use them.

    hair-eye.csv has the number of statistics students with each colour of hair and eyes, by sex (R.
    D. Snee, The American Statistician 28, 1974, 9-12). students.csv is a survey with the same
    students, one in each line. Existing files are not replaced.
    """
    import pandas as pd

    from ggexp.run.storage import replacing

    counts = pd.read_csv(COUNTS)
    students = counts.loc[counts.index.repeat(counts[COUNT])].drop(columns=COUNT)
    tables = {"students.csv": students, COUNTS.name: counts}
    for name in tables:
        if Path(name).exists():
            raise click.ClickException(f"{name} exists already; start in another folder")
    for name, table in tables.items():
        with replacing(Path(name)) as temporary:
            table.to_csv(temporary, index=False)
    show([{"file": name, "lines": len(table)} for name, table in tables.items()], as_json=False)
    click.echo("\nFor example:\n  " + "\n  ".join(COMMANDS))
