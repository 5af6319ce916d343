"""All rules and orders at one (ε, δ): the amount of noise and the exact guarantee."""

from collections.abc import Iterator
from contextlib import suppress

import pandas as pd

from ggexp import checks
from ggexp.mechanisms.budget import Budget
from ggexp.mechanisms.calibration import BEST, EXACT, LEAST_NOISE, RULES
from ggexp.mechanisms.guarantee import Guarantee, of_release
from ggexp.mechanisms.integer_valued import TooManyValuesError
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.noise import Noise
from ggexp.ranges import AnyOrder, Delta, Epsilon

ORDERS = (1, 1.5, 2, 3)


def noise_table(epsilon: Epsilon, delta: Delta) -> pd.DataFrame:
    """Return a row for each order and each rule that allows it, sorted by standard deviation.

    The noise is for statistics of sensitivity 1, such as the counts of a histogram. Compare only
    rows with the same guarantee, or compare rows by their exact δ and ε. Warns if the noise of a
    row satisfies no guarantee. The columns are

    - order: 1, 1.5, 2, 3, or "best", the order of `ggexp.best_order`, rounded to thousandths,
      with the rule "adp-exact"; missing if the noise has no order;
    - calibration: a name in `ggexp.mechanisms.calibration.RULES`. Rules are omitted if they do
      not allow such a large δ, or if their integer-valued noise has too many values;
    - guarantee: the guarantee that the noise satisfies at (ε, δ), by its exact privacy loss;
      missing if it satisfies none, for example with "adp-classical" at a large ε;
    - scale, sd, mean_absolute: b, the standard deviation and E|e| of the noise;
    - above_best: the relative excess of E|e| over the smallest E|e| with this guarantee, which
      geometric or discrete canonical noise has; missing for probabilistic DP, whose smallest E|e|
      is not known;
    - exact_delta, exact_epsilon: the smallest δ at this ε, and the smallest ε at this δ, for which
      the noise satisfies approximate DP;
    - advantage: how much a release changes, on average, the probability of a right guess whether a
      record is in the table, at the worst prior, 1/2. It is half the total variation distance
      between the noise and the noise shifted by 1, and therefore half the exact δ at ε = 0.

    >>> import ggexp
    >>> table = ggexp.noise_table(0.5, 0.01)
    >>> table[["order", "calibration", "sd"]].head(3).round(4).to_dict("split")["data"]
    [[None, 'adp-optimal', 2.3422], [1, 'adp-truncated', 2.3697], ['best', 'adp-exact', 2.5888]]
    """
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    noises = [*noises_at(Budget(epsilon, delta))]
    best = {
        RULES[name].guarantee: noise.mean_absolute
        for _, name, noise, _ in noises
        if name in LEAST_NOISE.values()
    }
    rows = [
        {
            "order": order,
            "calibration": calibration,
            "guarantee": guarantee,
            "scale": noise.numbers.get("scale"),
            "sd": noise.sd,
            "mean_absolute": noise.mean_absolute,
            "above_best": noise.mean_absolute / best[guarantee] - 1 if guarantee in best else None,
            "exact_delta": noise.delta(epsilon=epsilon),
            "exact_epsilon": noise.epsilon(delta=delta),
            "advantage": noise.delta(epsilon=0) / 2,
        }
        for order, calibration, noise, guarantee in noises
    ]
    return pd.DataFrame(rows).sort_values("sd", kind="stable", ignore_index=True)


def noises_at(budget: Budget) -> Iterator[tuple[AnyOrder, str, Noise, Guarantee | None]]:
    """Yield the order, the rule and the noise of each row, and the guarantee that it satisfies."""
    for order in (*ORDERS, None, BEST):
        for name, rule in RULES.items():
            is_numeric = order not in (None, BEST)
            fits = rule.order == order or (rule.order == "any" and is_numeric)
            if (fits or (order, name) == (BEST, EXACT)) and budget.delta <= rule.largest_delta:
                with suppress(TooManyValuesError):
                    noise = Mechanism(order, name).noise(epsilon=budget.epsilon, delta=budget.delta)
                    noise.sd  # noqa: B018  # may raise TooManyValuesError
                    satisfied = of_release(rule.guarantee, noise, budget, processed=False)
                    yield order, name, noise, satisfied
