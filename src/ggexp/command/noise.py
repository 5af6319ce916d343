"""``ggexp compare``, ``scale``, ``delta``, ``epsilon``, ``compose``: noise and its guarantees.

The library is imported only when a subcommand runs, so that --help responds at once.
"""

from collections.abc import Callable
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
    excess of E|e| over the smallest possible value under the guarantee; unknown for pDP. exact
    delta and exact epsilon: the smallest δ at this ε, and the smallest ε at this δ, for approximate
    DP. advantage: the mean change of the probability of guessing correctly whether a record is in
    the table, which is 1/2 before the release.
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
    rows = table.where(table.notna(), None).to_dict("records")
    show([{str(key): value for key, value in row.items()} for row in rows], as_json)
    if not as_json:
        from ggexp.mechanisms.mechanism import best_order

        best = best_order(epsilon=epsilon, delta=delta).order
        click.echo(f"\nThe best order is {best:.3f}. The advantage is a mean over releases.")


@example("ggexp scale --order 3 --calibration pdp --epsilon 1 --delta 0.05")
@click.command(short_help="Compute the noise scale that a guarantee needs.")
@options.order
@options.calibration(required=True)
@number("epsilon", "ε > 0.", required=True)
@number("delta", "δ, between 0 and 1, for rules that use it.")
@options.sensitivity
@options.as_json
def scale(
    order: float | str | None,
    calibration: str,
    epsilon: float,
    delta: float | None,
    sensitivity: float,
    as_json: bool,
) -> None:
    """Print the noise scale b of a calibration rule, and the standard deviation."""
    from ggexp.mechanisms.calibration import rule
    from ggexp.mechanisms.mechanism import Mechanism

    used = rule(calibration).order if order is None else order
    used = None if used == "any" else used
    noise = Mechanism(used, calibration).noise(
        epsilon=epsilon, delta=delta, sensitivity=sensitivity
    )
    values: dict[str, Any] = {"scale": None, "sd": noise.sd, **noise.numbers}
    if isinstance(order, float):  # the user stated the order
        values.pop("order", None)
    if noise.is_integer_valued:
        limits = f" from -{noise.largest} to {noise.largest}" if isfinite(noise.largest) else ""
        values["support"] = f"whole numbers{limits}"
    show({name: value for name, value in values.items() if value is not None}, as_json)


@example("ggexp delta --order 2 --scale 7.55 --epsilon 0.5")
@click.command(short_help="Compute the exact δ of noise at a given ε.")
@options.noise
@number("epsilon", "ε >= 0.", required=True)
@options.sensitivity
@options.as_json
def delta(epsilon: float, sensitivity: float, as_json: bool, **described: Any) -> None:
    """Print the smallest δ for which the noise satisfies (ε, δ)-approximate DP."""
    smallest = _noise(**described).delta(epsilon=epsilon, sensitivity=sensitivity)
    show({"delta": smallest}, as_json)


@example("ggexp epsilon --order 2 --scale 7.55 --delta 0.01")
@click.command(short_help="Compute the exact ε of noise at a given δ.")
@options.noise
@number("delta", "δ, between 0 and 1.", required=True)
@options.sensitivity
@options.as_json
def epsilon(delta: float, sensitivity: float, as_json: bool, **described: Any) -> None:
    """Print the smallest ε for which the noise satisfies (ε, δ)-approximate DP."""
    smallest = _noise(**described).epsilon(delta=delta, sensitivity=sensitivity)
    show({"epsilon": smallest}, as_json)


def _noise(
    order: float | None, scale: float | None, integer: bool, optimal: tuple[float, float] | None
) -> "Noise":
    """Return the noise that the options `options.noise` describe."""
    if optimal is not None:
        if integer or (order, scale) != (None, None):
            raise click.UsageError("--optimal excludes --order, --scale and --integer")
        from ggexp.mechanisms.optimal_integer import Canonical

        return Canonical(*optimal)
    if order is None or scale is None:
        raise click.UsageError("give --order and --scale, or --optimal")
    return _of_order(order, scale, is_integer_valued=integer)


