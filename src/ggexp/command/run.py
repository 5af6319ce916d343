"""``ggexp run``: the whole experiment on a user's file, in a checkout of the project."""

import contextlib
import io
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ggexp.command.file import describe
from ggexp.command.options import example, tell

#: What is written beside the results, to be edited.
CONFIGURATION = "configuration.yaml"
#: What the folder has in which the workflow can be started.
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
def run(context: click.Context, /, options: tuple[str, ...], **described: Any) -> None:
    """Describe a file, run the experiment on it, and print the answer and the path of its page.

    The command does the work of `ggexp describe FILE > mine.yaml` and of `snakemake --cores all
    --configfile mine.yaml`. Options of snakemake must follow FILE. The configuration is saved
    beside the results. To change it, edit a copy and run the copy with snakemake.

    Start the command in a checkout of the project, because it runs the workflow of the current
    folder.
    """
    _check_workflow()
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        context.invoke(describe, as_json=False, **described)
    path = _written(printed.getvalue())
    tell(f"configuration: {path}")
    sys.stdout.flush()
    # a lock that outlives a kill, as make has it
    snakemake = [sys.executable, "-m", "ggexp.run.lock", "--cores", "all"]
    os.execv(sys.executable, [*snakemake, *options, "--configfile", str(path)])


def _check_workflow() -> None:
    """Raise an error that names the way if there is no workflow here, or nothing to start it."""
    lacking = [part for part in WORKFLOW if not Path(part).exists()]
    if not lacking and find_spec("snakemake"):
        return
    checkout = Path(__file__).parents[3]
    home = str(checkout) if (checkout / "Snakefile").exists() else "a checkout of the project"
    if not lacking:
        raise click.ClickException(
            "snakemake is not installed here: run `make smoke` once, which installs it into "
            ".venv/, and use .venv/bin/ggexp; or pip install '.[workflow]'"
        )
    raise click.ClickException(
        f"no workflow in {Path.cwd()}, which has no {lacking[0]}: start `ggexp run` in {home}. "
        "`ggexp need`, `ggexp sanitize` and, in Python, ggexp.run_grid work without it"
    )


def _written(configuration: str) -> Path:
    """Return the file that a configuration is written to, in its folder of results."""
    import yaml

    path = Path(yaml.safe_load(configuration)["results_dir"], CONFIGURATION)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(configuration, "utf-8")
    return path
