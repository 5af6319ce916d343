"""``ggexp describe``: a configuration for a file of one's own."""

from pathlib import Path

import click

from ggexp.command import options
from ggexp.command.options import example, print_json, tell


@example("ggexp describe counts.csv")
@click.command(short_help="A configuration for a file of your own.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--target", metavar="COLUMN", help="The column of classes to be predicted.")
@options.as_json
def describe(file: Path, target: str | None, as_json: bool) -> None:
    """Print a commented configuration for a file of records or of counts, to be run and edited.

    FILE is CSV, with any separator, perhaps compressed (.gz, .bz2, .xz, .zst, .zip), or Parquet.
    Start in the folder in which snakemake will be started, as the path is written as it is given,
    and put what is printed into a file: ggexp describe my.csv > mine.yaml

    Its levels and bounds are proposals from the data. Columns that nobody can guess, such as free
    text and identifiers, are named and left out.
    """
    from ggexp.datasets.describe import examine
    from ggexp.datasets.proposal import write

    try:
        found = examine(file, target)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        left_out = {name: kind.note for name, kind in found.kinds.items() if not kind.is_used}
        return print_json(
            {
                "dataset": found.name,
                "settings": found.settings,
                "target": found.target,
                "total": found.total,
                "cells": found.cells,
                "filled": found.filled,
                "left_out": left_out,
                "doubts": found.doubts,
            }
        )
    click.echo(write(found), nl=False)
    for one in found.left_out:
        tell(f"left out: {one}")
    for one in found.doubts:
        tell(f"warning: {one}")
