"""``ggexp compose``: what releases of different kinds promise together."""

from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show_rows

if TYPE_CHECKING:
    from ggexp.guarantees.accounts import Account

#: What may be said of a release, and what its value is.
KEYS = ("calibration", "order", "epsilon", "delta", "scale", "integer", "sensitivity", "count")


class ReleaseType(click.ParamType[dict[str, str]]):
    """Releases of one kind as a list of words and KEY=VALUE."""

    name = "release"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, str]:
        """Return the values by their keys."""
        found: dict[str, str] = {}
        for part in str(value).split(","):
            key, sign, text = (piece.strip() for piece in part.partition("="))
            if key == "integer" and not sign:
                text = sign = "yes"
            if key not in KEYS or not text or key in found:
                self.fail(
                    f"{part.strip()!r} in {value!r} is not a new KEY=VALUE with one of the keys "
                    f"{', '.join(KEYS)}",
                    param,
                    ctx,
                )
            found[key] = text
        return found


@example(
    "ggexp compose --release calibration=pure-integer,epsilon=0.1,count=30 "
    "--release epsilon=0.5,delta=1e-7 --delta 1e-6"
)
@click.command(short_help="From several releases to the guarantee of all together.")
@click.option(
    "--release",
    "releases",
    type=ReleaseType(),
    multiple=True,
    required=True,
    metavar="KEY=VALUE,...",
    help="Releases of one kind; once for each kind. calibration, epsilon, delta and order as for "
    "'scale', or order, scale and, for whole numbers, the word integer as for 'delta'; or epsilon "
    "and delta alone: any mechanism, counted as the worst. count: how many, by default 1. "
    "sensitivity: by default 1.",
)
@number("delta", "δ of all together, between 0 and 1: prints their ε.")
@number("epsilon", "ε >= 0 of all together: prints their δ.")
@options.as_json
def compose(
    releases: tuple[dict[str, str], ...],
    delta: float | None,
    epsilon: float | None,
    as_json: bool,
) -> None:
    """Print the ε at δ, or the δ at ε, that releases of the same records satisfy together.

    basic: the sums of their ε and δ. advanced: less, for some of the δ. exact: by the noise itself,
    an upper bound, and at least is a lower one. Where the noise alone is known, basic and advanced
    give it an equal share of the δ that is left. none: no ε or no δ. Each release may be chosen
    after the ones before it were seen, but not its noise.
    """
    from ggexp.guarantees.accounts import deltas, epsilons

    if delta is None and epsilon is None:
        raise click.UsageError("--delta or --epsilon is needed, of all releases together")
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
    """Return releases of one kind.

    Raises ValueError for values that do not go together, or are no numbers.
    """
    from ggexp.guarantees.accounts import Account
    from ggexp.mechanisms.calibration import rule
    from ggexp.mechanisms.guarantee import of_release
    from ggexp.mechanisms.mechanism import Mechanism

    if not count.isdecimal():
        raise ValueError(f"count must be a whole number >= 1, got {count!r}")
    how_many, shift = int(count), _number("sensitivity", sensitivity)
    if scale is not None:
        if order is None or (calibration, epsilon, delta) != (None, None, None):
            raise ValueError("a release with a scale must have an order, and no other guarantee")
        p, b = _number("order", order), _number("scale", scale)
        noise = _noise(p, b, integer is not None)
        budget = (shift / b, 0.0) if p == 1 else None  # the largest loss of either family
        return Account(how_many, budget, noise, shift)
    if epsilon is None or integer is not None:
        raise ValueError("a release must have an epsilon, or an order and a scale")
    budget = (_number("epsilon", epsilon), 0.0 if delta is None else _number("delta", delta))
    if calibration is None:
        if order is not None:
            raise ValueError("a release with an order must have a calibration, or a scale")
        return Account(how_many, budget)
    uses_delta = rule(calibration).uses_delta
    mechanism = Mechanism(None if order is None else options.to_order(order), calibration)
    e, d = budget if uses_delta else (budget[0], None)
    made = mechanism.noise(epsilon=e, delta=d, sensitivity=shift)
    stated = rule(calibration).guarantee
    satisfied = of_release(stated, made, epsilon=e, delta=d, processed=True, sensitivity=shift)
    # of noise that satisfies nothing there was a warning
    return Account(how_many, (e, d or 0.0) if satisfied else None, made, shift)


def _noise(order: float, scale: float, is_whole: bool) -> Any:
    """Return noise of an order and a scale."""
    from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
    from ggexp.mechanisms.distribution import GeneralizedGaussian

    return (DiscreteGeneralizedGaussian if is_whole else GeneralizedGaussian)(order, scale)


def _number(name: str, text: str) -> float:
    """Return a number; ValueError names what is none."""
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{name} must be a number, got {text!r}") from None
