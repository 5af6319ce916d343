"""``ggexp need`` and ``error``: an ε in terms of a table's error."""

from decimal import Decimal
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import click

from ggexp.command import options
from ggexp.command.options import example, number, show

if TYPE_CHECKING:
    from ggexp.mechanisms.noise import Noise

#: The percentiles of an error's distribution that `error` prints.
PERCENTILES = (5, 50, 95, 99)


class Amount(NamedTuple):
    """A number, or a percentage of something."""

    number: Decimal
    is_percentage: bool

    def of(self, whole: int) -> float:
        """Return the number, or the percentage of a whole."""
        return float(self.number * whole / 100 if self.is_percentage else self.number)


def to_amount(text: str) -> Amount:
    """Return a number such as 92, or a percentage such as 5%."""
    try:
        number = Decimal(text.strip().removesuffix("%"))
    except ArithmeticError:
        number = Decimal("nan")
    if not isfinite(number):
        raise click.BadParameter(
            f"{text!r} must be a finite number or a percentage, such as 92 or 5%"
        )
    return Amount(number, text.strip().endswith("%"))


amount = partial(click.option, type=to_amount, metavar="NUMBER[%]")


CELLS = "Number of cells of the table, including empty ones."
cells = partial(click.option, "--cells", type=int, metavar="NUMBER", help=CELLS)
#: Adds the options on the noise and the post-processing.
release_options = options.add_options(
    options.calibration(
        "Rule of integer-valued noise (default: pure-integer, or adp-optimal with --delta), one of",
        for_tables=True,
    ),
    options.order,
    click.option(
        "--rescale",
        is_flag=True,
        help="Clamp counts at the total and rescale them to sum to it, as in the paper. The result "
        "is then an upper bound for every table instead of the exact distribution, and epsilon and "
        "advantage are for one count: sanitize states twice this ε, for a record that is replaced.",
    ),
    options.as_json,
)


#: Adds the options for the error that is acceptable, of which at most one is given.
add_goals = options.add_options(
    click.option("--n", type=int, metavar="NUMBER", help="Number of records, for percentages."),
    amount("--count-error", help="Largest acceptable error of one count."),
    amount("--max-error", help="Largest acceptable error of all counts at once."),
    amount("--l1", help="Largest acceptable l1 error: the sum of the errors of all counts."),
)


