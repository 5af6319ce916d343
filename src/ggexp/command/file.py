"""``ggexp describe``: a proposed configuration for a user's file."""

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.options import example, print_json, tell

if TYPE_CHECKING:
    from ggexp.datasets.counted import CountOptions
    from ggexp.datasets.proposal import Description

#: What stands for the standard input.
INPUT = Path("-")


def counted(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file holds counts."""
    for option in (
        click.option(
            "--keep-totals",
            is_flag=True,
            help="Keep levels that are totals of other levels, such as all, as cells.",
        ),
        click.option(
            "--thousands",
            type=click.Choice([",", ".", " ", "'"]),
            help="Thousands separator of the counts.",
        ),
        click.option(
            "--decimal",
            type=click.Choice([".", ","]),
            help="Decimal separator of the file's numbers.",
        ),
        click.option(
            "--wide", is_flag=True, help="The levels of one factor are columns of counts."
        ),
        click.option("--count", metavar="COLUMN", help="Name of the column of counts."),
    ):
        command = option(command)
    return command


def asked(
    count: str | None, wide: bool, decimal: str | None, thousands: str | None, keep_totals: bool
) -> "CountOptions":
    """Return what the options of `counted` say."""
    from ggexp.datasets.counted import CountOptions

    if wide and count is not None:
        raise click.UsageError(
            "--wide and --count exclude each other: a wide table has several columns of counts"
        )
    return CountOptions(count, wide, decimal, thousands, keep_totals)


def described(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `describe`, with which `examined` is called."""
    for option in (
        click.option(
            "--save",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="File for a copy of standard input or a pipe, because a run reads its file again.",
        ),
        counted,
        click.option(
            "--columns",
            metavar="A,B,C",
            help="Columns of records that make the histogram (default: a proposal).",
        ),
        click.option(
            "--target", metavar="COLUMN", help="Column of classes that a classifier predicts."
        ),
    ):
        command = option(command)
    return command


def examined(
    file: Path, *, target: str | None, columns: str | None, save: Path | None, **counting: Any
) -> "Description":
    """Return what a file holds, by the options of `described`. Errors are those of the command."""
    from ggexp.datasets.describe import examine

    known = asked(**counting)
    names = None if columns is None else [name.strip() for name in next(csv.reader([columns]), [])]
    try:
        return examine(saved(file, save), target, columns=names, count_options=known)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error


def is_stream(file: Path) -> bool:
    """Return whether a file can be read once alone: standard input or a pipe."""
    return file == INPUT or file.is_fifo()


def copy_stream(file: Path, to: Path) -> Path:
    """Return a new file with what a stream holds; ValueError if it is there already."""
    from ggexp.datasets.text import save_stream

    if file == INPUT:
        save_stream(sys.stdin.buffer, to)
    else:
        with file.open("rb") as stream:
            save_stream(stream, to)
    return to


def saved(file: Path, save: Path | None) -> Path:
    """Return a file that can be read again: the given one, or what was saved of a stream."""
    if not is_stream(file):
        if save is not None:
            raise ValueError(
                f"--save is only for standard input (-) and pipes, got the file {file}"
            )
        return file
    if save is None:
        raise ValueError(
            f"{file}: a run reads its file again, but a pipe can be read only once; "
            "--save data/own/mine.csv keeps a copy"
        )
    return copy_stream(file, save)


@example("ggexp describe counts.csv")
@click.command(short_help="Propose a configuration for your own file.")
@click.argument("file", type=click.Path(path_type=Path))
@described
@options.as_json
def describe(file: Path, as_json: bool, **given: Any) -> None:
    """Print a commented configuration for a file of records or of counts.

    The configuration runs unedited. Save it (ggexp describe my.csv > mine.yaml) in the folder in
    which snakemake will be started, because it contains the path FILE as given.

    FILE is CSV with any separator, Parquet, Excel (.xlsx), Stata (.dta) or SPSS (.sav), or - for
    standard input. CSV may be compressed (.gz, .bz2, .xz, .zst, .zip).

    Columns, levels and bins are proposed from the data. For records, the first columns that leave
    about five records per cell are proposed; the others are comments. Totals of counts are left
    out, and so are columns that cannot be classified, such as free text and identifiers.
    """
    from ggexp.datasets.proposal import write

    found = examined(file, **given)
    if as_json:
        left_out = {name: kind.note for name, kind in found.kinds.items() if not kind.is_used}
        return print_json(
            {
                "dataset": found.name,
                "settings": found.settings,
                "target": found.target,
                "total": found.total,
                "released": found.released,
                "cells": found.cells,
                "filled": found.filled,
                "release": None if found.is_counts else found.release,
                "error": found.error,
                "offered": {name: found.kinds[name].form for name in found.offered},
                "left_out": left_out,
                "notes": found.notes,
                "warnings": found.warnings,
            }
        )
    click.echo(write(found), nl=False)
    for one in found.left_out:
        tell(f"left out: {one}")
    for one in found.warnings:
        tell(f"warning: {one}")
