"""``ggexp sanitize``: one release of a table, and a statement of its guarantee."""

import json
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.declaration import DESIGN, arguments_of, show_file
from ggexp.command.workflow import SEPARATORS

if TYPE_CHECKING:
    from ggexp.releases.statement import Statement

#: The largest number of released files that are all named on the screen.
SHOWN_FILES = 4


@options.example(
    "ggexp sanitize counts.csv --factors eyes --count count --levels-from-file --epsilon 1"
)
@click.command(short_help="Release a table once, and state the guarantee.")
@click.argument("file", type=click.Path(path_type=Path))
@options.number("epsilon", "ε > 0 of each count; there is no default.")
@options.number("delta", "δ, between 0 and 1, for rules that use it.")
@options.add_options(*DESIGN, *SEPARATORS)
@click.option(
    "--tables",
    type=options.names,
    multiple=True,
    metavar="A,B",
    help="FILE has one record per line: the columns of a table of them; once for each table, or "
    "one-way or two-way for all tables of one or two columns. ε and δ are those of all tables "
    "together.",
)
@click.option(
    "--weights",
    type=options.whole_numbers,
    metavar="A,B,C",
    help="A weight for each table: a table of twice the weight of another one has about half its "
    "noise (default: equal weights).",
)
@click.option(
    "--consistent",
    is_flag=True,
    help="Make common margins of the tables agree, by least squares. Counts may then be negative "
    "and are not whole numbers.",
)
@options.calibration(
    "Calibration rule (default: pure-integer, or adp-optimal with --delta; for several tables "
    "whichever integer-valued noise is smallest), one of"
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
def sanitize(file: Path, output: Path | None, as_json: bool, **given: Any) -> None:
    """Write one noisy copy of a table, and state its guarantee in a JSON file and on a page.

    FILE contains counts or records, in any format that `ggexp describe` reads; - is standard input.
    The table's design must be declared: the factors, their levels, and where the counts are. Each
    combination of levels is a cell and has a row in the release; a cell without a row in FILE has
    the count 0. What is published follows from this design and from noisy counts. Without a design,
    the command publishes nothing, and prints what FILE seems to contain. Each record counts once,
    because survey weights are not supported.

    Noise is added to each count, and negative results become 0. By default the noise consists of
    whole numbers, which are drawn exactly, from random bits of the operating system. The guarantee
    then holds for the released file, with the limits that the notes and warnings name.

    Existing files are not replaced, because a second release of the table spends ε again.
    """
    from ggexp.checks import table_errors
    from ggexp.command import release_files
    from ggexp.releases import sanitize as library

    if not (given["factors"] or given["tables"] or given["config"]):
        show_file(file, given["epsilon"])
    if given["epsilon"] is None:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param_hint="'--epsilon'", param_type="option")
    output = _checked_output(file, output)
    _output_files(output, 0 if given["tables"] else 1)
    with _readable(file) as path:
        with table_errors():
            arguments = arguments_of(path, given)
        released = library.sanitize(path, **arguments)
    files = _output_files(output, len(released.tables))
    statement = released.statement.in_files([path.name for path in files[2:]])
    in_short = statement.in_short()
    release_files.write(released.tables, statement, files)
    _show_release(files, statement, in_short, as_json=as_json)
    for note in released.private_notes:
        options.print_message(f"for you only, not in the files: {note}")


@contextmanager
def _readable(file: Path) -> Iterator[Path]:
    """Provide the path of a file, of standard input and pipes that of a copy, which is deleted."""
    if not options.is_stream(file):
        yield file
        return
    is_input = file == options.STANDARD_INPUT
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the copy is deleted
    given = nullcontext(sys.stdin.buffer) if is_input else file.open("rb")
    with TemporaryDirectory() as folder, given as stream:
        copy = Path(folder, "standard input" if is_input else file.name)
        with copy.open("wb") as target:
            shutil.copyfileobj(stream, target)
        try:
            yield copy
        except ValueError as error:
            error.args = (str(error).replace(str(copy), copy.name),)
            raise


def _show_release(
    files: Sequence[Path], statement: "Statement", in_short: dict[str, str], *, as_json: bool
) -> None:
    from ggexp.releases.statement import ERRORS

    sidecar, page, *outputs = map(str, files)
    tables = statement.tables
    paths: dict[str, object] = {
        "release": outputs if tables else outputs[0],
        "statement": sidecar,
        "page": page,
    }
    if as_json:
        options.show(paths | json.loads(Path(sidecar).read_text("utf-8")), as_json)
    else:
        names = ", ".join(outputs)
        if len(outputs) > SHOWN_FILES:
            names = f"{outputs[0]} to {outputs[-1]}, {len(outputs)} files"
        options.show(paths | {"release": names} | in_short, as_json)
        if tables:
            # the table fits 80 characters; the line on the noise has the sd of all tables
            shown = ("cells", *ERRORS[statement.sd is not None :])
            rows = [
                {"columns": ", ".join(each.columns)} | {name: getattr(each, name) for name in shown}
                for each in tables
            ]
            options.show(rows, as_json)
        for note in statement.notes:
            click.echo(click.wrap_text(f"note: {note}", subsequent_indent="      "))
    for warning in statement.warnings:
        options.print_message(f"warning: {warning}")


def _checked_output(file: Path, output: Path | None) -> Path:
    """Return the path of the release, by default beside the file."""
    from ggexp.datasets.form import stem

    if output is None:
        if options.is_stream(file):
            raise click.UsageError("--output is needed for a table from standard input or a pipe")
        return file.with_name(f"{stem(file)}-release.csv")
    if output.suffix != ".csv":
        raise click.UsageError(f"--output must end in .csv, got {str(output)!r}")
    return output


def _output_files(output: Path, tables: int) -> list[Path]:
    """Return the paths of the statement, the page and the tables, none of which exists yet."""
    numbered = [output.with_stem(f"{output.stem}-{i}") for i in range(1, tables + 1)]
    outputs = [output] if tables == 1 else numbered
    others = [output.with_suffix(".json"), output.with_suffix(".html")]
    for path in (*outputs, *others):
        if path.exists():
            raise click.ClickException(
                f"{path} exists already, and a second release of the table spends ε again; to "
                "release it again, name another --output"
            )
    return [*others, *outputs]
