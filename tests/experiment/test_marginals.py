"""Marginals, compared with tables from pandas."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from ggexp.experiment.marginals import Marginals


def cells(size=60, seed=2):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.choice([1.5, 2.5, 9.0], size),
            "sex": rng.choice(["f", "m"], size),
            "work": rng.choice(list("abcde"), size),
        }
    ).drop_duplicates(ignore_index=True)
    return table, rng.integers(0, 9, len(table)), rng.gamma(1, 3, len(table))


def by_pandas(table, original, released, names):
    """Return ½ Σ |f* - f| of a marginal, computed by pandas."""
    shares = [
        table.assign(w=counts / counts.sum()).groupby([*names])["w"].sum()
        for counts in (original, released)
    ]
    return (shares[0] - shares[1]).abs().sum() / 2


def test_every_marginal_of_one_and_two_attributes():
    table, original, released = cells()
    marginals = Marginals(table)
    names = [*combinations(table, 1), *combinations(table, 2)]
    assert marginals.names == names
    assert list(marginals.ways) == [1, 1, 1, 2, 2, 2]
    errors = marginals.errors(original, [released, 3 * original])
    expected = [by_pandas(table, original, released, marginal) for marginal in names]
    np.testing.assert_allclose(errors[0], expected, rtol=1e-12)
    np.testing.assert_allclose(errors[1], 0, atol=1e-15)  # more records with the same shares
    assert len(set(np.round(expected, 6))) == 6


def test_without_records_the_distance_is_1():
    table = pd.DataFrame({"a": ["x", "y"]})
    np.testing.assert_array_equal(Marginals(table).errors(np.array([1, 1]), [np.zeros(2)]), [[1]])
    with pytest.raises(ValueError, match=r"original must have .*, got 0"):
        Marginals(table).errors(np.zeros(2, dtype=int), [np.ones(2)])
