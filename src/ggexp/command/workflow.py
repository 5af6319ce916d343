"""``ggexp describe``, ``run``, ``reproduce`` and ``snakemake``: from a file to results.

The project's workflow runs in any folder.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ggexp.command.error import Amount, add_goals, one_goal
from ggexp.command.options import (
    add_options,
    as_json,
    example,
    is_stream,
    names,
    print_message,
    show,
)
from ggexp.run.project import ROOT, designs
from ggexp.run.start import private_mask, start

if TYPE_CHECKING:
    from ggexp.proposal.configuration import Description


#: Ends the options; targets follow.
END = "--"
PAPER = "paper"
#: A target of the paper's design, which has its own pages.
GUARANTEES = "guarantees"
#: The designs that are targets of the workflow; the target of the others is `all`.
TARGETS = {GUARANTEES, "multiverse"}
#: The name of the configuration that is saved with the results. Users may copy and edit it.
CONFIGURATION = "configuration.yaml"

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


def examine_file(
    file: Path,
    *,
    target: str | None,
    columns: list[str] | None,
    name: str | None,
    **counting: Any,
) -> "Description":
    """Return the description of a file; the parameters are the options of `describe`."""
    from ggexp.checks import table_errors
    from ggexp.proposal.describe import examine
    from ggexp.proposal.guess import CountOptions

    if counting["wide"] and counting["count"] is not None:
        raise click.UsageError(
            "--wide and --count exclude each other: a wide table has several columns of counts"
        )
    with table_errors():
        if is_stream(file):
            raise ValueError(f"{file}: a run reads its file again; write this input to a file")
        count_options = CountOptions(**counting)
        return examine(file, target, columns=columns, count_options=count_options, name=name)


@example("ggexp describe counts.csv")
@click.command(short_help="Propose a configuration for your own file.")
@click.argument("file", type=click.Path(path_type=Path))
@add_options(
    click.option(
        "--target", metavar="COLUMN", help="Column of classes that a classifier predicts."
    ),
    click.option(
        "--columns",
        type=names,
        metavar="A,B,C",
        help="Columns of records that make the histogram (default: a proposal).",
    ),
    click.option("--count", metavar="COLUMN", help="Name of the column of counts."),
    click.option(
        "--wide",
        metavar="NAME",
        help="The columns after the factors hold counts; they are the levels of a factor with this "
        "name.",
    ),
    *SEPARATORS,
    click.option(
        "--keep-totals",
        is_flag=True,
        help="Keep levels that are totals of other levels, such as all, as cells.",
    ),
    click.option(
        "--name",
        metavar="NAME",
        help="Name of the data set and of its folder in results/ (default: from the file).",
    ),
)
@as_json
def describe(file: Path, as_json: bool, **settings: Any) -> None:
    """Print a commented configuration for a file of records or of counts.

    The configuration runs unedited. Save it (ggexp describe my.csv > mine.yaml) in the folder in
    which snakemake will be started, because it contains the path FILE as given.

    FILE is CSV with any separator, Parquet, Excel (.xlsx, .xls), Stata (.dta), SPSS (.sav, .zsav)
    or SAS (.xpt, .sas7bdat). CSV may be compressed (.gz, .bz2, .xz, .zst, .zip).

    Columns, levels and bins are proposed from the data. For records, the first columns that leave
    about five records per cell are proposed; the others are written as comments. Totals of counts
    are left out, and so are columns that cannot be classified, such as free text and identifiers.
    """
    from ggexp.proposal.configuration import write

    description = examine_file(file, **settings)
    if as_json:
        roles, table = description.roles, description.table
        values = {
            "dataset": description.name,
            "settings": description.settings.written(),
            **{name: getattr(description, name) for name in ("target", "total")},
            "released": table.total,
            "cells": table.combinations,
            "filled": table.filled,
            **{name: getattr(description, name) for name in ("error", "notes", "warnings")},
            "release": None if description.is_counts else description.release,
            "offered": {name: roles[name].written for name in description.offered},
            "left_out": {name: roles[name].note for name in roles if not roles[name].is_used},
        }
        return show(values, as_json)
    click.echo(write(description), nl=False)
    _print_messages(description)


def _print_messages(description: "Description") -> None:
    """Print what a proposal leaves out, and what the user should check."""
    for message in description.left_out:
        print_message(f"left out: {message}")
    for message in description.warnings:
        print_message(f"warning: {message}")


passed_on = click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[SNAKEMAKE]...")
overwriting = click.option(
    "--overwrite", is_flag=True, help="Replace even the results of another file, or a larger run."
)
#: Adds the options that change which results a run makes.
add_selection = add_options(
    click.option("--datasets", metavar="A,B,C", help="Run only these data sets."), overwriting
)


class WorkflowCommand(click.Command):
    """A command that passes unknown options on to snakemake, and also `END`."""

    ignore_unknown_options = True

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raise click.ClickException if the packages of runs are missing."""
        if not find_spec("snakemake"):
            raise click.ClickException(
                f"ggexp {self.name} needs more packages: pip install 'CLONE_OR_WHEEL[workflow]'"
            )
        return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Click removes an `END`, therefore one among them is doubled."""
        if END in args[1:]:
            args.insert(args.index(END, 1), END)
        return super().parse_args(ctx, args)


def with_options(words: Sequence[str], *options: str) -> list[str]:
    """Return the words of a command line with further options, before `END` if it is there."""
    position = words.index(END) if END in words else len(words)
    return [*words[:position], *options, *words[position:]]


def run_snakemake(
    words: Sequence[str], datasets: str | None = None, overwrite: bool = False
) -> NoReturn:
    """Replace this process by snakemake; the options of `add_selection` become settings."""
    settings = [f"datasets=[{datasets}]"] * (datasets is not None) + ["overwrite=true"] * overwrite
    if settings:  # snakemake reads only the last --config, which is also written -C
        from snakemake.cli import get_argument_parser

        given, _ = get_argument_parser().parse_known_args(words)
        words = with_options(words, "--config", *(given.config or ()), *settings)
    sys.stdout.flush()
    start(words)


def check_options(options: Sequence[str]) -> None:
    """Raise click.UsageError for an option that snakemake does not have, before all else."""
    if not any(option.startswith("-") for option in options):
        return
    from snakemake.cli import get_argument_parser
    from snakemake.exceptions import CliException

    def refuse(message: str) -> NoReturn:
        raise click.UsageError(f"{message}; ggexp snakemake -- --help lists its options")

    parser = get_argument_parser()
    parser.error = refuse
    try:
        _, unknown = parser.parse_known_args(options)
    except CliException as error:
        refuse(error.msg)
    if unknown := [word for word in unknown if word.startswith("-")]:
        name = unknown[0].partition("=")[0]
        known = [name for action in parser._actions for name in action.option_strings]
        raise click.NoSuchOption(name, possibilities=get_close_matches(name, known))


@example("ggexp reproduce --design smoke --cores 2")
@click.command(
    cls=WorkflowCommand,
    short_help="Run the paper's design, or another one.",
)
@click.option(
    "--design",
    type=click.Choice([PAPER, GUARANTEES, *designs()]),
    default=PAPER,
    help="Name of the design (default: paper); smoke is the paper's with few repeats.",
)
@add_selection
@passed_on
def reproduce(design: str, datasets: str | None, overwrite: bool, options: tuple[str, ...]) -> None:
    """Run the paper's design, or another one.

    Results, downloads and logs are written below the current folder: those of the paper's design to
    results/, and those of another one to results/DESIGN/. All cores are used, unless `--cores`
    limits them. Further options are passed to snakemake; for example, `--report report.html` writes
    Snakemake's report on a finished run. To resume an interrupted run, repeat the command.
    """
    check_options(options)
    words = [design] if design in TARGETS else []
    words += ["--cores", "all", *options]
    if design not in (PAPER, GUARANTEES):
        words = with_options(words, "--configfile", str(ROOT / f"config/{design}.yaml"))
    run_snakemake(words, datasets, overwrite)


@example("ggexp snakemake --cores all figure_07")
@click.command(cls=WorkflowCommand, short_help="Run snakemake with the project's workflow.")
@add_selection
@passed_on
def snakemake(datasets: str | None, overwrite: bool, options: tuple[str, ...]) -> None:
    """Run snakemake with the project's workflow in the current folder.

    The command does the same as `snakemake` in a clone of the project, but only one run at a time
    starts in a folder, and a run starts even if the last one was killed.
    """
    run_snakemake(options, datasets, overwrite)


@example("ggexp run counts.csv")
@click.command(
    cls=WorkflowCommand,
    short_help="Describe a file, run the experiment, and print the answer.",
    params=[parameter for parameter in describe.params if parameter.name != "as_json"],
)
@add_goals
@overwriting
@passed_on
def run(
    options: tuple[str, ...],
    overwrite: bool,
    n: int | None,
    count_error: Amount | None,
    max_error: Amount | None,
    l1: Amount | None,
    **settings: Any,
) -> None:
    """Describe a file, run the experiment, and print the answer and the path of the results' page.

    With an acceptable error, the answer is the smallest ε that is enough for every table of this
    size in 19 of 20 releases. It is printed at once, and the run measures errors at this ε too.

    The command does the work of `ggexp describe FILE > mine.yaml` and of `ggexp snakemake --cores
    all --configfile mine.yaml`. Options of snakemake must follow FILE. The configuration is saved
    beside the results. To change it, edit a copy and run the copy with `ggexp snakemake`.
    """
    check_options(options)
    goal = one_goal(n, count_error=count_error, max_error=max_error, l1=l1)
    description, answer = _answered(examine_file(**settings), goal)
    path = _save_configuration(description, may_overwrite=overwrite)
    _print_messages(description)
    print_message(f"configuration: {path}")
    click.echo(click.wrap_text(" ".join(answer)), err=True)
    words = with_options(["--cores", "all", *options], "--configfile", str(path))
    run_snakemake(words, overwrite=overwrite)


def _answered(
    description: "Description", goal: Mapping[str, float]
) -> tuple["Description", list[str]]:
    """Return a description with a goal, whose ε is on the grid, and the answer without the data."""
    from ggexp.experiment.card import card, epsilon_of_a_count
    from ggexp.experiment.recommendation import Subject
    from ggexp.releases.kinds import ALL

    table = description.table
    subject = Subject(
        cells=table.combinations, lists_cells=description.release == ALL, is_own=True, goal=goal
    )
    needed = epsilon_of_a_count(subject, None) if goal and subject.lists_cells else None
    epsilons = sorted({*description.epsilons, *([needed] if needed else [])})
    found = card(subject, None)
    assert found is not None
    measured = "Now the run measures the errors of several mechanisms on this table."
    sentences = [f"{description.name}: {found.epsilon}", *found.meaning, measured]
    return replace(description, goal=goal, epsilons=epsilons), sentences


def _save_configuration(description: "Description", *, may_overwrite: bool) -> Path:
    """Save the configuration in its folder of results, if it has no results of another file."""
    from ggexp.proposal.configuration import write
    from ggexp.run.source import check_source
    from ggexp.run.storage import replacing

    name, path = description.name, Path(description.results, CONFIGURATION)
    if not may_overwrite:
        try:
            advice = f"Choose another name (--name {name}-2), or allow it (--overwrite)"
            stored, source = path.parent / f"histograms/{name}.parquet", description.fields.source
            check_source(stored, str(source), advice)
        except ValueError as error:
            raise click.ClickException(str(error)) from error
    os.umask(private_mask(path.parent))  # for the run too, which this process starts
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(write(description), "utf-8")
    return path
