"""``ggexp example``: two files with which the other commands can be tried."""

import csv
from pathlib import Path

import click

from ggexp.command import options
from ggexp.run.project import ROOT

#: The counts, which are in the last column.
COUNTS = ROOT / "examples/hair-eye.csv"
#: What can be done with the files.
COMMANDS = (
    "ggexp sanitize students.csv --tables Hair,Eye --tables Hair,Sex --tables Eye,Sex "
    "--levels-from-file --epsilon 1",
    "ggexp sanitize hair-eye.csv --factors Hair,Eye,Sex --count Freq --levels-from-file "
    "--epsilon 1",
    "ggexp run hair-eye.csv",
)


@options.example("ggexp example")
@click.command(short_help="Write two files with which the commands can be tried.")
def example() -> None:
    """Write two files to the current folder, and print commands that use them.

    hair-eye.csv has the number of statistics students with each colour of hair and eyes, by sex (R.
    D. Snee, The American Statistician 28, 1974, 9-12). students.csv is a survey with the same
    students, one in each line. Existing files are not replaced.
    """
    from ggexp.run.storage import replacing

    counts = COUNTS.read_text("utf-8")
    header, *rows = csv.reader(counts.splitlines())
    students = [row[:-1] for row in rows for _ in range(int(row[-1]))]
    lines = {"students.csv": len(students), COUNTS.name: len(rows)}
    for name in lines:
        if Path(name).exists():
            raise click.ClickException(f"{name} exists already; start in another folder")
    survey = "".join(f"{','.join(row)}\n" for row in [header[:-1], *students])
    for name, text in zip(lines, (survey, counts), strict=True):
        with replacing(Path(name)) as temporary:
            temporary.write_text(text, "utf-8")
    options.show([{"file": name, "lines": number} for name, number in lines.items()], as_json=False)
    click.echo("\nFor example:\n  " + "\n  ".join(COMMANDS))
