"""The private tree of tables: its choice, its cost, its fit, and the records drawn from it."""

import os
import subprocess
import sys
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import nnls
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.stats import chi2

from ggexp.mechanisms.mechanism import Mechanism
from ggexp.tables import tree
from ggexp.tables.joint import calibrate
from ggexp.tables.survey import Survey, non_negative

SIZES = {"a": 2, "b": 3, "c": 4, "d": 2}
GIVEN = pytest.mark.parametrize("given", [(), ("a",)])


def survey(records, seed=1):
    """Return records in which b follows a, c follows b, and d follows c."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, 2, records)]
    for size in [*SIZES.values()][1:]:
        copied = rng.random(records) < 0.7
        codes.append(np.where(copied, codes[-1] % size, rng.integers(0, size, records)))
    levels = {name: np.arange(size) for name, size in SIZES.items()}
    return Survey(levels, np.array(codes), np.ones(records, np.int64))


@cache
def noise(given, epsilon=1.0):
    tables, selections = tree.steps(len(SIZES), len(given))
    return calibrate(
        Mechanism(2, "adp-exact"),
        epsilon=epsilon,
        delta=1e-5,
        tables=tables,
        selections=selections,
        share=0.2,
    )


def test_non_negative_tables_are_the_nearest_that_a_full_table_has():
    """The other solver looks for non-negative counts of all combinations, as private-pgm does."""
    rng = np.random.default_rng(3)
    columns = [("a",), ("b",), ("c",), ("a", "b"), ("b", "c")]
    sizes = {name: SIZES[name] for name in "abc"}
    noisy = {c: rng.normal(2, 6, [sizes[name] for name in c]) for c in columns}
    variances = {c: float(len(c)) for c in columns}
    full = np.eye(np.prod([*sizes.values()])).reshape(-1, *sizes.values())
    rows, wanted = [], []
    for c, table in noisy.items():
        others = tuple(1 + i for i, name in enumerate(sizes) if name not in c)
        margins = full.sum(axis=others).reshape(len(full), -1).T
        rows.append(margins / np.sqrt(variances[c]))
        wanted.append(table.ravel() / np.sqrt(variances[c]))
    counts, _ = nnls(np.concatenate(rows), np.concatenate(wanted))
    assert min(table.min() for table in noisy.values()) < -3
    fitted = non_negative(noisy, variances)
    for c, margins in zip(columns, rows, strict=True):
        nearest = margins @ counts * np.sqrt(variances[c])
        np.testing.assert_allclose(fitted[c].ravel(), nearest, atol=0.05)


def test_private_pgm_fits_the_same_tables():
    """Its steps end within 0.02 of the tables with the smallest squared error."""
    stored = pd.read_csv(Path(__file__).parents[1] / "data/private_pgm.csv")
    tables = {
        tuple(columns.split()): rows[["noisy", "fitted"]].to_numpy().T
        for columns, rows in stored.groupby("columns", sort=False)
    }
    noisy = {c: table[0].reshape([SIZES[name] for name in c]) for c, table in tables.items()}
    assert min(table.min() for table in noisy.values()) < -10
    for c, table in non_negative(noisy, dict.fromkeys(noisy, 1.0)).items():
        np.testing.assert_allclose(table.ravel(), tables[c][1], atol=0.02)


def test_without_noise_the_tree_has_the_largest_scores():
    records = survey(5000)
    measured = tree.measure_tree(records, None, np.random.default_rng(1))
    singles = {(name,): records.count((name,)) for name in SIZES}
    scores = np.zeros((4, 4))
    for i, j in combinations(range(4), 2):
        edge = (records.names[i], records.names[j])
        predicted = np.outer(singles[edge[:1]], singles[edge[1:]]) / 5000
        scores[i, j] = np.abs(records.count(edge) - predicted).sum()
    heaviest = minimum_spanning_tree(-scores).toarray()
    expected = {(records.names[i], records.names[j]) for i, j in np.argwhere(heaviest < 0)}
    assert {*measured.edges} == expected == {("a", "b"), ("b", "c"), ("c", "d")}


@GIVEN
def test_drawn_records_have_the_product_of_the_tables(given):
    """The product of the edges' tables over those of the inner nodes, for all combinations."""
    measured = tree.measure_tree(survey(50_000), None, np.random.default_rng(2), given=given)
    axes = {name: "abcd".index(name) for name in SIZES}
    names = measured.survey.names

    def spread(columns):
        table = measured.tables[tuple(name for name in names if name in columns)]
        shape = [SIZES[name] if name in columns else 1 for name in axes]
        return table.reshape(shape)

    edges = [(*given, *edge) for edge in measured.edges]
    product = spread(edges[0])
    for parent, child in measured.edges[1:]:
        alone = spread((*given, parent, child)).sum(axis=axes[child], keepdims=True)
        product = product * spread((*given, parent, child)) / alone
    codes = measured.draw(np.random.default_rng(5))
    drawn = Survey(measured.survey.levels, codes, np.ones(codes.shape[1], np.int64))
    counts = drawn.count(tuple(names))
    assert counts.sum() == 50_000 == pytest.approx(product.sum())
    assert np.abs(counts - product).sum() / 50_000 < 0.025
    for columns, table in measured.tables.items():
        assert np.abs(drawn.count(columns) - table).sum() < 150


