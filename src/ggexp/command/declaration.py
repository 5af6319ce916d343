"""The options that declare the design of a table, and a proposal for a file without a design."""

import csv
import io
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ggexp.command.options import is_stream, names
from ggexp.words import exactly, shortened

if TYPE_CHECKING:
    from ggexp.experiment.keys import RecordsData, TableData
    from ggexp.proposal.configuration import Description


#: The options whose values a configuration has too.
IN_CONFIG = ("factors", "count", "wide", "levels", "sheet", "decimal", "thousands")
#: The options that declare the design of a table.
DESIGN = (
    click.option("--factors", type=names, metavar="A,B", help="Columns of the factors."),
    click.option("--count", metavar="COLUMN", help="Column of counts."),
    click.option(
        "--wide",
        metavar="NAME",
        help="All other columns hold counts; they are the levels of a factor with this name.",
    ),
    click.option(
        "--levels",
        multiple=True,
        metavar="FACTOR=A,B",
        help="All possible levels of a factor, in their order; once for each factor. 0..90 stands "
        "for all whole numbers from 0 to 90.",
    ),
    click.option(
        "--levels-from-file",
        is_flag=True,
        help="Take the levels of the other factors from the file: those of its codebook, or else "
        "those that occur. The statement then says so.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["omit", "level"]),
        help="Records whose answer is missing (an empty field, NA, ? or similar, or what the "
        "configuration names): leave them out of the tables of this column, or count them in a "
        "level 'missing' of each factor.",
    ),
    click.option(
        "--config",
        type=click.Path(path_type=Path),
        metavar="FILE.YAML",
        help="Take the design from a configuration that ggexp describe proposed and you checked.",
    ),
    click.option(
        "--ignore",
        type=names,
        metavar="A,B",
        help="Columns that are not used. A file of counts must have no other unused column.",
    ),
    click.option(
        "--totals",
        type=names,
        metavar="A,B",
        help="Levels that are totals of other levels. They are left out.",
    ),
    click.option(
        "--keep-totals",
        is_flag=True,
        help="Release totals too. The stated ε then covers all cells that a record counts in.",
    ),
    click.option(
        "--no-totals", is_flag=True, help="Your word that no other level contains another level."
    ),
)


