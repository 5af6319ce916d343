"""``ggexp describe``: a proposed configuration for a user's file."""

import shutil
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.options import add_options, example, print_json, print_message

if TYPE_CHECKING:
    from ggexp.proposal.configuration import Description

#: The file name that means standard input.
STANDARD_INPUT = Path("-")

#: The options that name the sheet of a workbook and the separators within a file's numbers.
SEPARATORS = (
    click.option(
        "--sheet", metavar="NAME", help="Sheet of a workbook (default: the first with content)."
    ),
    click.option(
        "--decimal", type=click.Choice([".", ","]), help="Decimal separator of the file's numbers."
    ),
    click.option(
        "--thousands",
        type=click.Choice([",", ".", " ", "'"]),
        help="Thousands separator of the file's numbers.",
    ),
)
#: Adds the options of `describe`.
add_describe_options = add_options(
    click.option(
        "--target", metavar="COLUMN", help="Column of classes that a classifier predicts."
    ),
    click.option(
        "--columns",
        type=options.names,
        metavar="A,B,C",
        help="Columns of records that make the histogram (default: a proposal).",
    ),
    click.option("--count", metavar="COLUMN", help="Name of the column of counts."),
    click.option(
        "--wide", is_flag=True, help="Each level of one factor has its own column of counts."
    ),
    *SEPARATORS,
    click.option(
        "--keep-totals",
        is_flag=True,
        help="Keep levels that are totals of other levels, such as all, as cells.",
    ),
    click.option(
        "--save",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="File for a copy of standard input or a pipe, because a run reads its file again.",
    ),
    click.option(
        "--name",
        metavar="NAME",
        help="Name of the data set and of its folder in results/ (default: from the file).",
    ),
)


def examine_file(
    file: Path,
    *,
    target: str | None,
    columns: list[str] | None,
    save: Path | None,
    name: str | None,
    **counting: Any,
) -> "Description":
    """Return the description of a file; the parameters are the options of `describe`."""
    from ggexp.proposal.describe import examine
    from ggexp.proposal.guess import CountOptions

    if counting["wide"] and counting["count"] is not None:
        raise click.UsageError(
            "--wide and --count exclude each other: a wide table has several columns of counts"
        )
    try:
        if not is_stream(file) and save is not None:
            raise ValueError(f"--save is only for standard input (-) and pipes, got {file}")
        if is_stream(file) and save is None:
            name_of_stream = "standard input" if file == STANDARD_INPUT else file
            raise ValueError(
                f"{name_of_stream} can be read only once, but a run reads its file again: --save "
                "data/own/mine.csv keeps a copy"
            )
        file = file if save is None else copy_stream(file, save)
        count_options = CountOptions(**counting)
        return examine(file, target, columns=columns, count_options=count_options, name=name)
    except ValueError as error:
        raise click.ClickException(str(error)) from error


def is_stream(file: Path) -> bool:
    """Return whether a file can be read only once, because it is standard input or a pipe."""
    return file == STANDARD_INPUT or file.is_fifo()


def copy_stream(file: Path, copy: Path) -> Path:
    """Copy standard input or a pipe to a new file, and return the path of the copy."""
    with nullcontext(sys.stdin.buffer) if file == STANDARD_INPUT else file.open("rb") as stream:
        try:
            with copy.open("xb") as target:
                shutil.copyfileobj(stream, target)
        except FileExistsError as error:
            raise ValueError(f"{copy} exists already; name another file") from error
        except BaseException:
            copy.unlink(missing_ok=True)
            raise
    return copy


@example("ggexp describe counts.csv")
@click.command(short_help="Propose a configuration for your own file.")
@click.argument("file", type=click.Path(path_type=Path))
@add_describe_options
@options.as_json
def describe(file: Path, as_json: bool, **settings: Any) -> None:
    """Print a commented configuration for a file of records or of counts.

    The configuration runs unedited. Save it (ggexp describe my.csv > mine.yaml) in the folder in
    which snakemake will be started, because it contains the path FILE as given.

    FILE is CSV with any separator, Parquet, Excel (.xlsx, .xls), Stata (.dta), SPSS (.sav, .zsav)
    or SAS (.xpt, .sas7bdat), or - for standard input. CSV may be compressed (.gz, .bz2, .xz, .zst,
    .zip).

    Columns, levels and bins are proposed from the data. For records, the first columns that leave
    about five records per cell are proposed; the others are written as comments. Totals of counts
    are left out, and so are columns that cannot be classified, such as free text and identifiers.
    """
    from ggexp.proposal.configuration import write

    description = examine_file(file, **settings)
    if as_json:
        names = ("settings", "target", "total", "released", "cells", "filled", "error")
        return print_json(
            {
                "dataset": description.name,
                **{name: getattr(description, name) for name in (*names, "notes", "warnings")},
                "release": None if description.is_counts else description.release,
                "offered": {name: description.roles[name].form for name in description.offered},
                "left_out": {
                    name: role.note for name, role in description.roles.items() if not role.is_used
                },
            }
        )
    click.echo(write(description), nl=False)
    for message in description.left_out:
        print_message(f"left out: {message}")
    for message in description.warnings:
        print_message(f"warning: {message}")
