"""``ggexp need`` and ``error``: from a table's error to ε, and back, before the table is seen."""

from decimal import Decimal
from math import isfinite
from typing import Any, NamedTuple

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, print_json, show_rows

#: Points of the distribution that `error` prints, in percent.
POINTS = (5, 50, 95, 99)


class Amount(NamedTuple):
    """A number, or a percentage of something."""

    number: Decimal
    is_percentage: bool


class AmountType(click.ParamType[Amount]):
    """A number such as 92, or a percentage such as 5%."""

    name = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Amount:
        """Return the amount that a text names."""
        text = str(value).strip()
        try:
            number = Decimal(text.removesuffix("%"))
        except ArithmeticError:
            number = Decimal("nan")
        if not isfinite(number):
            self.fail(f"{value!r} is neither a finite number nor a percentage", param, ctx)
        return Amount(number, text.endswith("%"))


cells = click.option(
    "--cells",
    type=int,
    metavar="NUMBER",
    required=True,
    help="Number of cells of the table, the empty ones too.",
)
calibration = options.calibration(
    "Rule of whole-number noise, by default pure-integer, with --delta adp-optimal; of"
)
rescale = click.option(
    "--rescale",
    is_flag=True,
    help="Counts are clamped at the total and rescaled to sum to it, as in the paper: a bound that "
    "holds for every table takes the place of the exact distribution.",
)


@example("ggexp need --cells 64 --n 1841 --l1 5% --confidence 95%")
@click.command(short_help="From a table's error to the ε that it needs, without the table.")
@cells
@click.option("--n", type=int, metavar="NUMBER", help="Number of records, for percentages of it.")
@click.option("--l1", type=AmountType(), help="Largest tolerable l1 error: of all cells together.")
@click.option("--max-error", type=AmountType(), help="Largest tolerable error of any cell.")
@click.option(
    "--confidence",
    type=AmountType(),
    required=True,
    help="Probability with which the error is to be tolerable: 0.95 or 95%.",
)
@number("delta", "δ, between 0 and 1: prints what approximate DP needs too.")
@calibration
@options.order
@rescale
@options.as_json
def need(
    cells: int,
    n: int | None,
    l1: Amount | None,
    max_error: Amount | None,
    confidence: Amount,
    delta: float | None,
    calibration: str | None,
    order: float | str | None,
    rescale: bool,
    as_json: bool,
) -> None:
    """Print the smallest ε that keeps the error of every table with so many cells in its bound.

    The table gets whole-number noise, and negative counts become 0. Nothing is computed from data.
    epsilon has six digits, the last rounded up; expected is the mean error if nothing is clamped.
    advantage is the most by which a release changes, in the mean, the probability of a right guess
    whether a record is there.
    """
    from ggexp.guarantees.table_error import epsilon_for_error

    if (l1 is None) == (max_error is None):
        raise click.UsageError("one of --l1 and --max-error is needed, and not both")
    deltas = [delta] if calibration or delta is None else [None, delta]
    rows = []
    with arguments_checked():
        for one in deltas:
            found = epsilon_for_error(
                cells=cells,
                confidence=_probability(confidence),
                l1=_records("l1", l1, n),
                max_error=_records("max-error", max_error, n),
                delta=one,
                calibration=calibration,
                order=order,
                rescale=rescale,
            )
            rows.append(
                {
                    "guarantee": str(found.guarantee),
                    "epsilon": found.epsilon,
                    "delta": one if found.guarantee.has_delta else None,
                    "calibration": found.calibration,
                    "sd": found.noise.sd,
                    "expected": found.expected,
                    "advantage": found.advantage,
                }
            )
    if as_json:
        return print_json(rows)
    show_rows([row | {"epsilon": row["epsilon"] or "any > 0"} for row in rows], as_json=False)


@example("ggexp error --cells 64 --epsilon 1 --delta 0.01")
@click.command(short_help="From ε to a table's error, without the table.")
@cells
@number("epsilon", "ε > 0.", required=True)
@number("delta", "δ, between 0 and 1, of rules that have one.")
@calibration
@options.order
@rescale
@options.as_json
def error(
    cells: int,
    epsilon: float,
    delta: float | None,
    calibration: str | None,
    order: float | str | None,
    rescale: bool,
    as_json: bool,
) -> None:
    """Print the distribution of the error of a table with so many cells: mean and percentiles.

    The table gets whole-number noise, and negative counts become 0. The l1 error is that of all
    cells together, the largest that of one. Both distributions are exact if nothing is clamped, and
    for every table each probability of a larger error is at most theirs.
    """
    from ggexp.guarantees.table_error import table_error, whole_mechanism

    with arguments_checked():
        mechanism = whole_mechanism(calibration, order, delta)
        noise = mechanism.noise(epsilon=epsilon, delta=delta)
        rows = [
            {
                "error": name,
                "mean": bound.mean,
                **{f"{point}%": float(bound.point(1 - point / 100)) for point in POINTS},
            }
            for name, bound in table_error(noise, cells, rescale=rescale)._asdict().items()
        ]
    show_rows(rows, as_json)


def _records(name: str, amount: Amount | None, n: int | None) -> float | None:
    """Return an amount in records."""
    if amount is None or not amount.is_percentage:
        return None if amount is None else float(amount.number)
    if n is None or n < 1:
        raise ValueError(
            f"--n must be a whole number >= 1 for --{name} {amount.number}%, got {n!r}"
        )
    return float(amount.number * n / 100)


def _probability(amount: Amount) -> float:
    """Return an amount as a probability."""
    return float(amount.number / 100 if amount.is_percentage else amount.number)
