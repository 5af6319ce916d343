"""The entry point of the command: its subcommands, and errors in one line.

The exit code is 0 for success, 2 for an invalid command line or value, 1 for a file that is invalid
or cannot be read or written, and 130 for an interrupt.
"""

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import click

from ggexp.command.error import error, need
from ggexp.command.example import example
from ggexp.command.noise import compare, compose, noise
from ggexp.command.options import print_message
from ggexp.command.table import sanitize
from ggexp.command.workflow import describe, reproduce, run, snakemake
from ggexp.run.job import out_of_memory


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Options and an example of each command: ggexp COMMAND --help",
)
@click.version_option(package_name="ggexp", message="%(package)s %(version)s")
def ggexp() -> None:
    """Differential privacy: noise scales, guarantees, experiments, and releases of tables."""


for command in (
    *(reproduce, run, describe, need, error, compare, noise, compose, sanitize, example, snakemake),
):
    ggexp.add_command(command)

#: Former commands, and what replaces them.
FORMER = {
    **dict.fromkeys(("scale", "delta", "epsilon"), "ggexp noise"),
    "advantage": "the advantage that ggexp noise and error print, or ggexp.guarantees.advantage",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command with arguments, by default the process's, and end with its exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for terminals without Greek letters
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)  # the category of the library's own warnings
        warnings.showwarning = lambda message, *_, **__: print_message(f"warning: {message}")
        sys.exit(_run(words or ["--help"]))


def _run(arguments: list[str]) -> int:
    """Run the command, print its error if there is one, and return the exit code."""
    try:
        code = ggexp.main(arguments, prog_name="ggexp", standalone_mode=False) or 0
        sys.stdout.flush()  # here, because an error at the end of the process cannot be caught
        return code
    except click.ClickException as raised:
        print_message(f"error: {raised.format_message()}{_remedy(raised)}")
        return raised.exit_code
    except (ValueError, ArithmeticError) as raised:  # from the library, about an argument or a file
        print_message(f"error: {raised}")
        return getattr(raised, "exit_code", 2)
    except (MemoryError, RuntimeError, ImportError) as raised:
        if not (message := out_of_memory(raised)):
            raise
        print_message(f"error: {message}")
        return 1
    except OSError as raised:
        # a broken pipe means that the program that reads the output, such as head, has ended
        if not isinstance(raised, BrokenPipeError):
            print_message(f"error: {_named(raised)}")
        if raised.errno in (errno.EPIPE, errno.ENOSPC):  # the end of the process writes the rest
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _remedy(raised: click.ClickException) -> str:
    """Return what to do about an error in the command line, "" if the error says it itself."""
    if isinstance(raised, click.MissingParameter):
        need = "Try --epsilon 1, or let ggexp need compute ε from an error that you accept."
        epilog = (raised.ctx and raised.ctx.command.epilog) or ""
        texts = [need] * ("--epsilon" in raised.format_message())
        return " ".join(["", *texts, *epilog.strip("\b").split()])
    if not str(raised).startswith("No such command"):
        return ""
    for name, instead in FORMER.items():
        if f"'{name}'" in str(raised):
            return f" Use {instead}."
    return "" if "Did you mean" in raised.format_message() else " All commands: ggexp --help"


def _named(raised: OSError) -> str:
    """Return an error of the operating system as text, which begins with the file."""
    if not raised.filename or not raised.strerror:
        return str(raised)
    is_relative = raised.errno == errno.ENOENT and not Path(raised.filename).is_absolute()
    folder = f" in the current folder, {Path.cwd()}" if is_relative else ""
    return f"{raised.filename}: {raised.strerror}{folder}"
