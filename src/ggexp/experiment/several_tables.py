"""Errors of several tables, and the accuracy of a classifier trained on records made from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.datasets.domain import Domain
from ggexp.mechanisms.calibration import BEST
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.progress import log_progress
from ggexp.releases.kinds import KINDS, STABILITY
from ggexp.releases.point import GridPoint
from ggexp.streams import stream
from ggexp.tables.joint import JointNoise, calibrate
from ggexp.tables.survey import LISTED, Columns, Survey, consistent, nearest_counts, workload
from ggexp.tables.tree import TREES, measure_tree, steps

#: The name of the records themselves, and the mechanism of tables without noise.
ORIGINAL, NOISELESS = "original", "noiseless"
NUMBERS = {1: "one_way", 2: "two_way", 3: "three_way"}


@dataclass(frozen=True, eq=False)
class Subject:
    """What is published about, and how the result is used.

    test: the codes of test records, columns x records. target: the column that a classifier
    predicts; None for no classifier. listed: the columns of the tables of the workload `LISTED`.
    """

    survey: Survey
    test: NDArray[np.int64]
    target: str | None
    listed: Sequence[Sequence[str]] = ()

    @classmethod
    def of(
        cls,
        domain: Domain,
        cells: pd.DataFrame,
        test: pd.DataFrame,
        target: str | None,
        listed: Sequence[Sequence[str]] = (),
    ) -> "Subject":
        """Return the subject for the cells and the test records of a histogram."""
        return cls(Survey.of(domain, cells), Survey.of(domain, test).codes, target, listed)

    def workload(self, name: str) -> list[Columns]:
        """Return the columns of each table of a workload."""
        return workload(self.survey.names, self.listed if name == LISTED else name)

    def joint(self, name: str, mechanism: Mechanism, point: GridPoint, share: float) -> JointNoise:
        """Return the noise of what is published under this name. share: of the selections."""
        columns = len(self.survey.names)
        tables, selections = 1, 0
        if name in TREES:
            tables, selections = steps(columns, given=int(TREES[name]))
        elif name not in KINDS:
            tables = len(self.workload(name))
        if mechanism.order == BEST and selections:  # not searched again for each tried budget
            order = mechanism.order_at((1 - share) * point.epsilon, point.delta, tables)
            mechanism = Mechanism(order, mechanism.calibration)
        return calibrate(
            mechanism,
            epsilon=point.epsilon,
            delta=point.delta,
            tables=tables,
            selections=selections,
            share=share,
        )

    def measure(
        self,
        name: str,
        joint: JointNoise | None,
        delta: float | None,
        *,
        key: str,
        seed: int,
        repeats: int,
    ) -> pd.DataFrame:
        """Return the errors of what is published, a row for each repeat and method.

        joint: None for tables without noise. delta: of a release with stability. key: determines
        the random streams, with the seed and the repeat.

        The columns are method (what is published, and what is measured of it), repeat, the mean and
        the largest total variation distance from the true tables of one to three columns, as a
        share of the records, accuracy, and the sd of the noise. A missing number does not exist.
        """
        rows = []
        for repeat in log_progress(range(repeats), f"repeats of {name}"):
            rng = stream(seed, f"{name} of {key}", repeat)
            for part, numbers in self._published(name, joint, delta, rng):
                rows.append({"method": f"{name} {part}".strip(), "repeat": repeat, **numbers})
        ways = [column for way in NUMBERS.values() for column in (way, f"{way}_largest")]
        columns = ["method", "repeat", *ways, "accuracy"]
        return pd.DataFrame(rows, columns=columns).assign(sd=joint.noise.sd if joint else 0.0)

    def _published(
        self, name: str, joint: JointNoise | None, delta: float | None, rng: np.random.Generator
    ) -> Iterator[tuple[str, dict[str, float]]]:
        """Yield the parts of one publication, with their errors and perhaps an accuracy."""
        if name == ORIGINAL:
            yield "", self._of_records(self.survey)
        elif name in TREES:
            given = (str(self.target),) * TREES[name]
            tree = measure_tree(self.survey, joint, rng, given=given)
            yield "measured", self._errors(tree.tables)
            codes = tree.draw(rng)
            ones = np.ones(codes.shape[1], np.int64)
            yield "records", self._of_records(Survey(self.survey.levels, codes, ones))
        elif name in KINDS:
            assert joint is not None
            yield "records", self._of_records(_released(self.survey, name, joint, delta, rng))
        else:
            true = {columns: self.true(columns) for columns in self.workload(name)}
            noisy = {
                columns: table + joint.noise.sample(rng, table.size).reshape(table.shape)
                if joint
                else table.astype(float)
                for columns, table in true.items()
            }
            yield "noisy", self._errors(noisy)
            yield "consistent", self._errors(consistent(noisy))

    @cache  # noqa: B019  # a job has one subject
    def true(self, columns: Columns) -> NDArray[np.int64]:
        """Return the true table of these columns."""
        return self.survey.count(columns)

    def _of_records(self, made: Survey) -> dict[str, float]:
        """Return the errors of all tables of some records, and the accuracy of a classifier."""
        names = made.names
        sizes = range(1, 1 + min(len(NUMBERS), len(names)))
        listed = (columns for size in sizes for columns in combinations(names, size))
        errors = self._errors({columns: made.count(columns) for columns in listed})
        return errors | ({} if self.target is None else {"accuracy": self._accuracy(made)})

    def _errors(self, tables: Mapping[Columns, NDArray[Any]]) -> dict[str, float]:
        """Return the mean and the largest error of the tables with equal numbers of columns.

        Columns that are only in larger tables are compared too, in the first table with them.
        """
        compared = dict(tables)
        for columns, table in tables.items():
            for axis, name in enumerate(columns):
                others = tuple(other for other in range(len(columns)) if other != axis)
                compared.setdefault((name,), table.sum(axis=others))
        errors: dict[str, float] = {}
        for size, column in NUMBERS.items():
            found = [_distance(self.true(c), compared[c]) for c in compared if len(c) == size]
            if found:
                errors |= {column: float(np.mean(found)), f"{column}_largest": max(found)}
        return errors

    def _accuracy(self, made: Survey) -> float:
        """Return the share of test records whose target is predicted.

        The classifier is a linear support vector machine on indicators of the levels of all other
        columns.
        """
        from sklearn.preprocessing import OneHotEncoder
        from sklearn.svm import LinearSVC

        place = self.survey.names.index(str(self.target))
        classes = np.unique(made.codes[place])
        if len(classes) < 2:  # no record, or only one class
            return float(np.mean(self.test[place] == (classes[0] if len(classes) else 0)))
        levels = [np.arange(len(levels)) for levels in self.survey.levels.values()]
        encoder = OneHotEncoder(categories=levels[:place] + levels[place + 1 :])
        training = encoder.fit_transform(np.delete(made.codes, place, axis=0).T)
        classifier = LinearSVC(C=0.1, random_state=0)
        classifier.fit(training, made.codes[place], sample_weight=made.weights)
        tested = encoder.transform(np.delete(self.test, place, axis=0).T)
        return float(np.mean(classifier.predict(tested) == self.test[place]))


def _released(
    survey: Survey, name: str, joint: JointNoise, delta: float | None, rng: np.random.Generator
) -> Survey:
    """Return a release of the histogram of all columns, as records with weights."""
    shape = survey.shape(tuple(survey.names))
    domain = Domain(dict(survey.levels))
    release = KINDS[name](domain.size).sanitize(survey.weights, joint.noise, rng, delta)
    held = np.ravel_multi_index(list(survey.codes), shape)
    added = np.array(np.unravel_index(domain.empty(release.places, held), shape), np.int64)
    kept = release.counts > 0
    codes = np.concatenate([survey.codes[:, kept], added], axis=1)
    return Survey(survey.levels, codes, np.concatenate([release.counts[kept], release.values]))


def _distance(true: NDArray[np.int64], table: NDArray[Any]) -> float:
    """Return half the l1 distance of the shares; 1 if all released counts are 0."""
    released = nearest_counts(np.asarray(table, float))
    total = released.sum()
    return float(np.abs(released / total - true / true.sum()).sum() / 2) if total else 1.0


def measure_tables(
    subject: Subject,
    dataset: str,
    publish: Sequence[str],
    *,
    point: GridPoint | None,
    mechanism: Mechanism | None,
    share: float | None,
    seed: int,
    repeats: int,
) -> pd.DataFrame:
    """Return the result of `Subject.measure` for all that is published, with its grid point.

    point: None to measure the records themselves, and tables and trees without noise.
    share: of ε and δ, for the selections of a tree.
    """
    if point is None:
        names = [ORIGINAL, *(name for name in publish if name not in KINDS)]
        keys: dict[str, Any] = {"dataset": dataset, "mechanism": NOISELESS, "epsilon": None}
        keys["delta"], path, delta = None, f"{dataset}/{NOISELESS}", None
    else:
        # a release with stability costs δ
        names = [name for name in publish if name != STABILITY or point.delta is not None]
        keys, path, delta = point.columns(1), point.path, point.delta
    parts = []
    for name in names:
        joint = None
        if point is not None and mechanism is not None:
            joint = subject.joint(name, mechanism, point, share or 0.0)
        parts.append(subject.measure(name, joint, delta, key=path, seed=seed, repeats=repeats))
    errors = pd.concat(parts, ignore_index=True)
    return pd.concat([pd.DataFrame(keys, index=errors.index), errors], axis="columns")
