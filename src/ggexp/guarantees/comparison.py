"""All rules and orders side by side at one (ε, δ): how much noise, for which guarantee exactly."""

from collections.abc import Iterator

import pandas as pd

from ggexp import checks
from ggexp.guarantees import advantage
from ggexp.mechanisms import privacy_loss
from ggexp.mechanisms.calibration import RULES
from ggexp.mechanisms.distribution import Noise, TruncatedLaplace
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_order import best_order

ORDERS = (1, 1.5, 2, 3)
#: No bound of the noise is for a larger δ.
MOST_WITH_BOUND = 1 / 2
#: What stands for the order of `best_order`, as in a configuration.
BEST = "best"


def noise_table(epsilon: float, delta: float) -> pd.DataFrame:
    """Return a row for each order and calibration rule that fits it, the least noise first.

    epsilon: ε > 0. delta: δ in (0, 1). The noise is for statistics of sensitivity 1, such as the
    counts of a histogram.

    The columns are

    order: 1, 1.5, 2, 3, or "best": that of `ggexp.best_order`, by the rule "adp-exact".
    calibration: the rule, a name in `ggexp.mechanisms.calibration.RULES`, which tells the
        guarantee; without "adp-truncated" for δ > 1/2, which it has no bound for.
    scale, sd: b and the standard deviation of the noise, by which the rows are sorted.
    exact_delta: the smallest δ for which it is of approximate DP at this ε.
    exact_epsilon: the smallest ε for which it is of approximate DP at this δ.
    advantage: what a guesser may gain at that ε with the worst prior (`guarantees.advantage`), with
        probability 1 - δ: whatever is of (ε, δ)-approximate DP can be made by somebody who sees,
        with that probability, a release of ε-DP alone, and else all (Kairouz, Oh and Viswanath
        2015, "The composition theorem for differential privacy").

    Compare rows of one guarantee, or rows by their exact δ and ε: the rules promise different
    things. Warns where a rule is used beyond its proof. Raises ValueError naming the argument, its
    value and what is allowed.

    >>> import ggexp
    >>> table = ggexp.noise_table(0.5, 0.01)
    >>> table[["order", "calibration", "sd"]].head(3).round(4).to_dict("split")["data"]
    [[1, 'adp-truncated', 2.3697], ['best', 'adp-exact', 2.5888], [1, 'adp-exact', 2.7191]]
    """
    checks.positive("epsilon", epsilon)
    checks.open_unit("delta", delta)
    rows = []
    for order, calibration, noise in _noises(epsilon, delta):
        exact_delta, exact_epsilon = _exact(noise, epsilon, delta)
        rows.append(
            {
                "order": order,
                "calibration": calibration,
                "scale": noise.scale,
                "sd": noise.sd,
                "exact_delta": exact_delta,
                "exact_epsilon": exact_epsilon,
                "advantage": advantage.of(epsilon=exact_epsilon, prior=None),
            }
        )
    return pd.DataFrame(rows).sort_values("sd", kind="stable", ignore_index=True)


def _noises(epsilon: float, delta: float) -> Iterator[tuple[float | str, str, Noise]]:
    """Yield order, rule and noise of each row."""
    for order in ORDERS:
        for name, rule in RULES.items():
            if rule.bound is not None and delta > MOST_WITH_BOUND:
                continue
            if rule.order in (None, order):
                yield order, name, Mechanism(order, name).noise(epsilon=epsilon, delta=delta)
    yield BEST, "adp-exact", best_order(epsilon=epsilon, delta=delta)


def _exact(noise: Noise, epsilon: float, delta: float) -> tuple[float, float]:
    """Return the smallest δ at this ε, and the smallest ε at this δ."""
    if isinstance(noise, TruncatedLaplace):
        # its loss is ε, or infinite with probability δ: the bound is the smallest with that
        return delta, epsilon
    of = {"order": noise.order, "scale": noise.scale}
    exact_delta = privacy_loss.delta(**of, epsilon=epsilon) + 0.0  # of Laplace noise it is -0.0
    return exact_delta, privacy_loss.epsilon(**of, delta=delta)