def arguments_of(file: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for a file as arguments of `ggexp.sanitize`, with the declared design."""
    arguments = {name: value for name, value in options.items() if name != "config"}
    if options["config"] is None:
        named = options["factors"] or [name for each in options["tables"] for name in each]
        names = [*named, *([options["wide"]] if options["wide"] else [])]
        return arguments | {"levels": _levels(options["levels"], names)}
    if any(options[name] for name in IN_CONFIG):
        *others, last = (f"--{name}" for name in IN_CONFIG)
        raise click.UsageError(
            f"--config replaces {', '.join(others)} and {last}: edit the configuration instead"
        )
    from ggexp.releases.release import PRIVATE

    data = _from_config(file, options["config"])
    is_rescaled = options["rescale"] or data.release.total != PRIVATE
    return arguments | {"levels": {}, "design": data.records or data, "rescale": is_rescaled}


def _levels(levels: Sequence[str], factors: Sequence[str]) -> dict[str, list[str] | None]:
    """Return factor -> its levels, from the values of the option --levels."""
    declared: dict[str, list[str] | None] = {}
    for text in levels:
        named = [factor for factor in factors if text.startswith(f"{factor}=")]
        if not named:
            raise click.UsageError(
                f"--levels must be FACTOR=A,B with one of {', '.join(factors)}, got {text!r}"
            )
        factor = max(named, key=len)  # a name may contain =
        levels_of_factor = declared[factor] = []
        for level in names(text[len(factor) + 1 :]):
            ends = re.fullmatch(r"(\d{1,6})\.\.(\d{1,6})", level, re.ASCII)
            numbers = range(int(ends[1]), int(ends[2]) + 1) if ends else ()
            levels_of_factor += map(str, numbers) if numbers else [level]
    return declared


def _from_config(file: Path, config: Path) -> "TableData | RecordsData":
    """Return the settings of the data sets in a configuration that describe a file, all alike.

    The configuration is checked as that of a run is, with the paper's design for missing keys.
    """
    from ggexp.datasets.layout import TableSettings
    from ggexp.experiment import configuration
    from ggexp.run.project import paper_design, read_settings

    own = read_settings(config)
    if not isinstance(own, Mapping) or "histograms" not in own:
        raise ValueError(
            f"{config}: not a configuration as `ggexp describe` writes it; it needs histograms"
        )
    try:
        histograms = configuration.check(configuration.merged(paper_design(), own)).histograms
    except ValueError as error:
        raise ValueError(f"{config}: {error}") from error
    known = [histograms[name] for name in own["histograms"]]
    named = [data for data in known if Path(data.source).resolve() == file.resolve()] or known
    designs = [
        (data.records or data.model_dump(include={*TableSettings.names()}), data.release.total)
        for data in named
    ]
    if not named or any(design != designs[0] for design in designs):
        found = ", ".join(data.source for data in known)
        raise ValueError(f"{config}: one design must be for the file {file}, got {found}")
    return named[0]


def show_file(file: Path, epsilon: float | None) -> NoReturn:
    """Print what a file seems to contain, and a command that publishes it; then exit with 2."""
    from ggexp.checks import table_errors
    from ggexp.proposal.describe import examine

    if is_stream(file):
        raise click.UsageError("a design is needed: --factors or --config")
    with table_errors():
        description = examine(file)
    unit = "counts" if description.is_counts else "records"
    click.echo(f"{file} seems to contain {unit}, with these factors and levels:")
    needs_file = False  # options declare neither bins nor codes of missing values
    for name, role in description.roles.items():
        if role.is_used and name not in description.offered:
            needs_file |= not role.levels or bool(role.missing)
            levels = ", ".join(role.levels) or f"{role.values} bins of numbers"
            click.echo(click.wrap_text(f"  {name}: {shortened(levels)}", subsequent_indent="    "))
    remarks = [f"left out: {message}" for message in description.left_out]
    for remark in [*remarks, *description.warnings]:
        click.echo(click.wrap_text(f"  {remark}", subsequent_indent="    "))
    words = ["ggexp", "sanitize", str(file)]
    if needs_file:
        click.echo("Save the proposed design, check its levels and bins, and use it:")
        click.echo(f"  ggexp describe {shlex.quote(str(file))} > mine.yaml")
        words += ["--config", "mine.yaml"]
    else:
        click.echo("Check this command, and copy it:")
        words += _design_words(description)
    click.echo(f"  {shlex.join([*words, '--epsilon', exactly(epsilon or 1)])}")
    raise click.UsageError(
        "nothing was published, because the design of the table was not declared"
    )


def _design_words(description: "Description") -> list[str]:
    """Return the options that declare the design in the description of a file."""
    from ggexp.datasets.layout import RecordsSettings

    design = description.settings
    if isinstance(design, RecordsSettings):
        missing = ["--missing", "omit"] if design.missing else []
        return ["--tables", _joined([*design.attributes]), "--levels-from-file", *missing]
    words = ["--factors", _joined(design.row_factors)]
    words += ["--wide", design.wide] if design.wide else ["--count", design.count]
    used = {*design.factors, *design.counted, ""}
    if ignored := [name for name in description.fields.names if name not in used]:
        words += ["--ignore", _joined(ignored)]
    if totals := [level for levels in design.drop.values() for level in levels]:
        words += ["--totals", _joined([*dict.fromkeys(totals)])]
    for name in ("sheet", "decimal", "thousands"):
        if name in design.model_fields_set:
            words += [f"--{name}", getattr(design, name)]
    return [*words, "--levels-from-file"]


def _joined(names: Sequence[str]) -> str:
    """Return names as `Names` reads them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()
