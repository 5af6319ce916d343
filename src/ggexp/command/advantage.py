"""``ggexp advantage``: what an ε means to somebody who guesses, and the reverse."""

from math import inf

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show


@example("ggexp advantage --epsilon 0.5 --prior 0.2")
@click.command(short_help="From ε to the advantage of an adversary who guesses, and back.")
@number(
    "epsilon",
    "ε >= 0: prints the advantage. Once for each of several releases of different parts of the "
    "data.",
    multiple=True,
)
@number("advantage", "Advantage, between 0 and 1: prints the largest ε that keeps it.")
@number(
    "prior",
    "Probability of a right guess before; without it the worst there is. Once for each of several "
    "independent attributes.",
    multiple=True,
)
@click.option(
    "--guess",
    type=click.Choice(["all", "any"]),
    default="all",
    show_default=True,
    help="Which of several attributes a right guess has right.",
)
@number(
    "norm",
    "Order of the norm, 1 to inf, by which the distances in several parts of the data add up: 1 if "
    "one part may differ, inf if all may.",
    default=inf,
    show_default=True,
)
@number(
    "radius",
    "Distance of the data that are told apart: 1 for whether somebody is in a table, 2 for what "
    "somebody in it answered.",
    default=1.0,
    show_default=True,
)
@number("delta", "δ of approximate DP: the advantage is a mean over releases.")
@number(
    "probability",
    "With --delta, no mean: the advantage is kept with this probability. Not with --advantage, "
    "which prints it.",
)
@options.as_json
def advantage(
    epsilon: tuple[float, ...],
    advantage: float | None,
    prior: tuple[float, ...],
    guess: str,
    norm: float,
    radius: float,
    delta: float | None,
    probability: float | None,
    as_json: bool,
) -> None:
    """Print the largest advantage in guessing that ε-DP allows, or the ε of an advantage.

    It is the most by which the probability of a right guess may change, either way. With --delta
    both may be given: printed is the probability with which the advantage is kept.
    """
    from ggexp.guarantees import compound_guesses
    from ggexp.guarantees.advantage import epsilon_for, of

    if delta is None and bool(epsilon) == (advantage is not None):
        raise click.UsageError("one of --epsilon and --advantage is needed, and not both")
    found: dict[str, float | str | None] = {}
    with arguments_checked():
        together = compound_guesses.together(epsilon, norm=norm) if epsilon else None
        if len(epsilon) > 1:
            found["epsilon"] = together
        guessed = compound_guesses.prior(prior, either=guess == "any") if prior else None
        if delta is not None:
            if radius != 1:
                raise ValueError(f"radius must be 1 with a delta, got {radius!r}")
            found |= _with_delta(together, delta, guessed, advantage, probability)
        elif probability is not None:
            raise ValueError("probability needs approximate DP: --delta is missing")
        elif together is not None:
            found["advantage"] = of(epsilon=together, prior=guessed, radius=radius)
        elif advantage is not None:
            found["epsilon"] = epsilon_for(advantage=advantage, prior=guessed, radius=radius)
    if found.get("epsilon") == inf:
        found["epsilon"] = None if as_json else "any: no ε gives an adversary that much"
    show(found, as_json)


def _with_delta(
    epsilon: float | None,
    delta: float,
    prior: float | None,
    advantage: float | None,
    probability: float | None,
) -> dict[str, float]:
    """Return, by its name, which of these numbers of approximate DP is missing."""
    from ggexp.guarantees import approximate_advantage

    if epsilon is None and advantage is not None:
        if probability is not None:
            raise ValueError("probability takes an epsilon: without one the advantage is a mean")
        found = approximate_advantage.epsilon_for_mean(
            advantage=advantage, delta=delta, prior=prior
        )
        return {"epsilon": found}
    if epsilon is None:
        raise ValueError("one of --epsilon and --advantage is needed")
    if advantage is not None and probability is not None:
        raise ValueError("one of --advantage and --probability is taken, not both")
    if advantage is not None:
        found = approximate_advantage.probability_of_adp(
            epsilon=epsilon, delta=delta, prior=prior, advantage=advantage
        )
        return {"probability": found}
    if probability is not None:
        kept = approximate_advantage.of_adp(
            epsilon=epsilon, delta=delta, prior=prior, probability=probability
        )
        return {"advantage": kept.advantage}
    return {"mean_advantage": approximate_advantage.mean(epsilon=epsilon, delta=delta, prior=prior)}
