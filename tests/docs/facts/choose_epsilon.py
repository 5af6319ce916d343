"""The ε needed for an error: docs/choose-epsilon.md."""

import pytest

from facts import fact
from ggexp import Mechanism, epsilon_for_error
from ggexp.guarantees import whole_sums
from ggexp.guarantees.table_error import table_error

N = 1841
CZECH = {"cells": 64, "confidence": 0.95}


@fact
def needed_before():
    """For 64 cells and 1841 records and each bound: ε, its advantage, ε with δ, ε if rescaled."""
    rows = [[None, None, None, 1e-4, None]]
    for percent in (5, 10, 20):
        arguments = CZECH | {"l1": percent * N / 100}
        pure = epsilon_for_error(**arguments)
        approximate = epsilon_for_error(**arguments, delta=1e-4)
        rescaled = epsilon_for_error(**arguments, rescale=True)
        # a δ this small saves almost nothing; rescaling needs a larger ε
        assert 0.99 * pure.epsilon < approximate.epsilon < pure.epsilon < rescaled.epsilon
        rows.append([percent, pure.epsilon, pure.advantage, approximate.epsilon, rescaled.epsilon])
    return rows


@fact
def needed_in_example():
    """The bound of the first row, rounded down to whole records."""
    needed = epsilon_for_error(**CZECH, l1=N / 20)
    errors = table_error(needed.noise, 64)
    records = errors.l1.upper_point(0.05)
    assert records <= N / 20 < records + 1
    return {"records": records}


@fact
def precision_of_sums():
    """The largest error of a tail probability."""
    return whole_sums.ERROR


@fact
def enough_at_every_epsilon():
    """At δ = 0.25: the largest noise, the 95 % point of the l1 error and the advantage at ε = 0."""
    needed = epsilon_for_error(**CZECH, l1=N / 20, delta=0.25)
    assert needed.epsilon == 0
    point = table_error(needed.noise, 64).l1.upper_point(0.05)
    for epsilon in (1e-6, 0.1, 1):
        noise = Mechanism(None, "adp-optimal").noise(epsilon=epsilon, delta=0.25)
        assert table_error(noise, 64).l1.upper_point(0.05) <= point
        assert noise.largest <= needed.noise.largest
    assert needed.noise.mean_absolute == pytest.approx(1)
    return {"largest": needed.noise.largest, "point": point, "advantage": needed.advantage}
