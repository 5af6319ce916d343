"""Options, output and error messages that the subcommands share."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import Any

import click

from ggexp.words import rounded

#: The file name that means standard input.
STANDARD_INPUT = Path("-")


def is_stream(file: Path) -> bool:
    """Return whether a file can be read only once, because it is standard input or a pipe."""
    return file == STANDARD_INPUT or file.is_fifo()


def to_order(value: str) -> float | str:
    """Return the order in an argument: a number, or a text such as "best"."""
    try:
        return float(value)
    except ValueError:
        return value  # the library checks the text


def names(text: str) -> list[str]:
    """Return names that are separated by commas, of which those with a comma are in quotes."""
    found = [name.strip() for name in next(csv.reader([text]), [])]
    if not all(found) or len({*found}) < len(found):
        raise click.BadParameter(f"{text!r} must be different names, separated by commas")
    return found


def whole_number(text: str) -> int:
    """Return a whole number >= 1; raise ValueError for another text."""
    if not (text.strip().isdecimal() and int(text)):
        raise ValueError(f"{text!r} must be a whole number >= 1")
    return int(text)


def whole_numbers(text: str) -> list[int]:
    """Return whole numbers >= 1 that are separated by commas."""
    try:
        return [*map(whole_number, text.split(","))]
    except ValueError:
        message = f"{text!r} must be whole numbers >= 1, separated by commas"
        raise click.BadParameter(message) from None


def example(text: str) -> Callable[[Any], Any]:
    """Return a decorator that adds an example to a command's help."""

    def add(command: click.Command) -> click.Command:
        command.epilog = f"\b\nExample:\n  {text}"
        return command

    return add


def add_options(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds options, which are shown in the given order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def number(name: str, text: str, **settings: Any) -> Callable[[Any], Any]:
    """Return a decorator that adds an option whose value is a number."""
    return click.option(f"--{name}", type=float, help=text, metavar="NUMBER", **settings)


def rule_and_order(name: str | None) -> tuple[str | None, float | str | None]:
    """Return the rule and the order of a mechanism that `ggexp run` names, otherwise the name."""
    from ggexp.experiment.design import PROPOSED_MECHANISMS

    mechanism = PROPOSED_MECHANISMS.get(name or "")
    return (mechanism.calibration, mechanism.order) if mechanism else (name, None)


def _to_rule(ctx: click.Context, _: click.Parameter, name: str | None) -> str | None:
    """Return the rule of an option's value, and keep the order of a mechanism for `order`."""
    rule, ctx.meta[__name__] = rule_and_order(name)
    return rule


order = click.option(
    "--order",
    type=to_order,
    # options that are given are processed before those that are not
    callback=lambda ctx, _, value: ctx.meta.get(__name__) if value is None else value,
    metavar="ORDER",
    help="Order p >= 1 of the noise: 1 is Laplace, 2 Gaussian; 'best', for adp-exact only, is the "
    "order with the smallest standard deviation. Rules such as pure-integer have no order.",
)


class RuleOption(click.Option):
    """An option whose value is a rule or a mechanism of `ggexp run`; its help lists both.

    for_tables: list only the rules with an exact distribution of a table's error.
    """

    def __init__(self, *declarations: Any, for_tables: bool = False, **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.for_tables = for_tables

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help, in click's format."""
        from ggexp.experiment.design import PROPOSED_MECHANISMS
        from ggexp.guarantees.table_error import integer_valued_rules
        from ggexp.mechanisms.calibration import RULES

        rules = [*(integer_valued_rules() if self.for_tables else RULES)]
        named = PROPOSED_MECHANISMS.items()
        names = [*rules, *(name for name, each in named if each.calibration in rules)]
        listed = fill(", ".join(names), 48, break_on_hyphens=False)
        shown = copy(self)
        shown.help = f"{self.help}:\n\n\b\n{listed}"
        return super(RuleOption, shown).get_help_record(ctx)


def calibration(text: str, **settings: Any) -> Callable[[Any], Any]:
    """Return a decorator that adds the option for the calibration rule."""
    shown = {"metavar": "RULE", "help": text, **settings}
    return click.option("--calibration", cls=RuleOption, callback=_to_rule, **shown)


sensitivity = number(
    "sensitivity",
    "Largest change of the statistic by one record; 1 for counts.",
    default=1.0,
    show_default=True,
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON with all digits.")


def show(
    values: Mapping[str, object] | Sequence[Mapping[str, object]],
    as_json: bool,
    lower: Sequence[str] = (),
) -> None:
    """Print named values, one per line, or rows with the same keys as a table; or all as JSON.

    lower: the names of numbers that are rounded down, not up. NaN and infinity are no JSON.
    """
    if as_json:
        return click.echo(json.dumps(values, indent=2, allow_nan=False))
    rows = [values] if isinstance(values, Mapping) else values
    lines = [[name.replace("_", " ") for name in rows[0]]]
    lines += [[_text(value, name in lower) for name, value in row.items()] for row in rows]
    if isinstance(values, Mapping):
        lines = [[*pair] for pair in zip(*lines, strict=True)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def print_message(message: str) -> None:
    """Print a message to standard error, in one line."""
    click.echo(f"ggexp: {' '.join(message.split())}", err=True)


def _text(value: object, is_lower: bool) -> str:
    """Return a value as text; a number that is not whole has six digits."""
    if value is None:
        return "none"
    if not (isinstance(value, float) and isfinite(value)):
        return str(value)
    exact = rounded(value, 12, ROUND_HALF_EVEN)  # without rounding errors
    return f"{rounded(exact, 6, ROUND_FLOOR if is_lower else ROUND_CEILING):.6g}"