def _of_order(order: float, scale: float, *, is_integer_valued: bool) -> "Noise":
    """Return the noise with an order and a scale."""
    from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
    from ggexp.mechanisms.distribution import GeneralizedGaussian

    return (DiscreteGeneralizedGaussian if is_integer_valued else GeneralizedGaussian)(order, scale)


def to_release(text: str) -> dict[str, Any]:
    """Return key -> value, from a comma-separated list of KEY=VALUE and the word integer."""
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
    return values


@example("ggexp compose --release calibration=pure-integer,epsilon=0.1,count=30 --delta 1e-6")
@click.command(short_help="Compute the joint guarantee of several releases.")
@click.option(
    "--release",
    "releases",
    type=to_release,
    multiple=True,
    required=True,
    metavar="KEY=VALUE,...",
    help="Releases of one kind; repeat the option for other kinds. Keys: calibration, epsilon, "
    "delta and order, as for 'scale'; or order, scale and, for integer-valued noise, the word "
    "integer, as for 'delta'; or epsilon and delta alone, for an unknown mechanism (the worst case "
    "is assumed). count: number of releases (default 1). sensitivity: default 1.",
)
@number("delta", "δ of all releases together, between 0 and 1: prints their ε.")
@number("epsilon", "ε >= 0 of all releases together: prints their δ.")
@options.as_json
def compose(
    releases: tuple[dict[str, Any], ...], delta: float | None, epsilon: float | None, as_json: bool
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
    accounts = [_account(**release) for release in releases]
    if delta is not None:
        rows += epsilons(accounts, delta)
    if epsilon is not None:
        rows += deltas(accounts, epsilon)
    show([row._asdict() for row in rows], as_json, lower=["at_least"])


def _account(
    calibration: str | None = None,
    order: float | str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    scale: float | None = None,
    integer: bool = False,
    sensitivity: float = 1.0,
    count: int = 1,
) -> "Account":
    """Return the account of releases of one kind."""
    from ggexp.guarantees.composition import Account
    from ggexp.mechanisms.calibration import rule
    from ggexp.mechanisms.guarantee import of_release
    from ggexp.mechanisms.loss_distribution import randomized_response
    from ggexp.mechanisms.mechanism import Mechanism

    if scale is not None:
        if order is None or (calibration, epsilon, delta) != (None, None, None):
            raise ValueError(
                "a release with scale needs order, and excludes calibration, epsilon and delta"
            )
        if isinstance(order, str):
            raise ValueError(f"order must be a number, got {order!r}")
        noise = _of_order(order, scale, is_integer_valued=integer)
        # the largest privacy loss of Laplace noise, whether real-valued or whole
        budget = (sensitivity / scale, 0.0) if order == 1 else None
        return Account(count, noise.loss(sensitivity), budget)
    if epsilon is None or integer:
        raise ValueError("a release needs epsilon, or order and scale; integer needs a scale")
    budget = (epsilon, delta or 0.0)
    if calibration is None:
        if order is not None:
            raise ValueError("a release with order needs calibration, or scale")
        return Account(count, randomized_response(epsilon=epsilon, delta=budget[1]), budget)
    mechanism = Mechanism(order, calibration)
    d = budget[1] if mechanism.uses_delta else None
    noise = mechanism.noise(epsilon=epsilon, delta=d, sensitivity=sensitivity)
    stated = rule(calibration).guarantee
    satisfied = of_release(
        stated, noise, epsilon=epsilon, delta=d, processed=True, sensitivity=sensitivity
    )
    # if the noise does not satisfy its guarantee, the call of `noise` has already warned
    known = (epsilon, d or 0.0) if satisfied else None
    return Account(count, noise.loss(sensitivity), known)
