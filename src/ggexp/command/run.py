"""``ggexp run``: the whole experiment with a user's file."""

import contextlib
import io
from pathlib import Path
from typing import Any

import click

from ggexp.command.file import describe
from ggexp.command.options import example, print_message
from ggexp.command.workflow import PASSED_ON, passed_on, run_snakemake

#: The name of the configuration that is saved with the results. Users may copy and edit it.
CONFIGURATION = "configuration.yaml"


@example("ggexp run counts.csv")
@click.command(
    short_help="Describe a file, run the experiment, and print the answer.",
    context_settings=PASSED_ON,
    params=[parameter for parameter in describe.params if parameter.name != "as_json"],
)
@passed_on
@click.pass_context
def run(context: click.Context, /, options: tuple[str, ...], **settings: Any) -> None:
    """Describe a file, run the experiment, and print the answer and the path of the results' page.

    The command does the work of `ggexp describe FILE > mine.yaml` and of `ggexp snakemake --cores
    all --configfile mine.yaml`. Options of snakemake must follow FILE. The configuration is saved
    beside the results. To change it, edit a copy and run the copy with `ggexp snakemake`.
    """
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        context.invoke(describe, as_json=False, **settings)
    path = _save_configuration(printed.getvalue(), may_overwrite="overwrite=true" in options)
    print_message(f"configuration: {path}")
    run_snakemake(["--cores", "all", *options, "--configfile", str(path)])


def _save_configuration(configuration: str, *, may_overwrite: bool) -> Path:
    """Save a configuration in its folder of results, and return the path.

    may_overwrite: whether the run may replace the results of another file.
    """
    import yaml

    from ggexp.run.storage import check_source

    settings = yaml.safe_load(configuration)
    ((name, histogram),) = settings["histograms"].items()
    path = Path(settings["results_dir"], CONFIGURATION)
    if not may_overwrite:
        try:
            check_source(
                path.parent / f"histograms/{name}.parquet",
                histogram.get("counts") or histogram["records"]["file"],
                f"Choose another name (--name {name}-2), or allow it (--config overwrite=true)",
            )
        except ValueError as error:
            raise click.ClickException(str(error)) from error
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(configuration, "utf-8")
    return path
