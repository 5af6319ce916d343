"""The audit of releases of two and three tables; it knows only released counts."""

import numpy as np
import pytest

from ggexp.companions import audit
from ggexp.mechanisms.guarantee import Guarantee
from ggexp.mechanisms.mechanism import Mechanism

ERROR = 1e-6  #: the probability that a bound of a sufficient noise is wrong
#: The guarantee, the mechanism, its δ, and the statistic of the changed cells that shows most.
CASES = {
    "geometric": (Guarantee.PURE, (None, "pure-integer"), None, np.min),
    "optimal": (Guarantee.APPROXIMATE, (None, "adp-optimal"), 0.05, np.min),
    "discrete": (Guarantee.APPROXIMATE, (2, "adp-exact-integer"), 0.05, np.mean),
    "gaussian": (Guarantee.APPROXIMATE, (2, "adp-exact"), 0.05, np.mean),
}


def epsilon_low(guarantee, noise, delta, statistic, tables):
    """Return a lower bound on the ε of the counts of one cell of each table, which all change."""

    def release(counts, rng, times):
        drawn = noise.sample(rng, times * tables).reshape(times, tables)
        return np.maximum(counts + drawn, 0)

    before = np.full(tables, 40)
    cuts = np.arange(20, 61) + 0.5
    tallied = audit.tally(
        release,
        (before, before + 1),
        cuts,
        releases=400_000,
        rng=np.random.default_rng(tables),
        statistic=lambda released: statistic(released, axis=1),
    )
    return audit.bound(tallied, guarantee, delta=delta, error=ERROR)


@pytest.mark.parametrize(
    ("case", "tables"), [("geometric", 2), ("optimal", 3), ("discrete", 2), ("gaussian", 3)]
)
def test_the_audit_finds_no_violation_and_detects_noise_for_fewer_tables(case, tables):
    guarantee, mechanism, delta, statistic = CASES[case]
    found = [
        epsilon_low(guarantee, noise, delta, statistic, tables)
        for number in (tables, tables - 1)
        for noise in [Mechanism(*mechanism).noise(epsilon=1, delta=delta, cells=number)]
    ]
    assert found[0] <= 1 < found[1]
    assert found[0] > 0.8  # the audit is close to the guarantee