@GIVEN
def test_one_record_changes_a_score_by_at_most_1(given):
    rng = np.random.default_rng(4)
    changes = []
    for seed in range(40):
        records = survey(12, seed)
        added = [rng.integers(0, size) for size in SIZES.values()]
        codes = np.column_stack([records.codes, added])
        longer = Survey(records.levels, codes, np.ones(13, np.int64))
        nodes = [name for name in SIZES if name not in given]
        singles = {
            c: np.abs(records.count(c) + rng.normal(0, 2, records.shape(c)))
            for c in [tree._ordered(records, (*given, name)) for name in nodes]
        }
        for edge in combinations(nodes, 2):
            scores = [tree._score(r, given, edge, singles, noise(())) for r in (records, longer)]
            changes.append(abs(scores[1] - scores[0]))
    assert max(changes) == pytest.approx(1.0)


def test_edges_are_chosen_with_the_probabilities_of_the_exponential_mechanism():
    """The false-alarm probability is 1e-6; twice the ε is rejected."""
    scores, times = np.array([3.0, 5.0, 6.0]), 4000
    joint, rng = noise((), epsilon=9.0), np.random.default_rng(6)
    chosen = [tree._choose(scores, joint, rng) for _ in range(times)]
    limit = chi2.isf(1e-6, 2)
    for factor, is_right in ((0.5, True), (1.0, False)):
        weights = np.exp(factor * joint.selection_epsilon * scores)
        expected = times * weights / weights.sum()
        statistic = np.sum((np.bincount(chosen, minlength=3) - expected) ** 2 / expected)
        assert (statistic < limit) == is_right


@GIVEN
def test_the_tree_spends_what_it_states(given, monkeypatch):
    records, joint = survey(2000), noise(given)
    sizes, chosen = [], []
    sample, choose = type(joint.noise).sample, tree._choose
    monkeypatch.setattr(type(joint.noise), "sample", lambda *a: sizes.append(a[2]) or sample(*a))
    monkeypatch.setattr(tree, "_choose", lambda *a: chosen.append(a[1]) or choose(*a))
    measured = tree.measure_tree(records, joint, np.random.default_rng(1), given=given)
    assert len(sizes) == joint.tables == len(measured.tables)
    assert chosen == [joint] * joint.selections
    assert sum(sizes) == sum(np.prod(records.shape(c)) for c in measured.tables)
    assert joint.delta(1.0) <= 1e-5


def test_every_process_has_the_same_bits():
    """The order of a set of texts differs between processes."""
    code = (
        "import numpy as np; from ggexp.tables.survey import consistent;"
        "rng = np.random.default_rng(1); names = 'abcd';"
        "pairs = [(x, y) for x in names for y in names if x < y];"
        "noisy = {p: rng.normal(size=(3, 3)) for p in pairs};"
        "fitted = consistent(noisy, dict.fromkeys(pairs, 1.0));"
        "print([table.tobytes().hex() for table in fitted.values()])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