@example("ggexp need --cells 64 --n 1841 --l1 5%")
@click.command(short_help="Compute the ε that an acceptable error needs, without data.")
@cells()
@click.option(
    "--tables",
    type=options.whole_numbers,
    metavar="A,B,C",
    help="Numbers of cells of several tables of the same records, with empty ones. ε and δ are "
    "then those of all tables, and no table's error exceeds its bound.",
)
@add_goals
@amount(
    "--confidence",
    default="95%",
    show_default=True,
    help="Probability that the error is acceptable: 0.95 or 95%.",
)
@number("delta", "δ, between 0 and 1: also prints the ε needed under approximate DP.")
@release_options
def need(
    cells: int | None,
    tables: list[int] | None,
    n: int | None,
    confidence: Amount,
    delta: float | None,
    calibration: str | None,
    order: float | str | None,
    rescale: bool,
    as_json: bool,
    **goals: Amount | None,
) -> None:
    """Print the smallest ε at which a table's error is acceptable, whatever its counts are.

    Without an acceptable error, the command prints the error of one count at several ε.

    Each count gets integer-valued noise, and negative results become 0. No data are read. epsilon
    is rounded up to six digits. expected is the mean error if no count is clamped. advantage is an
    upper bound on the change of the probability of guessing correctly whether a record is in the
    table, whatever it is before: by any release under ε-DP, and on average over releases with a δ.
    """
    from ggexp.guarantees.advantage import mean
    from ggexp.guarantees.table_error import (
        COUNT_ERRORS,
        EPSILONS,
        epsilon_for_error,
        epsilon_for_tables,
        integer_valued_mechanism,
        table_error,
    )
    from ggexp.mechanisms.budget import Budget
    from ggexp.tables.joint import smallest_integer_valued

    bounds = one_goal(n, **goals)
    if cells is not None and tables:
        raise click.UsageError("give either --cells or --tables")
    if cells is None and not tables and (rescale or {*bounds} - {"count_error"}):
        raise click.UsageError("give --cells or --tables, because this error depends on them")
    if tables and (calibration or order or rescale):
        raise click.UsageError("--tables excludes --calibration, --order and --rescale")
    share = confidence.of(1)
    if share > 1 and not confidence.is_percentage:
        raise ValueError(f"--confidence must be below 1, got {share:g}; write {share:g}%")
    size = 1 if cells is None else cells
    needs = partial(
        epsilon_for_error, cells=size, calibration=calibration, order=order, rescale=rescale
    )
    if tables:
        needs = partial(epsilon_for_tables, tables=tables)

    def noise_at(epsilon: float, delta: float | None) -> "Noise":
        if tables:
            return smallest_integer_valued(epsilon=epsilon, delta=delta, tables=len(tables))[1]
        mechanism = integer_valued_mechanism(calibration, order, delta)
        return mechanism.noise(epsilon=epsilon, delta=delta)

    rows: list[dict[str, object]] = []
    for row_delta in [delta] if calibration or delta is None else [None, delta]:
        needed_at = partial(needs, confidence=share, delta=row_delta)
        if bounds:
            needed = needed_at(**bounds)
            rows.append(
                {
                    "guarantee": str(needed.guarantee),
                    "epsilon": needed.epsilon,
                    "delta": row_delta if needed.guarantee.has_delta else None,
                    "calibration": needed.calibration,
                    "sd": needed.noise.sd,
                    "expected": needed.expected,
                    "advantage": needed.advantage,
                }
            )
            continue
        found = [(epsilon, noise_at(epsilon, row_delta)) for epsilon in EPSILONS]
        for error in COUNT_ERRORS:
            needed = needed_at(count_error=error)
            found.append((needed.epsilon, needed.noise))
        for epsilon, noise in sorted(found, key=lambda pair: pair[0]):
            bound = table_error(noise, size, rescale=rescale).count_error
            rows.append(
                {
                    "epsilon": epsilon,
                    "delta": row_delta,
                    "count_error": float(bound.upper_point(1 - share)),
                    "sd": noise.sd,
                    "advantage": mean(Budget.given(epsilon, row_delta), prior=None),
                }
            )
    shown = [row if as_json else row | {"epsilon": row["epsilon"] or "any > 0"} for row in rows]
    show(shown, as_json)


@example("ggexp error --cells 64 --epsilon 1 --delta 0.01")
@click.command(short_help="Compute the error of a table at a given ε, without data.")
@cells(required=True)
@number("epsilon", "ε > 0.", required=True)
@number("delta", "δ, between 0 and 1, for rules that use it.")
@release_options
def error(
    cells: int,
    epsilon: float,
    delta: float | None,
    calibration: str | None,
    order: float | str | None,
    rescale: bool,
    as_json: bool,
) -> None:
    """Print the mean and the percentiles of a table's error, whatever its counts are.

    Each count gets integer-valued noise, and negative results become 0. l1 is the sum of the errors
    of all cells, max_error is the largest of them, and count_error is the error of one given cell.
    The distributions are exact if no count is clamped; otherwise they are upper bounds. advantage
    is as for ggexp need.
    """
    from ggexp.guarantees.advantage import mean
    from ggexp.guarantees.table_error import integer_valued_mechanism, table_error
    from ggexp.mechanisms.budget import Budget

    mechanism = integer_valued_mechanism(calibration, order, delta)
    noise = mechanism.noise(epsilon=epsilon, delta=delta)
    delta = delta if mechanism.uses_delta else None
    advantage = mean(Budget.given(epsilon, delta), prior=None)
    rows = []
    for name, bound in table_error(noise, cells, rescale=rescale)._asdict().items():
        points = {f"{part}%": float(bound.upper_point(1 - part / 100)) for part in PERCENTILES}
        rows.append({"error": name, "mean": bound.mean, **points, "advantage": advantage})
    show(rows, as_json)


def one_goal(n: int | None, **goals: Amount | None) -> dict[str, float]:
    """Return the name and the records of the given goal, nothing without one. n: of percentages."""
    given = {name: goal for name, goal in goals.items() if goal is not None}
    if len(given) > 1:
        raise click.UsageError("give only one of --count-error, --max-error and --l1")
    for name, goal in given.items():
        if goal.is_percentage and (n is None or n < 1):
            option = f"--{name.replace('_', '-')} {goal.number}%"
            raise ValueError(f"{option} needs --n, the number of records, at least 1")
    return {name: goal.of(n or 0) for name, goal in given.items()}
