"""``ggexp advantage``: the guessing advantage for an ε, and the ε for an advantage."""

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
    help="Whether a correct guess must be right about all attributes, or about any one of them.",
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
    "Distance between the tables that the adversary tries to distinguish: 1 if they differ in "
    "whether a person is in the table, 2 if they differ in a person's answer.",
    default=1.0,
    show_default=True,
)
@number("delta", "δ of approximate DP: the advantage is a mean over releases.")
@number(
    "probability",
    "With --delta and --epsilon: prints a bound on the advantage from a single release that holds "
    "with this probability.",
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
    With --delta, --epsilon and --advantage, the command prints the probability that the advantage
    from a single release does not exceed the given one.
    """
    from ggexp.companions import compound_guesses
    from ggexp.guarantees.advantage import epsilon_for, of

    if delta is None and bool(epsilon) == (advantage is not None):
        raise click.UsageError("give either --epsilon or --advantage; both only with --delta")
    values: dict[str, float | str | None] = {}
    with arguments_checked():
        joint_epsilon = compound_guesses.together(epsilon, norm=norm) if epsilon else None
        if len(epsilon) > 1:
            values["epsilon"] = joint_epsilon
        joint_prior = compound_guesses.prior(prior, either=guess == "any") if prior else None
        if delta is not None:
            if radius != 1:
                raise ValueError(f"radius must be 1 with a delta, got {radius!r}")
            values |= _with_delta(joint_epsilon, delta, joint_prior, advantage, probability)
        elif probability is not None:
            raise ValueError("probability needs a delta")
        elif joint_epsilon is not None:
            values["advantage"] = of(epsilon=joint_epsilon, prior=joint_prior, radius=radius)
        elif advantage is not None:
            values["epsilon"] = epsilon_for(advantage=advantage, prior=joint_prior, radius=radius)
    if values.get("epsilon") == inf:
        values["epsilon"] = None if as_json else "any: no ε gives an adversary this advantage"
    show(values, as_json)


def _with_delta(
    epsilon: float | None,
    delta: float,
    prior: float | None,
    advantage: float | None,
    probability: float | None,
) -> dict[str, float]:
    """Return the name and value of the number that the arguments determine under (ε, δ)-aDP."""
    from ggexp.guarantees import approximate_advantage

    if epsilon is None and advantage is not None:
        if probability is not None:
            raise ValueError("probability needs an epsilon")
        largest = approximate_advantage.epsilon_for_mean(
            advantage=advantage, delta=delta, prior=prior
        )
        return {"epsilon": largest}
    if epsilon is None:
        raise ValueError("give --epsilon, --advantage or both")
    if advantage is not None and probability is not None:
        raise ValueError("give either --advantage or --probability")
    if advantage is not None:
        bound_probability = approximate_advantage.probability_of_adp(
            epsilon=epsilon, delta=delta, prior=prior, advantage=advantage
        )
        return {"probability": bound_probability}
    if probability is not None:
        bound = approximate_advantage.of_adp(
            epsilon=epsilon, delta=delta, prior=prior, probability=probability
        )
        return {"advantage": bound.advantage}
    return {"mean_advantage": approximate_advantage.mean(epsilon=epsilon, delta=delta, prior=prior)}
