"""The ε needed for an error, and the errors of two tables at this ε: docs/choose-epsilon.md."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from facts import fact
from ggexp import Mechanism, epsilon_for_error
from ggexp.guarantees import whole_sums
from ggexp.guarantees.table_error import table_error
from ggexp.releases.sanitize import sanitize_times

N = 1841
CZECH = {"cells": 64, "confidence": 0.95}
RELEASES = 20_000


def errors_of_releases(counts, noise, bound, rescale):
    """Return the mean l1 error of many releases of a table, and the share within a bound."""
    rng = np.random.default_rng(20261123)
    if rescale:
        released = sanitize_times(counts, noise, rng, times=RELEASES, total=counts.sum())
    else:
        drawn = noise.sample(rng, RELEASES * counts.size).reshape(RELEASES, -1)
        released = np.maximum(counts + drawn, 0)
    errors = np.abs(released - counts).sum(axis=1)
    return np.mean(errors), np.mean(errors <= bound)


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
    """The ε of the first row, its advantage, and its bound rounded down to whole records."""
    needed = epsilon_for_error(**CZECH, l1=N / 20)
    errors = table_error(needed.noise, 64)
    records = errors.l1.upper_point(0.05)
    assert records <= N / 20 < records + 1
    return {"epsilon": needed.epsilon, "advantage": needed.advantage, "records": records}


@fact
def precision_of_sums():
    """The largest error of a tail probability."""
    return whole_sums.ERROR


@fact
def needed_of_cells():
    """For each number of cells, the ε for an l1 error of 1 per cell, or a largest error of 10."""
    rows = [[None, None, 1e-4, None, 1e-4]]
    for cells in (64, 10**4, 10**6):
        arguments = {"cells": cells, "confidence": 0.95}
        rows.append(
            [
                cells,
                *(
                    epsilon_for_error(**arguments, **bound, delta=delta).epsilon
                    for bound in ({"l1": cells}, {"max_error": 10})
                    for delta in (None, 1e-4)
                ),
            ]
        )
    return rows


@fact
def errors_at_needed():
    """The mean l1 error and the share of releases within the bound, for Czech and mildew."""
    rows = []
    for rescale in (False, True):
        needed = epsilon_for_error(**CZECH, l1=N / 20, rescale=rescale)
        for name in ("czech", "mildew"):
            counts = pd.read_csv(ROOT / f"data/{name}.csv")["count"].to_numpy()
            mean, share = errors_of_releases(counts, needed.noise, N / 20, rescale)
            assert mean < needed.expected
            rows.append(
                [
                    {"czech": "Czech", "mildew": "mildew"}[name],
                    "yes" if rescale else "no",
                    needed.epsilon,
                    needed.expected,
                    mean,
                    100 * share,
                ]
            )
    return rows


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
