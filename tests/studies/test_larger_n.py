"""The study of the larger n: its tables, and what it describes of made-up errors."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, load_study

larger_n = load_study("larger_n")


@pytest.mark.parametrize("n", [70, 71, 1841])
def test_multiplied(n):
    counts = pd.read_csv(ROOT / "data/mildew.csv")["count"].to_numpy()
    found = larger_n.multiplied(counts, n)
    assert found.sum() == n
    assert (np.abs(found - counts * n / 70) < 1).all()
    assert ((found > 0) == (counts > 0)).all()


def test_thinned():
    counts = np.array([100, 50, 0, 10])
    rng = np.random.default_rng(1)
    drawn = np.array([larger_n.thinned(counts, 16, rng) for _ in range(4000)])
    assert (drawn.sum(axis=1) == 16).all()
    # the standard errors are at most 0.03: 0.15 is exceeded once in a million runs
    assert drawn.mean(axis=0) == pytest.approx([10, 5, 0, 1], abs=0.15)


def test_described():
    """Errors of 8, 4, 3 at the three ε, which are 4 times as large at the smallest δ."""
    rows = [
        ("gaussian-pdp", epsilon, delta, factor * l1, factor * l1, factor * sd, 100)
        for delta, factor in ((0.01, 4), (0.25, 1))
        for epsilon, l1, sd in ((0.5, 8, 3), (1.0, 4, 2), (2.0, 3, 1))
    ]
    columns = ["mechanism", "epsilon", "delta", "l1_mean", "kl_mean", "l1_std", "n"]
    found = larger_n.described(pd.DataFrame(rows, columns=columns))
    assert found == {
        "l1/n, %": (3, 32),
        "l1 left, ε": (3 / 8, 3 / 8),
        "l1 left, δ": (1 / 4, 1 / 4),
        "falls, l1": (4, 4),
        "falls, KL": (4, 4),
        "sd, 0.5 : 1": (1.5, 1.5),
    }
