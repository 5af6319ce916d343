"""All rules and orders side by side at one (ε, δ): how much noise, for which guarantee exactly."""

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp import checks
from ggexp.guarantees.composition import Composition
from ggexp.guarantees.noise_losses import randomized_response
from ggexp.mechanisms.calibration import BEST, RULES, Order, Rule
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.mechanisms.whole_noise import TooManyValuesError

ORDERS = (1, 1.5, 2, 3)
#: The rules of noise with the least E|e| of all that satisfies their guarantee.
BEST_POSSIBLE = ("pure-integer", "adp-optimal")


def noise_table(epsilon: float, delta: float) -> pd.DataFrame:
    """Return a row for each order and calibration rule that fits it, the least noise first.

    epsilon: ε > 0. delta: δ in (0, 1). The noise is for statistics of sensitivity 1, such as the
    counts of a histogram.

    The columns are

    order: 1, 1.5, 2, 3, "best": that of `ggexp.best_order` in thousandths, by the rule "adp-exact";
        missing if the noise has none.
    calibration: the rule, a name in `ggexp.mechanisms.calibration.RULES`; without those
        that are not for such a large δ, or whose whole-number noise has too many values.
    guarantee: what the noise satisfies at (ε, δ), by its exact loss; missing if it satisfies
        nothing there, such as that of "adp-classical" at a large ε. If it is probabilistic DP,
        counts that are clamped afterwards satisfy approximate DP.
    scale, sd: b and the standard deviation of the noise, by which the rows are sorted.
    mean_absolute: E|e|, the mean absolute value of the noise.
    above_best: by which share that is above the least E|e| of all noise with this guarantee, a
        statistic moving by 1: of geometric noise, or of discrete canonical noise
        (`ggexp.guarantees.optimality`). Missing for probabilistic DP, where the least is not known.
    exact_delta: the smallest δ for which it satisfies approximate DP at this ε.
    exact_epsilon: the smallest ε for which it satisfies approximate DP at this δ.
    advantage: by how much a release changes, on average, the probability of a right guess whether a
        record is in the table, if it was 1/2 before, which is the worst prior. It is half the total
        variation distance between the noise and the noise moved by 1, hence half the exact δ at
        ε = 0. A single release may change it by more. Processing cannot increase it.

    Compare rows of one guarantee, or rows by their exact δ and ε: the rules state different
    guarantees. Warns of noise without any. Raises ValueError naming the argument, its value and
    what is allowed.

    >>> import ggexp
    >>> table = ggexp.noise_table(0.5, 0.01)
    >>> table[["order", "calibration", "sd"]].head(3).round(4).to_dict("split")["data"]
    [[None, 'adp-optimal', 2.3422], [1, 'adp-truncated', 2.3697], [1, 'pdp-truncated', 2.3697]]
    """
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    best = {
        RULES[name].guarantee: noise.mean_absolute
        for _, name, noise in _noises(epsilon, delta)
        if name in BEST_POSSIBLE
    }
    rows = []
    for order, calibration, noise in _noises(epsilon, delta):
        guarantee = of_release(
            RULES[calibration].guarantee,
            noise,
            epsilon=epsilon,
            delta=delta,
            processed=False,
        )
        absolute = noise.mean_absolute
        rows.append(
            {
                "order": order,
                "calibration": calibration,
                "guarantee": guarantee,
                "scale": noise.numbers.get("scale"),
                "sd": noise.sd,
                "mean_absolute": absolute,
                "above_best": absolute / best[guarantee] - 1 if guarantee in best else None,
                "exact_delta": noise.delta(epsilon=epsilon),
                "exact_epsilon": noise.epsilon(delta=delta),
                "advantage": noise.delta(epsilon=0) / 2,
            }
        )
    return pd.DataFrame(rows).sort_values("sd", kind="stable", ignore_index=True)


def trade_off_table(epsilon: float, delta: float, rates: NDArray[np.float64]) -> pd.DataFrame:
    """Return the trade-off curves of the noise in `noise_table`, of one release of a count.

    epsilon, delta: as in `noise_table`. rates: of false positives, in [0, 1].

    guarantee: as there; noise without one is left out. order, as text, and calibration: the noise;
    and, as calibration "guarantee", the curve below which no mechanism with the guarantee is.
    false_positive, false_negative: a rate, and the smallest at it.
    """
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    curves = []

    def add(guarantee: Guarantee, order: Order, calibration: str, one: Composition) -> None:
        name = "" if order is None else str(order)
        curve = {"false_positive": rates, "false_negative": one.trade_off(rates)}
        about = {"guarantee": str(guarantee), "order": name, "calibration": calibration}
        curves.append(pd.DataFrame(about | curve))

    for guarantee in Guarantee:
        allowed = delta if guarantee.has_delta else 0.0
        worst = randomized_response(epsilon=epsilon, delta=allowed)
        add(guarantee, None, "guarantee", Composition([(worst, 1)]))
    for order, calibration, noise in _noises(epsilon, delta):
        stated = RULES[calibration].guarantee
        satisfied = of_release(stated, noise, epsilon=epsilon, delta=delta, processed=False)
        if satisfied is not None:
            add(satisfied, order, calibration, Composition([(noise, 1)]))
    return pd.concat(curves, ignore_index=True)


def _noises(epsilon: float, delta: float) -> Iterator[tuple[Order, str, Noise]]:
    """Yield order, rule and noise of each row."""
    for order in (*ORDERS, None, BEST):
        for name, rule in RULES.items():
            if _fits(rule, order) and delta <= rule.largest_delta:
                with suppress(TooManyValuesError):
                    noise = Mechanism(order, name).noise(epsilon=epsilon, delta=delta)
                    noise.sd  # noqa: B018  # of noise with a table, which is made now
                    yield order, name, noise


def _fits(rule: Rule, order: Order) -> bool:
    if order == BEST:
        return rule.has_best
    return rule.order == order or (rule.order == "any" and order is not None)
