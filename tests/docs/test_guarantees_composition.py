"""The numbers that docs/guarantees.md says of many releases and queries."""

from math import sqrt

import numpy as np
import pytest
from printed import check, numbers, table, text
from scipy.special import ndtr
from scipy.stats import binom

from ggexp.guarantees import composition, queries

PAGE = "guarantees.md"
DELTAS = {"10⁻⁶": 1e-6, "10⁻³": 1e-3}


def test_composition():
    _, *rows = table(PAGE, "| k | basic | advanced |")
    assert len(rows) == 4
    for row in rows:
        k = int(row[0])
        found = (
            composition.basic(epsilon=0.1, delta=0, k=k)[0],
            composition.advanced(epsilon=0.1, delta=0, k=k, slack=1e-6)[0],
            composition.zcdp(rho=0.005, delta=1e-6, k=k),
            composition.exact(order=1, scale=10, k=k, delta=1e-6),
        )
        check(numbers(*row[1:]), found)


def test_largest_errors():
    _, *rows = table(PAGE, "| δ | k | Laplace, k/ε |")
    assert len(rows) == 6
    for row in rows:
        point = {"epsilon": 1, "delta": DELTAS[row[0]], "k": int(row[1])}
        check(numbers(*row[2:]), [queries.largest_error(way, **point) for way in queries.WAYS])


def test_crossings():
    said = text(PAGE)
    for ways, (one, other), sentence in (
        (
            ("laplace", "gaussian"),
            (12, 7),
            "from k = {} on at δ = 10⁻⁶, and from k = {} on at 10⁻³",
        ),
        (("laplace-exact", "gaussian-exact"), (8, 4), "then from k = {} and k = {} on"),
    ):
        found = [queries.crossing(*ways, epsilon=1, delta=delta) for delta in DELTAS.values()]
        assert found == [one, other]
        assert sentence.format(one, other) in said


def test_what_laplace_noise_gains():
    point = {"epsilon": 1, "delta": 1e-6, "k": 100}
    share = queries.scale("laplace-exact", **point) / queries.scale("laplace", **point)
    assert f"it needs {share:.2f} of its scale k/ε" in text(PAGE)
    errors = [queries.largest_error(way, **point) for way in ("laplace-exact", "gaussian-exact")]
    assert f"by a factor of {errors[0] / errors[1]:.2f} there" in text(PAGE)


def test_exercise_5_2():
    _, *rows = table(PAGE, "| n | 11 bins, data |")
    assert len(rows) == 3
    draws = 1_000_000
    noise = np.random.default_rng(1).laplace(0, 2, (4, draws)).sum(axis=0)
    for row in rows:
        n, *printed = map(int, row)
        for bins, data, release in ((11, *printed[:2]), (1001, *printed[2:])):
            share = 2 * (ndtr(1) - ndtr(1 - 4 / bins))  # two bins at each end, of width 2/bins
            assert binom.ppf(0.95, n, share) == data
            counts = np.random.default_rng(2).binomial(n, share, draws)
            # to 5 standard errors of that point, of a density above 0.05 sd
            sd = sqrt(n * share * (1 - share) + 32)
            found = np.quantile(counts + noise, 0.95)
            assert found == pytest.approx(
                release, abs=0.5 + 5 * sqrt(0.05 * 0.95 / draws) * 20 * sd
            )
