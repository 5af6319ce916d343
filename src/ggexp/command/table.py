"""``ggexp sanitize``: one release of a table, and a statement of its guarantee."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from ggexp.command import options
from ggexp.command.declaration import DESIGN, declared_design, show_file
from ggexp.command.file import SEPARATORS, STANDARD_INPUT, copy_stream, is_stream
from ggexp.command.options import example, number, print_message, show


@example("ggexp sanitize counts.csv --factors eyes --count count --levels-from-file --epsilon 1")
@click.command(short_help="Release a table once, and state the guarantee.")
@click.argument("file", type=click.Path(path_type=Path))
@number("epsilon", "ε > 0 of each count; there is no default.")
@number("delta", "δ, between 0 and 1, for rules that use it.")
@options.add_options(*DESIGN, *SEPARATORS)
@options.calibration(
    "Calibration rule (default: pure-integer, or adp-optimal with --delta), one of"
)
@options.order
@click.option(
    "--rescale",
    is_flag=True,
    help="Clamp counts at the total and rescale them to sum to it, as in the paper. The total is "
    "then public, and the guarantee is for one record that is replaced.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.CSV",
    help="File of the release (default: FILE-release.csv beside the table).",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="Seed of the noise, for reproducible examples. Such a release is not private.",
)
@options.as_json
def sanitize(
    file: Path,
    epsilon: float | None,
    delta: float | None,
    calibration: str | None,
    order: float | str | None,
    rescale: bool,
    output: Path | None,
    seed: int | None,
    as_json: bool,
    **declaration: Any,
) -> None:
    """Write one noisy copy of a table, and state its guarantee in a JSON file and on a page.

    FILE contains counts or records, in any format that `ggexp describe` reads; - is standard input.
    The table's design must be declared: the factors, their levels, and where the counts are. Each
    combination of levels is a cell and has a row in the release; a cell without a row in FILE has
    the count 0. What is published follows from this design and from noisy counts. Without a design,
    the command publishes nothing, and prints what FILE seems to contain.

    Noise is added to each count, and negative results become 0. By default the noise consists of
    whole numbers, which are drawn exactly, from random bits of the operating system. The guarantee
    then holds for the released file, with the limits that the notes and warnings name.

    Existing files are not replaced, because a second release of the table spends ε again.
    """
    from ggexp.command import release
    from ggexp.mechanisms.calibration import smallest_integer_valued_rule
    from ggexp.releases.declared import read

    if not declaration["factors"] and declaration["config"] is None:
        show_file(file, epsilon)
    if epsilon is None:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param_hint="'--epsilon'", param_type="option")
    if calibration is None:
        if order is not None:
            raise click.UsageError(
                "--order needs --calibration, because the default rules have no order"
            )
        calibration = smallest_integer_valued_rule(delta)
    noisy = release.released_noise(order, calibration, epsilon=epsilon, delta=delta)
    sample = release.sampler(noisy.noise, seed)
    files = _output_files(file, output)
    try:
        with _readable(file) as path:
            design, has_public_total = declared_design(path, declaration)
            rescaled = rescale or has_public_total
            if rescaled and design.keeps_totals:
                raise click.UsageError("--rescale and --keep-totals exclude each other")
            declared = read(path, design)
        statement = release.describe(declared, noisy, seed=seed, rescaled=rescaled)
        released = release.release_counts(declared.table.counts, sample, rescaled=rescaled)
        release.write(declared, released, statement, files)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    paths = dict(zip(("release", "statement", "page"), map(str, files), strict=True))
    show(paths | (statement if as_json else release.in_short(statement)), as_json)
    for note in [] if as_json else statement["notes"]:
        click.echo(click.wrap_text(f"note: {note}", subsequent_indent="      "))
    for warning in statement["warnings"]:
        print_message(f"warning: {warning}")
    for note in declared.notes:
        print_message(f"for you only, not in the files: {note}")


def _output_files(file: Path, output: Path | None) -> tuple[Path, Path, Path]:
    """Return the paths of the release, the statement and the page, none of which exists yet."""
    from ggexp.datasets.text import stem

    if output is None:
        if is_stream(file):
            raise click.UsageError("--output is needed for a table from standard input or a pipe")
        output = file.with_name(f"{stem(file)}-release.csv")
    if output.suffix != ".csv":
        raise click.UsageError(f"--output must end in .csv, got {str(output)!r}")
    files = (output, output.with_suffix(".json"), output.with_suffix(".html"))
    for path in files:
        if path.exists():
            raise click.ClickException(
                f"{path} exists already, and a second release of the table spends ε again; to "
                "release it again, name another --output"
            )
    return files


@contextmanager
def _readable(file: Path) -> Iterator[Path]:
    """Yield a file that can be read again; a stream is first copied to a temporary file."""
    if not is_stream(file):
        yield file
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder, "standard-input" if file == STANDARD_INPUT else file.name)
        yield copy_stream(file, copy)
