"""``ggexp advantage``: the guessing advantage at an ε, and the reverse."""

from math import inf

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show


@example("ggexp advantage --epsilon 0.5 --prior 0.2")
@click.command(short_help="Compute an adversary's guessing advantage at ε, or the reverse.")
@number(
    "epsilon",
    "ε >= 0: prints the advantage. Repeat the option for releases of different parts of the data.",
    multiple=True,
)
@number("advantage", "Upper bound of the advantage, between 0 and 1: prints the largest ε.")
@number(
    "prior",
    "Probability of a correct guess before the release (default: the worst case). Repeat the "
    "option for independent attributes.",
    multiple=True,
)
@click.option(
    "--guess",
    type=click.Choice(["all", "any"]),
    default="all",
    show_default=True,
    help="Attributes that a correct guess has right.",
)
@number(
    "norm",
    "Order of the norm, 1 to inf, that combines the distances in several parts of the data: 1 if "
    "only one part may differ, inf if all may.",
    default=inf,
    show_default=True,
)
@number(
    "radius",
    "Distance between the tables that the adversary distinguishes: 1 for whether a person is in "
    "the table, 2 for the answer of a person in it.",
    default=1.0,
    show_default=True,
)
@number("delta", "δ of approximate DP: the advantage is a mean over releases.")
@number(
    "probability",
    "With --delta and --epsilon: prints the advantage that a release does not exceed with this "
    "probability.",
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
    """Print the largest guessing advantage under ε-DP, or the largest ε for an advantage.

    The advantage is the largest change of the probability of a correct guess, in either direction.
    With --delta, --epsilon and --advantage, the command prints the probability that a release does
    not exceed the advantage.
    """
    from ggexp.guarantees import compound_guesses
    from ggexp.guarantees.advantage import epsilon_for, of

    if delta is None and bool(epsilon) == (advantage is not None):
        raise click.UsageError("give either --epsilon or --advantage; both only with --delta")
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
            raise ValueError("probability needs a delta")
        elif together is not None:
            found["advantage"] = of(epsilon=together, prior=guessed, radius=radius)
        elif advantage is not None:
            found["epsilon"] = epsilon_for(advantage=advantage, prior=guessed, radius=radius)
    if found.get("epsilon") == inf:
        found["epsilon"] = None if as_json else "any: no ε gives an adversary this advantage"
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
            raise ValueError("probability needs an epsilon")
        found = approximate_advantage.epsilon_for_mean(
            advantage=advantage, delta=delta, prior=prior
        )
        return {"epsilon": found}
    if epsilon is None:
        raise ValueError("give --epsilon, --advantage or both")
    if advantage is not None and probability is not None:
        raise ValueError("give either --advantage or --probability")
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
