"""``ggexp run``: the whole experiment with a user's file, in a checkout of the project."""

import contextlib
import io
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ggexp.command.file import describe
from ggexp.command.options import example, print_message

#: The name of the configuration that is saved with the results. Users may copy and edit it.
CONFIGURATION = "configuration.yaml"
#: Files and folders that must exist in the folder in which the workflow is started.
WORKFLOW = ("Snakefile", "workflow/rules", "config/schema.yaml")


@example("ggexp run counts.csv")
@click.command(
    short_help="Describe a file, run the experiment, and print the answer.",
    context_settings={"ignore_unknown_options": True},
    params=[
        *(parameter for parameter in describe.params if parameter.name != "as_json"),
        click.Argument(["options"], nargs=-1, type=click.UNPROCESSED, metavar="[SNAKEMAKE]..."),
    ],
)
@click.pass_context
def run(context: click.Context, /, options: tuple[str, ...], **settings: Any) -> None:
    """Describe a file, run the experiment, and print the answer and the path of the results' page.

    The command does the work of `ggexp describe FILE > mine.yaml` and of `snakemake --cores all
    --configfile mine.yaml`. Options of snakemake must follow FILE. The configuration is saved
    beside the results. To change it, edit a copy and run the copy with snakemake.

    Start the command in a checkout of the project, because it runs the workflow of the current
    folder.
    """
    _check_workflow()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        context.invoke(describe, as_json=False, **settings)
    path = _save_configuration(printed.getvalue())
    print_message(f"configuration: {path}")
    sys.stdout.flush()
    # start Snakemake with the lock that `make` uses too, which is released if the run is killed
    snakemake = [sys.executable, "-m", "ggexp.run.lock", "--cores", "all"]
    os.execv(sys.executable, [*snakemake, *options, "--configfile", str(path)])


def _check_workflow() -> None:
    """Raise an error with advice if this folder has no workflow, or snakemake is not installed."""
    missing = [part for part in WORKFLOW if not Path(part).exists()]
    if not missing and find_spec("snakemake"):
        return
    project = Path(__file__).parents[3]
    checkout = str(project) if (project / "Snakefile").exists() else "a checkout of the project"
    if not missing:
        raise click.ClickException(
            "snakemake is not installed here: run `make smoke` once, which installs it into "
            ".venv/, and use .venv/bin/ggexp; or pip install '.[workflow]'"
        )
    raise click.ClickException(
        f"no workflow in {Path.cwd()}, which has no {missing[0]}: start `ggexp run` in {checkout}. "
        "`ggexp need`, `ggexp sanitize` and, in Python, ggexp.run_grid work without a workflow"
    )


def _save_configuration(configuration: str) -> Path:
    """Save a configuration in its folder of results, and return the path."""
    import yaml

    path = Path(yaml.safe_load(configuration)["results_dir"], CONFIGURATION)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(configuration, "utf-8")
    return path
