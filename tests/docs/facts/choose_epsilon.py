"""The ε that an error needs, and the errors of two tables at it: docs/choose-epsilon.md."""

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


def within(counts, noise, bound, rescale):
    """The mean l1 error of many releases of a table, and the share within a bound."""
    rng = np.random.default_rng(20261123)
    if rescale:
        released = sanitize_times(counts, noise, rng, times=RELEASES)
    else:
        drawn = noise.sample(rng, RELEASES * counts.size).reshape(RELEASES, -1)
        released = np.maximum(counts + drawn, 0)
    errors = np.abs(released - counts).sum(axis=1)
    return np.mean(errors), np.mean(errors <= bound)


@fact
def needed_before():
    """Of 64 cells and 1841 records: for each bound ε, its advantage, ε with δ, ε if rescaled."""
    rows = [[None, None, None, 1e-4, None]]
    for percent in (5, 10, 20):
        asked = CZECH | {"l1": percent * N / 100}
        pure = epsilon_for_error(**asked)
        approximate = epsilon_for_error(**asked, delta=1e-4)
        rescaled = epsilon_for_error(**asked, rescale=True)
        # so small a δ buys nothing, rescaling costs some
        assert 0.99 * pure.epsilon < approximate.epsilon < pure.epsilon < rescaled.epsilon
        rows.append([percent, pure.epsilon, pure.advantage, approximate.epsilon, rescaled.epsilon])
    return rows


@fact
def needed_in_example():
    """The ε of the first row, its advantage, and the whole records that its bound allows."""
    needed = epsilon_for_error(**CZECH, l1=N / 20)
    errors = table_error(needed.noise, 64)
    records = errors.l1.point(0.05)
    assert records <= N / 20 < records + 1
    return {"epsilon": needed.epsilon, "advantage": needed.advantage, "records": records}


@fact
def precision_of_sums():
    """The largest error of a tail."""
    return whole_sums.ERROR


@fact
def needed_of_cells():
    """For each number of cells the ε at which the error is one record a cell, or ten anywhere."""
    rows = [[None, None, 1e-4, None, 1e-4]]
    for cells in (64, 10**4, 10**6):
        asked = {"cells": cells, "confidence": 0.95}
        rows.append(
            [
                cells,
                *(
                    epsilon_for_error(**asked, **bound, delta=delta).epsilon
                    for bound in ({"l1": cells}, {"max_error": 10})
                    for delta in (None, 1e-4)
                ),
            ]
        )
    return rows


@fact
def errors_at_needed():
    """The mean l1 error and the share within the bound, of the Czech table and of mildew."""
    rows = []
    for rescale in (False, True):
        needed = epsilon_for_error(**CZECH, l1=N / 20, rescale=rescale)
        for name in ("czech", "mildew"):
            counts = pd.read_csv(ROOT / f"data/{name}.csv")["count"].to_numpy()
            mean, share = within(counts, needed.noise, N / 20, rescale)
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
    """At δ = 0.25: the largest noise, E|e| and the 95 % point of the l1 error as ε goes to 0."""
    needed = epsilon_for_error(**CZECH, l1=N / 20, delta=0.25)
    assert needed.epsilon == 0
    point = table_error(needed.noise, 64).l1.point(0.05)
    for epsilon in (1e-6, 0.1, 1):
        noise = Mechanism(None, "adp-optimal").noise(epsilon=epsilon, delta=0.25)
        assert table_error(noise, 64).l1.point(0.05) <= point
        assert noise.largest <= needed.noise.largest
    assert needed.noise.mean_absolute == pytest.approx(1)
    return {"largest": needed.noise.largest, "point": point, "advantage": needed.advantage}
