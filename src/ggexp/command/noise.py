"""``ggexp compare``, ``noise`` and ``compose``: noise and its guarantees.

The library is imported only when a subcommand runs, so that --help responds at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.options import example, number, show

if TYPE_CHECKING:
    from ggexp.guarantees.composition import Account
    from ggexp.mechanisms.noise import Noise

#: The keys of a value of --release, and functions that read them.
KEYS: dict[str, Callable[[str], Any]] = {
    **{"calibration": str, "order": options.to_order, "epsilon": float, "delta": float},
    **{"scale": float, "integer": bool, "sensitivity": float, "count": options.whole_number},
}

#: The columns of a comparison that fit a narrow screen; with --json there are all.
SHOWN = ("order", "calibration", "guarantee", "sd", "mean_absolute", "above_best")


@example("ggexp compare --epsilon 0.5 --delta 0.01")
@click.command(short_help="List all rules and orders, the smallest noise first.")
@number("epsilon", "ε > 0.", required=True)
@number("delta", "δ, between 0 and 1.", required=True)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Draw the trade-off curves (.png, .pdf or .svg): the smallest false negative rate, "
    "against the false positive rate, of a test of whether a record is in the table.",
)
@options.as_json
def compare(epsilon: float, delta: float, plot: Path | None, as_json: bool) -> None:
    """Print the noise on a count for each order and calibration rule, the smallest noise first.

    guarantee: what the noise satisfies. If it is pDP, counts clamped at 0 satisfy approximate DP
    (aDP). mean absolute: E|e|, the mean absolute value of the noise. above best: the relative
    excess of E|e| over the smallest possible value under the guarantee; unknown for pDP.

    With --json there are four more columns. scale: b. exact_delta and exact_epsilon: the smallest δ
    at this ε, and the smallest ε at this δ, for approximate DP. advantage: the mean change, over
    releases, of the probability of guessing correctly whether a record is in the table, which is
    1/2 before the release.
    """
    from ggexp.guarantees.comparison import noise_table

    table = noise_table(epsilon, delta).astype(object)
    if plot is not None:
        from ggexp.companions.figures.draw_noise import draw_comparison
        from ggexp.companions.figures.tabulate_noise import trade_off_table
        from ggexp.figures import style

        if plot.suffix not in (".png", ".pdf", ".svg"):
            raise ValueError(f"plot must end in .png, .pdf or .svg, got {str(plot)!r}")
        style.save(draw_comparison(trade_off_table(epsilon, delta)), plot)
    shown = table if as_json else table[[*SHOWN]]
    rows = shown.where(shown.notna(), None).to_dict("records")
    show([{str(key): value for key, value in row.items()} for row in rows], as_json)
    if not as_json:
        from ggexp.mechanisms.mechanism import best_order

        best = best_order(epsilon=epsilon, delta=delta).order
        click.echo(f"\nThe best order of adp-exact is {best:.3f}.")


@example("ggexp noise --calibration pdp --order 3 --epsilon 1 --delta 0.05")
@click.command(short_help="Compute noise for a guarantee, or the guarantee of noise.")
@options.order
@options.calibration("Rule that computes the noise from ε and δ, one of")
@number("scale", "Scale b > 0 of the noise, instead of a rule.")
@click.option(
    "--integer", is_flag=True, help="With --scale: integer-valued noise, Pr(K = k) ∝ exp(-|k/b|^p)."
)
@number("epsilon", "ε > 0.")
@number("delta", "δ, between 0 and 1.")
@options.sensitivity
@options.as_json
def noise(
    order: float | str | None,
    calibration: str | None,
    scale: float | None,
    integer: bool,
    epsilon: float | None,
    delta: float | None,
    sensitivity: float,
    as_json: bool,
) -> None:
    """Print the noise that ε, and for some rules δ, need; or the δ or ε that noise satisfies.

    Give --calibration with --epsilon and, if the rule uses it, --delta; or --order and --scale with
    --epsilon, --delta or both. The errors are those that a statistic exceeds in 1 of 20 and in 1 of
    100 releases. exact delta and exact epsilon: the smallest δ at this ε, and the smallest ε at
    this δ, for approximate DP. advantage: the mean change of the probability of guessing correctly
    whether a record is in the data, which is 1/2 before the release.
    """
    from ggexp.mechanisms.calibration import rule
    from ggexp.mechanisms.mechanism import Mechanism
    from ggexp.releases.statement import numbers_of

    if scale is not None:
        if calibration or not isinstance(order, float) or (epsilon, delta) == (None, None):
            raise click.UsageError("--scale needs --order P and --epsilon or --delta, and no rule")
        found = _of_order(order, scale, is_integer_valued=integer)
    elif calibration is None or epsilon is None or integer:
        raise click.UsageError("give --calibration and --epsilon, or --order and --scale")
    else:
        used = rule(calibration).order if order is None else order
        found = Mechanism(None if used == "any" else used, calibration).noise(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity
        )
    values: dict[str, object] = {**numbers_of(found)}
    if found.is_integer_valued:
        limits = f" from -{found.largest} to {found.largest}" if isfinite(found.largest) else ""
        values["support"] = f"whole numbers{limits}"
    if epsilon is not None:
        values["exact_delta"] = found.delta(epsilon=epsilon, sensitivity=sensitivity)
    if delta is not None:
        values["exact_epsilon"] = found.epsilon(delta=delta, sensitivity=sensitivity)
    values["advantage"] = found.delta(epsilon=0, sensitivity=sensitivity) / 2
    show({name: value for name, value in values.items() if value is not None}, as_json)


def _of_order(order: float, scale: float, *, is_integer_valued: bool) -> "Noise":
    from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
    from ggexp.mechanisms.distribution import GeneralizedGaussian

    return (DiscreteGeneralizedGaussian if is_integer_valued else GeneralizedGaussian)(order, scale)


@dataclass(frozen=True)
class DeclaredReleases:
    """Releases of one kind, as --release declares them."""

    calibration: str | None = None
    order: float | str | None = None
    epsilon: float | None = None
    delta: float | None = None
    scale: float | None = None
    integer: bool = False
    sensitivity: float = 1.0
    count: int = 1


def to_releases(text: str) -> DeclaredReleases:
    """Return releases, from a comma-separated list of KEY=VALUE and the word integer."""
    values: dict[str, Any] = {}
    for part in text.split(","):
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if key == "integer" and not sign:
            value = "yes"
        if key not in KEYS or not value or key in values:
            raise click.BadParameter(
                f"{part.strip()!r} in {text!r} must be KEY=VALUE, each key at most once; the keys "
                f"are {', '.join(KEYS)}"
            )
        try:
            values[key] = KEYS[key](value)
        except ValueError:
            kind = "a whole number >= 1" if key == "count" else "a number"
            raise click.BadParameter(f"{key} must be {kind}, got {value!r}") from None
    if "calibration" in values:
        values["calibration"], order = options.rule_and_order(values["calibration"])
        values = {"order": order, **values}
    return DeclaredReleases(**values)


@example("ggexp compose --release calibration=pure-integer,epsilon=0.1,count=30 --delta 1e-6")
@click.command(short_help="Compute the joint guarantee of several releases.")
@click.option(
    "--release",
    "releases",
    type=to_releases,
    multiple=True,
    required=True,
    metavar="KEY=VALUE,...",
    help="Releases of one kind; repeat the option for other kinds. Keys: calibration, epsilon, "
    "delta and order, or order, scale and, for integer-valued noise, the word integer, as for "
    "ggexp noise; or epsilon and delta alone, for an unknown mechanism (the worst case "
    "is assumed, also for noise whose privacy loss is unknown). count: number of releases "
    "(default 1). sensitivity: default 1.",
)
@number("delta", "δ of all releases together, between 0 and 1: prints their ε.")
@number("epsilon", "ε >= 0 of all releases together: prints their δ.")
@options.as_json
def compose(
    releases: tuple[DeclaredReleases, ...],
    delta: float | None,
    epsilon: float | None,
    as_json: bool,
) -> None:
    """Print the joint guarantee of releases of the same records: ε for a given δ, or δ for an ε.

    basic: the sums of the ε and of the δ. advanced: a smaller ε for a larger δ. exact: from the
    privacy loss distribution of the noise; the result is an upper bound, and the column "at least"
    is a lower bound. The value none means that no ε, or no δ, is large enough.

    If a release is given by its order and scale, basic and advanced assign it an equal share of the
    remaining δ. A release may depend on the results of earlier ones, but its noise must not.
    """
    from ggexp.guarantees.composition import deltas, epsilons

    if delta is None and epsilon is None:
        raise click.UsageError("give --delta or --epsilon, for all releases together")
    rows = []
    accounts = [*map(_account, releases)]
    if delta is not None:
        rows += epsilons(accounts, delta)
    if epsilon is not None:
        rows += deltas(accounts, epsilon)
    show([row._asdict() for row in rows], as_json, lower=["at_least"])


def _account(releases: DeclaredReleases) -> "Account":
    from ggexp.guarantees.composition import Account
    from ggexp.mechanisms.budget import Budget
    from ggexp.mechanisms.calibration import rule
    from ggexp.mechanisms.guarantee import of_release
    from ggexp.mechanisms.loss_distribution import randomized_response
    from ggexp.mechanisms.mechanism import Mechanism

    count, sensitivity = releases.count, releases.sensitivity
    order, epsilon, delta = releases.order, releases.epsilon, releases.delta
    if (scale := releases.scale) is not None:
        if order is None or (releases.calibration, epsilon, delta) != (None,) * 3:
            raise ValueError(
                "a release with scale needs order, and excludes calibration, epsilon and delta"
            )
        if isinstance(order, str):
            raise ValueError(f"order must be a number, got {order!r}")
        noise = _of_order(order, scale, is_integer_valued=releases.integer)
        # the largest privacy loss of Laplace noise, whether real-valued or whole
        budget = Budget(sensitivity / scale) if order == 1 else None
        return Account(count, noise.loss(sensitivity), budget)
    if epsilon is None or releases.integer:
        raise ValueError("a release needs epsilon, or order and scale; integer needs a scale")
    budget = Budget.given(epsilon, delta)
    if (calibration := releases.calibration) is None:
        if order is not None:
            raise ValueError("a release with order needs calibration, or scale")
        return Account(count, randomized_response(budget), budget)
    mechanism = Mechanism(order, calibration)
    if not mechanism.uses_delta:
        budget = Budget(epsilon)
    noise = mechanism.noise(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    stated = rule(calibration).guarantee
    satisfied = of_release(stated, noise, budget, processed=True, sensitivity=sensitivity)
    # if the noise does not satisfy its guarantee, the call of `noise` has already warned
    return Account(count, noise.loss(sensitivity), budget if satisfied else None)
