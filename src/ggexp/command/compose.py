"""``ggexp compose``: the joint guarantee of several releases."""

from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show_rows

if TYPE_CHECKING:
    from ggexp.guarantees.accounts import Account

#: The keys of a value of --release.
KEYS = ("calibration", "order", "epsilon", "delta", "scale", "integer", "sensitivity", "count")


class ReleaseType(click.ParamType[dict[str, str]]):
    """A value of --release: a comma-separated list of KEY=VALUE and the word integer."""

    name = "release"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, str]:
        """Return key -> value, both as text."""
        values: dict[str, str] = {}
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
            values[key] = text
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
    "delta and order, as for 'scale'; or order, scale and, for whole-number noise, the word "
    "integer, as for 'delta'; or epsilon and delta alone, for an unknown mechanism (the worst case "
    "is assumed). count: number of releases (default 1). sensitivity: default 1.",
)
@number("delta", "δ of all releases together, between 0 and 1: prints their ε.")
@number("epsilon", "ε >= 0 of all releases together: prints their δ.")
@options.as_json
def compose(
    releases: tuple[dict[str, str], ...],
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
    order: str | None = None,
    epsilon: str | None = None,
    delta: str | None = None,
    scale: str | None = None,
    integer: str | None = None,
    sensitivity: str = "1",
    count: str = "1",
) -> "Account":
    """Return the account of releases of one kind.

    Raises ValueError if a value is not a number, or if values exclude each other.
    """
    from ggexp.guarantees.accounts import Account
    from ggexp.mechanisms.calibration import rule
    from ggexp.mechanisms.guarantee import of_release
    from ggexp.mechanisms.mechanism import Mechanism

    if not count.isdecimal():
        raise ValueError(f"count must be a whole number >= 1, got {count!r}")
    releases, shift = int(count), _number("sensitivity", sensitivity)
    if scale is not None:
        if order is None or (calibration, epsilon, delta) != (None, None, None):
            raise ValueError(
                "a release with scale needs order, and excludes calibration, epsilon and delta"
            )
        p, b = _number("order", order), _number("scale", scale)
        noise = _noise(p, b, integer is not None)
        # the largest privacy loss of Laplace noise, whether real-valued or whole
        budget = (shift / b, 0.0) if p == 1 else None
        return Account(releases, budget, noise, shift)
    if epsilon is None or integer is not None:
        raise ValueError("a release needs epsilon, or order and scale; integer needs a scale")
    budget = (_number("epsilon", epsilon), 0.0 if delta is None else _number("delta", delta))
    if calibration is None:
        if order is not None:
            raise ValueError("a release with order needs calibration, or scale")
        return Account(releases, budget)
    uses_delta = rule(calibration).uses_delta
    mechanism = Mechanism(None if order is None else options.to_order(order), calibration)
    e, d = budget if uses_delta else (budget[0], None)
    noise = mechanism.noise(epsilon=e, delta=d, sensitivity=shift)
    stated = rule(calibration).guarantee
    satisfied = of_release(stated, noise, epsilon=e, delta=d, processed=True, sensitivity=shift)
    # if the noise does not satisfy its guarantee, the call of `noise` has already warned
    return Account(releases, (e, d or 0.0) if satisfied else None, noise, shift)


def _noise(order: float, scale: float, is_whole: bool) -> Any:
    """Return the noise with an order and a scale."""
    from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
    from ggexp.mechanisms.distribution import GeneralizedGaussian

    return (DiscreteGeneralizedGaussian if is_whole else GeneralizedGaussian)(order, scale)


def _number(name: str, text: str) -> float:
    """Return the number that a text contains; otherwise raise ValueError with the option's name."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {text!r}") from None
