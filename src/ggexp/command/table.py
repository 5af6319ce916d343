"""``ggexp sanitize``: one release of a table of counts, with what it guarantees beside it."""

from pathlib import Path

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show, tell


@example("ggexp sanitize counts.csv --order 1 --calibration pure --epsilon 0.5")
@click.command(short_help="One release of a table of counts, and what it guarantees.")
@click.argument("counts", type=click.Path(path_type=Path), metavar="COUNTS.CSV")
@options.order
@options.calibration
@number("epsilon", "ε > 0: there is no default.", required=True)
@number("delta", "δ, between 0 and 1, of rules that have one.")
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
    order: float | str | None,
    calibration: str,
    epsilon: float,
    delta: float | None,
    output: Path | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Write one release of a table of counts, and a JSON file that says what it guarantees.

    COUNTS.CSV, perhaps compressed or Parquet, has a header, a column for each factor, a column
    named count, and a row for each cell, the empty ones too. In the release noise is added to each
    count, results below 0 become 0, those above the total the total, and all are rescaled to the
    total.

    A release exists once: files that are there are not replaced, since two releases of a table
    spend ε twice.
    """
    from ggexp.command.mechanism import released_noise
    from ggexp.command.release import describe, write
    from ggexp.datasets.labelled import read_labelled
    from ggexp.datasets.text import stem

    with arguments_checked():
        noise, guarantee = released_noise(order, calibration, epsilon=epsilon, delta=delta)
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
        table = read_labelled(counts)
        statement = describe(table, noise, guarantee, calibration, epsilon, delta, seed)
        write(table, noise, seed, statement, output, sidecar)
    except (ValueError, OSError) as error:
        raise click.ClickException(str(error)) from error
    files = {"release": str(output), "statement": str(sidecar)}
    show(files | statement if as_json else files, as_json)
    for warning in statement["warnings"]:
        tell(f"warning: {warning}")
