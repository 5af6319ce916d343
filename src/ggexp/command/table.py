"""``ggexp sanitize``: one release of a table of counts, with what it guarantees beside it."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.file import INPUT, asked, copy_stream, counted, is_stream
from ggexp.command.options import arguments_checked, example, number, show, tell

if TYPE_CHECKING:
    from ggexp.datasets.counted import Asked
    from ggexp.datasets.labelled import LabelledTable


@example("ggexp sanitize counts.csv --epsilon 0.5")
@click.command(short_help="One release of a table of counts, and what it guarantees.")
@click.argument("counts", type=click.Path(path_type=Path), metavar="COUNTS.CSV")
@number("epsilon", "ε > 0: there is no default.", required=True)
@number("delta", "δ, between 0 and 1, of rules that have one.")
@options.calibration("Rule that sets the noise, by default pure-integer, with --delta adp-optimal")
@options.order
@click.option(
    "--rescale",
    is_flag=True,
    help="The paper's post-processing: counts above the total become the total, and all are "
    "rescaled to sum to it. It assumes that the total is public.",
)
@click.option(
    "--complete",
    is_flag=True,
    help="Add the combinations of the listed levels that have no row, as cells with count 0.",
)
@counted
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.CSV",
    help="Where the release goes, by default COUNTS-release.csv beside the table.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="Draw the noise from this seed, to repeat an example: such a release is not private.",
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
    """Write one release of a table of counts, and a JSON file that says what it guarantees.

    COUNTS.CSV is a table that describe takes for counts: with a header, a column for each factor, a
    column of counts named count, Freq or the like (--count, --wide), and a row for each cell, the
    empty ones too; - is standard input. In the release noise is added to each count, and results
    below 0 become 0.

    By default the noise takes whole numbers and is drawn exactly, from the operating system's
    random bits. Then the guarantee is one of the released file, as far as its notes and warnings
    go. Rows are ordered by their levels.

    A release exists once: files that are there are not replaced, since two releases of a table
    spend ε twice.
    """
    from ggexp.command.mechanism import released_noise
    from ggexp.command.release import describe, in_short, release_counts, sampler, write
    from ggexp.datasets.text import stem
    from ggexp.mechanisms.calibration import least_whole

    if calibration is None:
        if order is not None:
            raise click.UsageError("--order needs a --calibration: the default has no order")
        calibration = least_whole(delta)
    known = asked(**counting)
    if output is None and is_stream(counts):
        raise click.UsageError("--output must name the release of a table from a pipe")
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
                    f"{file} is there already; another release of the same table spends ε again: "
                    "name another --output if that is what you want"
                )
        table = _read(counts, known, complete=complete)
        statement = describe(
            table, noise, guarantee, calibration, epsilon, delta, seed=seed, rescaled=rescale
        )
        released = release_counts(table.counts, sample, rescaled=rescale)
        write(table, released, statement, output, sidecar)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    files = {"release": str(output), "statement": str(sidecar)}
    show(files | (statement if as_json else in_short(statement)), as_json)
    if not as_json:
        for note in statement["notes"]:
            click.echo(click.wrap_text(f"note: {note}", subsequent_indent="      "))
    for warning in statement["warnings"]:
        tell(f"warning: {warning}")


def _read(counts: Path, known: "Asked", *, complete: bool) -> "LabelledTable":
    """Return a table; that of a pipe by way of a file, which is deleted."""
    from ggexp.datasets.labelled import read_labelled

    if not is_stream(counts):
        return read_labelled(counts, complete=complete, asked=known)
    with TemporaryDirectory() as folder:
        file = Path(folder, "standard-input" if counts == INPUT else counts.name)
        return read_labelled(copy_stream(counts, file), complete=complete, asked=known)
