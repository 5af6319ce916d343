"""``ggexp compose``: the joint guarantee of several releases."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show_rows

if TYPE_CHECKING:
    from ggexp.guarantees.accounts import Account

#: The keys of a value of --release, and functions that read their values.
KEYS: dict[str, Callable[[str], Any]] = {
    **{"calibration": str, "order": options.to_order, "epsilon": float, "delta": float},
    **{"scale": float, "integer": bool, "sensitivity": float, "count": int},
}


class ReleaseType(click.ParamType[dict[str, Any]]):
    """A value of --release: a comma-separated list of KEY=VALUE and the word integer."""

    name = "release"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, Any]:
        """Return key -> value."""
        values: dict[str, Any] = {}
        for part in str(value).split(","):
            key, sign, text = (piece.strip() for piece in part.partition("="))
            if key == "integer" and not sign:
                text = sign = "yes"
            if key not in KEYS or not text or key in values:
                self.fail(
                    f"{part.strip()!r} in {value!r} must be KEY=VALUE, each key at most once; the "
                    f"keys are {', '.join(KEYS)}",
                    param,
                    ctx,
                )
            try:
                values[key] = KEYS[key](text)
            except ValueError:
                kind = "a whole number >= 1" if key == "count" else "a number"
                self.fail(f"{key} must be {kind}, got {text!r}", param, ctx)
        return values


@example("ggexp compose --release calibration=pure-integer,epsilon=0.1,count=30 --delta 1e-6")
@click.command(short_help="Compute the joint guarantee of several releases.")
@click.option(
    "--release",
    "releases",
    type=ReleaseType(),
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
    releases: tuple[dict[str, Any], ...],
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
    from ggexp.guarantees.accounts import deltas, epsilons

    if delta is None and epsilon is None:
        raise click.UsageError("give --delta or --epsilon, for all releases together")
    rows = []
    with arguments_checked():
        accounts = [_account(**release) for release in releases]
        if delta is not None:
            rows += epsilons(accounts, delta)
        if epsilon is not None:
            rows += deltas(accounts, epsilon)
    show_rows([row._asdict() for row in rows], as_json)


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
    """Return the account of releases of one kind.

    Raises ValueError if values exclude each other.
    """
    from ggexp.command.mechanism import noise_of
    from ggexp.guarantees.accounts import Account
    from ggexp.mechanisms.calibration import rule
    from ggexp.mechanisms.guarantee import of_release
    from ggexp.mechanisms.mechanism import Mechanism

    if scale is not None:
        if order is None or (calibration, epsilon, delta) != (None, None, None):
            raise ValueError(
                "a release with scale needs order, and excludes calibration, epsilon and delta"
            )
        if isinstance(order, str):
            raise ValueError(f"order must be a number, got {order!r}")
        noise = noise_of(order, scale, is_integer_valued=integer)
        # the largest privacy loss of Laplace noise, whether real-valued or whole
        budget = (sensitivity / scale, 0.0) if order == 1 else None
        return Account(count, budget, noise, sensitivity)
    if epsilon is None or integer:
        raise ValueError("a release needs epsilon, or order and scale; integer needs a scale")
    budget = (epsilon, delta or 0.0)
    if calibration is None:
        if order is not None:
            raise ValueError("a release with order needs calibration, or scale")
        return Account(count, budget)
    mechanism = Mechanism(order, calibration)
    d = budget[1] if rule(calibration).uses_delta else None
    noise = mechanism.noise(epsilon=epsilon, delta=d, sensitivity=sensitivity)
    stated = rule(calibration).guarantee
    satisfied = of_release(
        stated, noise, epsilon=epsilon, delta=d, processed=True, sensitivity=sensitivity
    )
    # if the noise does not satisfy its guarantee, the call of `noise` has already warned
    return Account(count, (epsilon, d or 0.0) if satisfied else None, noise, sensitivity)
