"""Consistent tables: least squares, accurate margins, and the same bits in each process."""

import os
import sys
from itertools import combinations

import numpy as np
import pytest
from conftest import ran

from ggexp.datasets.declared import workload
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.tables.consistency import consistent, margin

SIZES = {"a": 2, "b": 3, "c": 4}
WAYS = {
    "two-way": [*combinations(SIZES, 2)],
    "overlapping": [("a", "b"), ("b", "c"), ("b",)],
    "nested": [("a", "b", "c"), ("a",), ("c",)],
    "disjoint": [("a", "b"), ("c",)],
}


@pytest.mark.parametrize("weights", [[1, 1, 1], [1, 9, 25]], ids=str)
@pytest.mark.parametrize("tables", WAYS.values(), ids=WAYS)
def test_consistent_tables_are_the_nearest_margins_of_a_full_table(tables, weights):
    """The other solver fits the counts of all combinations, which may be negative."""
    rng = np.random.default_rng(3)
    noisy = {c: rng.normal(2, 6, [SIZES[name] for name in c]) for c in tables}
    variances = dict(zip(tables, map(float, weights), strict=False))
    full = np.eye(np.prod([*SIZES.values()])).reshape(-1, *SIZES.values())
    sums = {
        c: full.sum(axis=tuple(1 + i for i, name in enumerate(SIZES) if name not in c))
        .reshape(len(full), -1)
        .T
        for c in tables
    }
    rows = np.concatenate([sums[c] / np.sqrt(variances[c]) for c in tables])
    wanted = np.concatenate([noisy[c].ravel() / np.sqrt(variances[c]) for c in tables])
    counts, *_ = np.linalg.lstsq(rows, wanted)
    fitted = consistent(noisy, variances)
    for c in tables:
        assert fitted[c].ravel() == pytest.approx(sums[c] @ counts)
        assert np.abs(fitted[c] - noisy[c]).max() > 0.1


def test_the_order_of_the_columns_does_not_matter():
    rng = np.random.default_rng(4)
    noisy = {c: rng.normal(2, 6, [SIZES[name] for name in c]) for c in WAYS["two-way"]}
    turned = {c[::-1] if c == ("b", "c") else c: table for c, table in noisy.items()}
    turned["c", "b"] = turned["c", "b"].T
    fitted, other = consistent(noisy), consistent(turned)
    assert pytest.approx(fitted.pop(("b", "c"))) == other.pop(("c", "b")).T
    assert other == {c: pytest.approx(table) for c, table in fitted.items()}


@pytest.fixture(scope="module")
def adult(adult_histogram):
    """The two-way tables of the paper's training records of Adult, by their columns."""
    tables, training = {}, adult_histogram.table
    for columns in workload([*training.factors], [["two-way"]]):
        table = training.margin(columns).completed()
        tables[columns] = table.counts.reshape(table.shape).astype(float)
    return tables


@pytest.mark.parametrize(
    ("order", "rule", "epsilon", "delta"),
    [(None, "pure-integer", 0.5, None), (1, "pure", 2, None), (2, "adp-exact", 1, 1e-6)],
)
def test_margins_of_adult_become_three_times_as_accurate(adult, order, rule, epsilon, delta):
    """Of all 91 two-way tables; a margin that is not consistent is that of one of them."""
    noise = Mechanism(order, rule).noise(epsilon=epsilon, delta=delta, cells=len(adult))
    rng = np.random.default_rng(1)
    noisy = {c: t + noise.sample(rng, t.size).reshape(t.shape) for c, t in adult.items()}
    first = {name: columns for columns in reversed(adult) for name in columns}

    def error(tables):
        return np.mean(
            [np.abs(margin(tables[c] - adult[c], c, (name,))).sum() for name, c in first.items()]
        )

    assert len(adult) == 91
    assert 3 * error(consistent(noisy)) < error(noisy)


def test_every_process_has_the_same_bits():
    """The order of a set of texts differs between processes."""
    code = (
        "import numpy as np; from ggexp.tables.consistency import consistent;"
        "rng = np.random.default_rng(1); names = 'abcd';"
        "pairs = [(x, y) for x in names for y in names if x < y];"
        "noisy = {p: rng.normal(size=(3, 3)) for p in pairs};"
        "fitted = consistent(noisy, dict.fromkeys(pairs, 1.0));"
        "print([table.tobytes().hex() for table in fitted.values()])"
    )
    printed = {
        ran(sys.executable, "-c", code, env={**os.environ, "PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
