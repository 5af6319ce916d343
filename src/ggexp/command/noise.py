"""``ggexp compare``, ``scale``, ``delta``, ``epsilon``: the noise for a guarantee, and the reverse.

The library is imported only when a subcommand runs, so that --help responds at once.
"""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ggexp.command import options
from ggexp.command.options import arguments_checked, example, number, show, show_rows

if TYPE_CHECKING:
    from ggexp.mechanisms.noise import Noise


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

    with arguments_checked():
        table = noise_table(epsilon, delta).astype(object)
        if plot is not None:
            _draw_trade_offs(epsilon, delta, plot)
    rows = table.where(table.notna(), None).to_dict("records")
    show_rows([{str(key): value for key, value in row.items()} for row in rows], as_json)
    if not as_json:
        from ggexp.mechanisms.optimal_order import best_order

        best = best_order(epsilon=epsilon, delta=delta).order
        click.echo(f"\nThe best order is {best:.3f}. The advantage is a mean over releases.")


def _draw_trade_offs(epsilon: float, delta: float, path: Path) -> None:
    """Write a figure of the trade-off curves of all rules and orders.

    Raises ValueError for an unknown format.
    """
    from ggexp.companions.figures.draw_trade_off import draw_comparison
    from ggexp.companions.figures.tabulate_trade_off import RATES
    from ggexp.figures import style
    from ggexp.guarantees.comparison import trade_off_table

    if path.suffix not in (".png", ".pdf", ".svg"):
        raise ValueError(f"plot must be a file that ends in .png, .pdf or .svg, got {str(path)!r}")
    style.save(draw_comparison(trade_off_table(epsilon, delta, RATES)), path)


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

    with arguments_checked():
        used = rule(calibration).only_order if order is None else order
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
    with arguments_checked():
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
    with arguments_checked():
        smallest = _noise(**described).epsilon(delta=delta, sensitivity=sensitivity)
    show({"epsilon": smallest}, as_json)


def _noise(
    order: float | None, scale: float | None, integer: bool, optimal: tuple[float, float] | None
) -> "Noise":
    """Return the noise that the options `options.noise` describe."""
    if optimal is not None:
        if integer or (order, scale) != (None, None):
            raise click.UsageError("--optimal excludes --order, --scale and --integer")
        from ggexp.mechanisms.canonical import Canonical

        return Canonical(*optimal)
    if order is None or scale is None:
        raise click.UsageError("give --order and --scale, or --optimal")
    from ggexp.command.mechanism import noise_of

    return noise_of(order, scale, is_integer_valued=integer)
