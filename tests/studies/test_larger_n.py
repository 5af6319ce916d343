"""The study of the larger n: its tables, and the ranges that it computes from made-up errors."""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, load_study

larger_n = load_study("larger_n")


@pytest.mark.parametrize("n", [70, 71, 1841])
def test_scaled_to(n):
    counts = pd.read_csv(ROOT / "data/mildew.csv")["count"].to_numpy()
    scaled = larger_n.scaled_to(counts, n)
    assert scaled.sum() == n
    assert (np.abs(scaled - counts * n / 70) < 1).all()
    assert ((scaled > 0) == (counts > 0)).all()


def test_drawn_from():
    counts = np.array([100, 50, 0, 10])
    rng = np.random.default_rng(1)
    drawn = np.array([larger_n.drawn_from(counts, 16, rng) for _ in range(4000)])
    assert (drawn.sum(axis=1) == 16).all()
    # standard errors are at most 0.03, therefore 0.15 is exceeded once in a million runs
    assert drawn.mean(axis=0) == pytest.approx([10, 5, 0, 1], abs=0.15)


def test_described():
    """The errors are 8, 4 and 3 at the three ε, and four times as large at the smallest δ."""
    rows = [
        ("gaussian-pdp", epsilon, delta, factor * l1, factor * l1, factor * sd, 100)
        for delta, factor in ((0.01, 4), (0.25, 1))
        for epsilon, l1, sd in ((0.5, 8, 3), (1.0, 4, 2), (2.0, 3, 1))
    ]
    columns = ["mechanism", "epsilon", "delta", "l1_mean", "kl_mean", "l1_std", "n"]
    ranges = larger_n.ranges(pd.DataFrame(rows, columns=columns))
    assert ranges == {
        "l1/n, %": (3, 32),
        "l1, ε = 2 : 0.5": (3 / 8, 3 / 8),
        "l1, δ = 0.25 : 0.01": (1 / 4, 1 / 4),
        "decreases of l1": (4, 4),
        "decreases of KL": (4, 4),
        "sd of l1, ε = 0.5 : 1": (1.5, 1.5),
    }
