"""The command's entry: its subcommands, and errors in one line.

Ends with 0; with 2 where the command line is wrong, a value out of its range included; with 1 where
a file is, or cannot be read or written.
"""

import sys
import warnings
from collections.abc import Sequence

import click

from ggexp.command.file import describe
from ggexp.command.guesser import advantage
from ggexp.command.noise import compare, delta, epsilon, scale
from ggexp.command.table import sanitize


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has an example: ggexp COMMAND --help",
)
@click.version_option(package_name="ggexp", message="%(package)s %(version)s")
def ggexp() -> None:
    """Noise of differential privacy: scales, guarantees, and what they mean."""


for command in (describe, compare, scale, delta, epsilon, advantage, sanitize):
    ggexp.add_command(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and end the process with its code.

    arguments: those after the command's name, by default the process's own.
    """
    if arguments is None:
        arguments = sys.argv[1:]
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_: _tell(f"warning: {message}")
        try:
            code = ggexp.main(arguments or ["--help"], prog_name="ggexp", standalone_mode=False)
        except click.ClickException as error:
            _tell(f"error: {error.format_message()}")
            code = error.exit_code
        except click.Abort:
            code = 130  # as of a process that was interrupted
    sys.exit(code or 0)


def _tell(message: str) -> None:
    """Print a message on one line of the standard error."""
    click.echo(f"ggexp: {' '.join(message.split())}", err=True)
