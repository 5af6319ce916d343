"""``ggexp advantage``: what an ε means to somebody who guesses, and the reverse."""

from math import isfinite

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show


@example("ggexp advantage --epsilon 0.5 --prior 0.2")
@click.command(short_help="From ε to what a guesser gains, and back.")
@number("epsilon", "ε >= 0: prints the advantage.")
@number("advantage", "Advantage, between 0 and 1: prints the largest ε that keeps it.")
@number("prior", "Probability of a right guess before; without it the worst there is.")
@number(
    "radius",
    "Distance of the data that are told apart: 1 for whether somebody is in a table, 2 for what "
    "somebody in it answered.",
    default=1.0,
    show_default=True,
)
@options.as_json
def advantage(
    epsilon: float | None,
    advantage: float | None,
    prior: float | None,
    radius: float,
    as_json: bool,
) -> None:
    """Print the largest advantage in guessing that ε-DP allows, or the ε of an advantage.

    It is the most by which the probability of a right guess may change, either way.
    """
    from ggexp.guarantees.advantage import epsilon_for, of

    if (epsilon is None) == (advantage is None):
        raise click.UsageError("one of --epsilon and --advantage is needed, and not both")
    with arguments_checked():
        if epsilon is not None:
            return show({"advantage": of(epsilon=epsilon, prior=prior, radius=radius)}, as_json)
        assert advantage is not None
        found = epsilon_for(advantage=advantage, prior=prior, radius=radius)
    if isfinite(found):
        return show({"epsilon": found}, as_json)
    show({"epsilon": None if as_json else "any: no ε gives a guesser that much"}, as_json)
