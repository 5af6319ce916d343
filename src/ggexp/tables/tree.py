"""A tree of two-way tables, chosen privately, as a model of records.

Each column is a node, and an edge is a table of its two columns. If columns are *given*, every
table contains them too. The model is the product of the edges' tables over those of the inner nodes
(Chow and Liu 1968; McKenna, Miklau and Sheldon 2021). Three steps are private: the tables of the
nodes, the choice of the edges by the exponential mechanism, and the tables of the edges.

The exponential mechanism scores an edge by the l1 distance between its true table and its
prediction from *noisy* tables of the nodes, minus the expected l1 error of its noise. A record more
or less changes one cell of the true table by 1, and nothing else. Therefore the score changes by at
most 1, and probabilities proportional to exp(ε score/2) satisfy ε-DP (CS208 notes, section on the
exponential mechanism).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggexp.tables.joint import JointNoise
from ggexp.tables.survey import Columns, Survey, consistent, margin, nearest_counts, non_negative

Floats = NDArray[np.float64]
#: The trees of an experiment -> whether all their tables contain the target of the classifier.
TREES = {"tree": False, "tree-of-target": True}
EMPTY = 1e-9  #: added to counts, so that a parent without records has children too


@dataclass(frozen=True)
class Tree:
    """A tree of tables, and records drawn from it.

    tables: non-negative and consistent, by their columns in the order of the survey's.
    edges: parent and child, each parent after the edge to itself. given: columns of all tables.
    """

    survey: Survey
    given: Columns
    tables: Mapping[Columns, Floats]
    edges: Sequence[tuple[str, str]]

    def draw(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the codes of records drawn from the model, of shape columns x records.

        Their number is the total of the tables. Of the records with equal values of the parent and
        the given columns, each value of the child gets its share, rounded at random.
        """
        conditions = (*self.given, self.edges[0][0])
        first = self._table(conditions)
        counts = _whole(first.ravel(), max(1, round(first.sum())), rng)
        places = np.repeat(np.arange(first.size), counts)
        codes = dict(zip(conditions, np.unravel_index(places, first.shape), strict=True))
        for parent, child in self.edges:
            conditions = (*self.given, parent)
            table = self._table((*conditions, child))
            rows = table.reshape(-1, table.shape[-1])
            places = np.ravel_multi_index([codes[name] for name in conditions], table.shape[:-1])
            codes[child] = np.empty_like(places)
            for place in np.unique(places):
                records = np.flatnonzero(places == place)
                counts = _whole(rows[place], len(records), rng)
                codes[child][records] = rng.permutation(np.repeat(np.arange(len(counts)), counts))
        return np.array([codes[name] for name in self.survey.names], np.int64)

    def _table(self, columns: Columns) -> Floats:
        """Return the table with its axes in the order of these columns."""
        held = _ordered(self.survey, columns)
        return self.tables[held].transpose([held.index(name) for name in columns])


def steps(columns: int, given: int = 0) -> tuple[int, int]:
    """Return the numbers of tables and of selections of a tree of so many columns."""
    nodes = columns - given
    return 2 * nodes - 1, nodes - 1


def measure_tree(
    survey: Survey, joint: JointNoise | None, rng: np.random.Generator, *, given: Columns = ()
) -> Tree:
    """Return a tree of noisy tables, which satisfies the guarantee of the joint noise.

    joint: for `steps` tables and selections; None for a tree without noise.
    """
    nodes = [name for name in survey.names if name not in given]
    noisy: dict[Columns, Floats] = {}

    def add(*names: str) -> None:
        columns = _ordered(survey, (*given, *names))
        table = survey.count(columns)
        draws = np.zeros(table.size) if joint is None else joint.noise.sample(rng, table.size)
        noisy[columns] = table + draws.reshape(table.shape)

    for name in nodes:
        add(name)
    singles = {columns: nearest_counts(table) for columns, table in consistent(noisy).items()}
    reached, edges = nodes[:1], list[tuple[str, str]]()
    scores: dict[Columns, float] = {}  # they do not depend on the edges chosen before
    while len(reached) < len(nodes):
        open_edges = [(old, new) for old in reached for new in nodes if new not in reached]
        for edge in open_edges:
            if edge not in scores:
                scores[edge] = _score(survey, given, edge, singles, joint)
        listed = np.array([scores[edge] for edge in open_edges])
        edges.append(open_edges[_choose(listed, joint, rng)])
        reached.append(edges[-1][1])
        add(*edges[-1])
    return Tree(survey, given, non_negative(noisy), edges)


def _choose(scores: Floats, joint: JointNoise | None, rng: np.random.Generator) -> int:
    """Return the index that the exponential mechanism chooses, or that of the largest score."""
    if joint is not None:
        scores = joint.selection_epsilon * scores / 2 + rng.gumbel(size=len(scores))
    return int(np.argmax(scores))


def _score(
    survey: Survey,
    given: Columns,
    edge: Columns,
    singles: Mapping[Columns, Floats],
    joint: JointNoise | None,
) -> float:
    """Return the distance of an edge's true table from its prediction, minus its expected error.

    The error of normal noise is expected, which the sum of many cells does not distinguish from
    that of other noise.
    """
    columns = _ordered(survey, (*given, *edge))
    first, second = (
        np.expand_dims(
            singles[_ordered(survey, (*given, name))],
            tuple(axis for axis, other in enumerate(columns) if other not in (*given, name)),
        )
        for name in edge
    )
    base = margin(first, columns, given)
    predicted = first * second / np.where(base > 0, base, 1)
    expected = 0.0 if joint is None else predicted.size * np.sqrt(2 / np.pi) * joint.noise.sd
    return float(np.abs(survey.count(columns) - predicted).sum() - expected)


def _ordered(survey: Survey, columns: Columns) -> Columns:
    """Return the columns in the order of the survey."""
    return tuple(name for name in survey.names if name in columns)


def _whole(shares: Floats, total: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return whole numbers with this total in proportion to the shares, with random remainders."""
    expected = (shares + EMPTY) / (shares + EMPTY).sum() * total
    whole = np.floor(expected).astype(np.int64)
    if missing := total - int(whole.sum()):
        rest = expected - whole
        whole[rng.choice(len(shares), missing, replace=False, p=rest / rest.sum())] += 1
    return whole
