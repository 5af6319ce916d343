"""Consistent tables: least squares, accurate margins, and the same bits in each process."""

import os
import sys
from itertools import combinations

import numpy as np
import pytest
from conftest import PAPER, ran

from ggexp.datasets.declared import workload
from ggexp.datasets.layout import RecordsSettings
from ggexp.datasets.records import read_histogram
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.tables.consistency import consistent, margin

SIZES = {"a": 2, "b": 3, "c": 4}
WAYS = {
    "two-way": [*combinations(SIZES, 2)],
    "overlapping": [("a", "b"), ("b", "c"), ("b",)],
    "nested": [("a", "b", "c"), ("a",), ("c",)],
    "disjoint": [("a", "b"), ("c",)],
}


def test_consistent_tables_are_the_nearest_margins_of_a_full_table():
    """The other solver fits the counts of all combinations, which may be negative."""
    rng = np.random.default_rng(3)
    columns = [("a",), ("b",), ("a", "b"), ("b", "c")]
    noisy = {c: rng.normal(2, 6, [SIZES[name] for name in c]) for c in columns}
    variances = {c: float(i) for i, c in enumerate(columns, 1)}
    full = np.eye(np.prod([*SIZES.values()])).reshape(-1, *SIZES.values())
    sums = {
        c: full.sum(axis=tuple(1 + i for i, name in enumerate(SIZES) if name not in c))
        .reshape(len(full), -1)
        .T
        for c in columns
    }
    rows = np.concatenate([sums[c] / np.sqrt(variances[c]) for c in columns])
    wanted = np.concatenate([noisy[c].ravel() / np.sqrt(variances[c]) for c in columns])
    counts, *_ = np.linalg.lstsq(rows, wanted)
    fitted = consistent(noisy, variances)
    for c in columns:
        assert fitted[c].ravel() == pytest.approx(sums[c] @ counts)
        assert np.abs(fitted[c] - noisy[c]).max() > 0.1


@pytest.mark.parametrize("weights", [[1, 1, 1], [1, 9, 25]])
@pytest.mark.parametrize("tables", WAYS.values(), ids=WAYS)
def test_no_standard_deviation_becomes_larger(tables, weights):
    """The tables are a linear function of the noise, whose matrix is found from unit vectors."""
    variances = dict(zip(tables, map(float, weights), strict=False))
    shapes = {columns: [SIZES[name] for name in columns] for columns in tables}
    sizes = [int(np.prod(shape)) for shape in shapes.values()]
    parts = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    rows = []
    for noise in zip(*parts, strict=True):
        noisy = {
            columns: part.reshape(shape)
            for (columns, shape), part in zip(shapes.items(), noise, strict=True)
        }
        rows.append(
            np.concatenate([table.ravel() for table in consistent(noisy, variances).values()])
        )
    before = np.repeat([*variances.values()], sizes)
    after = before @ np.square(rows)
    assert (after <= before * (1 + 1e-12)).all()
    assert after.min() < 0.99 * before.max()  # the total at least is better known


def test_the_order_of_the_columns_does_not_matter():
    rng = np.random.default_rng(4)
    noisy = {c: rng.normal(2, 6, [SIZES[name] for name in c]) for c in WAYS["two-way"]}
    turned = {c[::-1] if c == ("b", "c") else c: table for c, table in noisy.items()}
    turned["c", "b"] = turned["c", "b"].T
    fitted, other = consistent(noisy), consistent(turned)
    assert pytest.approx(fitted.pop(("b", "c"))) == other.pop(("c", "b")).T
    assert other == {c: pytest.approx(table) for c, table in fitted.items()}


@pytest.fixture(scope="module")
def adult(adult_data):
    """The two-way tables of the paper's training records of Adult, by their columns."""
    settings = PAPER["histograms"]["adult"]["records"]
    layout = RecordsSettings.read(settings, "adult")
    histogram = read_histogram(adult_data, layout, dataset="adult", seed=1)
    tables = {}
    for columns in workload([*histogram.table.factors], [["two-way"]]):
        table = histogram.table.margin(columns).completed()
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
