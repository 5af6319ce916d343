"""``ggexp sanitize``: one release of a table of counts, and a statement of its guarantee."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.file import (
    STANDARD_INPUT,
    add_count_options,
    copy_stream,
    is_stream,
    parse_count_options,
)
from ggexp.command.options import arguments_checked, example, number, print_message, show

if TYPE_CHECKING:
    from ggexp.proposal.guess import CountOptions, Guess


@example("ggexp sanitize counts.csv --epsilon 0.5")
@click.command(short_help="Release a table of counts once, and state the guarantee.")
@click.argument("counts", type=click.Path(path_type=Path), metavar="COUNTS.CSV")
@number("epsilon", "ε > 0; there is no default.", required=True)
@number("delta", "δ, between 0 and 1, for rules that use it.")
@options.calibration(
    "Calibration rule (default: pure-integer, or adp-optimal with --delta), one of"
)
@options.order
@click.option(
    "--rescale",
    is_flag=True,
    help="Clamp counts at the total and rescale them to sum to it, as in the paper. This assumes "
    "that the total is public.",
)
@click.option(
    "--complete",
    is_flag=True,
    help="Add combinations of the levels that have no row, as cells with the count 0.",
)
@add_count_options
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.CSV",
    help="File of the release (default: COUNTS-release.csv beside the table).",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="Seed of the noise, for reproducible examples. Such a release is not private.",
)
@options.as_json
def sanitize(
    counts: Path,
    epsilon: float,
    delta: float | None,
    calibration: str | None,
    order: float | str | None,
    rescale: bool,
    complete: bool,
    output: Path | None,
    seed: int | None,
    as_json: bool,
    **counting: Any,
) -> None:
    """Write one release of a table of counts, and a JSON file that states its guarantee.

    COUNTS.CSV has a header, a column for each factor, a column of counts named count, Freq or
    similar (or see --count and --wide), and a row for each cell, including empty ones; - is
    standard input. Noise is added to each count, and negative results become 0.

    By default the noise consists of whole numbers, which are drawn exactly, from random bits of the
    operating system. The guarantee then holds for the released file, with the limits that the notes
    and warnings name. Rows are sorted by their levels.

    Existing files are not replaced, because a second release of the table spends ε again.
    """
    from ggexp.command.mechanism import released_noise
    from ggexp.command.release import describe, in_short, release_counts, sampler, write
    from ggexp.datasets.text import stem
    from ggexp.mechanisms.calibration import smallest_whole_rule

    if calibration is None:
        if order is not None:
            raise click.UsageError(
                "--order needs --calibration, because the default rules have no order"
            )
        calibration = smallest_whole_rule(delta)
    count_options = parse_count_options(**counting)
    if output is None and is_stream(counts):
        raise click.UsageError("--output is needed for a table from standard input or a pipe")
    with arguments_checked():
        noise, guarantee = released_noise(order, calibration, epsilon=epsilon, delta=delta)
        sample = sampler(noise, seed)
        output = output or counts.with_name(f"{stem(counts)}-release.csv")
    if output.suffix != ".csv":
        raise click.UsageError(f"--output must end in .csv, got {str(output)!r}")
    sidecar = output.with_suffix(".json")
    try:
        for file in (output, sidecar):
            if file.exists():
                raise click.ClickException(
                    f"{file} exists already, and a second release of the table spends ε again; to "
                    "release it again, name another --output"
                )
        guess = _read(counts, count_options)
        table = guess.table.completed() if complete else guess.table.sorted()
        messages = [*(f"left out: {message}" for message in guess.left_out), *guess.warnings]
        statement = describe(
            table,
            noise,
            guarantee,
            calibration,
            epsilon,
            delta,
            seed=seed,
            rescaled=rescale,
            messages=messages,
        )
        released = release_counts(table.counts, sample, rescaled=rescale)
        write(table, guess.design.count, released, statement, output, sidecar)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    files = {"release": str(output), "statement": str(sidecar)}
    show(files | (statement if as_json else in_short(statement)), as_json)
    if not as_json:
        for note in statement["notes"]:
            click.echo(click.wrap_text(f"note: {note}", subsequent_indent="      "))
    for warning in statement["warnings"]:
        print_message(f"warning: {warning}")


def _read(counts: Path, count_options: "CountOptions") -> "Guess":
    """Return a table; a stream is first copied to a temporary file."""
    from ggexp.datasets.sniff import sniff
    from ggexp.proposal.guess import guess_table

    if not is_stream(counts):
        return guess_table(sniff(counts), count_options)
    with TemporaryDirectory() as folder:
        file = Path(folder, "standard-input" if counts == STANDARD_INPUT else counts.name)
        return guess_table(sniff(copy_stream(counts, file)), count_options)
