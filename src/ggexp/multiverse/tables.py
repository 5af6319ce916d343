"""The errors of releases in all readings of their scale, their rounding and the KL divergence."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.experiment.summary import summarize
from ggexp.multiverse.choices import Factorial, Reading
from ggexp.multiverse.noises import noises
from ggexp.progress import log_progress
from ggexp.releases.point import NoisyPoint
from ggexp.releases.records import largest_remainder
from ggexp.releases.sanitize import release
from ggexp.streams import stream

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

#: The columns of every measured table, before the columns of its factorial's choices.
COLUMNS = ("dataset", "metric", "mechanism", "epsilon", "delta", "repeats", "mean", "sd", "se")
#: The name in the column ``mechanism`` of measures of the data before sanitizing.
ORIGINAL = "original"
#: The number of tables that are drawn if a table is made smaller.
DRAWS = 20
#: Alternative of ``rounding`` -> a function of released counts.
ROUNDED: Mapping[str, Callable[[Floats], Floats]] = {
    "none": lambda counts: counts,
    "nearest": np.rint,
}
#: Alternative of ``prior`` -> the pseudo-count, as a function of n and the number of cells.
PRIORS: Mapping[str, Callable[[float, int], float]] = {
    "1/2": lambda n, cells: 0.5,
    "1": lambda n, cells: 1.0,
    "1/cells": lambda n, cells: 1 / cells,
    "sqrt(n)/cells": lambda n, cells: sqrt(n) / cells,
}
#: The alternatives of ``direction``, in the order of the results of `kl_dirichlet`.
DIRECTIONS = ("forward", "reverse")


def measure(
    factorial: Factorial,
    dataset: str,
    outer: Reading,
    *,
    cells: pd.DataFrame,
    points: Sequence[NoisyPoint],
    seed: int,
    **_: Any,
) -> pd.DataFrame:
    """Return the summaries of the errors of a data set: a row for each metric, point and reading.

    outer: the alternatives of `choices.OUTER` that this job measures. cells: a row for each listed
        cell, with its ``count``. points: the grid points. seed: of the noise.
    """
    counts = cells["count"].to_numpy()
    rows: list[dict[str, Any]] = []
    for size in factorial.alternatives("n"):
        tables = resized(counts, dataset, size, factorial.repeats, seed)
        own = {"n": size} if "n" in factorial.varies else {}
        total = float(tables[0][1].sum())
        rows.append(
            {"metric": "records", "mechanism": ORIGINAL, "mean": total, "repeats": 1, **own}
        )
        for noisy in log_progress(points, "grid points"):
            for scale, noise in noises(noisy.point, factorial):
                errors = pd.concat(
                    [
                        _errors(
                            NoisyPoint(replace(noisy.point, dataset=name), noise),
                            factorial,
                            resized_counts,
                            seed,
                            repeats,
                        )
                        for name, resized_counts, repeats in tables
                    ]
                )
                rows += [{**row, **scale, **own} for row in _summaries(errors, factorial)]
    return measured(rows, factorial, dataset, outer)


def measured(
    rows: Iterable[Mapping[str, Any]], factorial: Factorial, dataset: str, outer: Reading
) -> pd.DataFrame:
    """Return rows as a measured table, in which "" means all alternatives of a choice.

    outer: the alternatives of rows that name no others.
    """
    table = pd.DataFrame([{**outer, **row, "dataset": dataset} for row in rows])
    table = table.reindex(columns=[*COLUMNS, *factorial.varies])
    return table.fillna(dict.fromkeys(factorial.varies, "")).astype({"repeats": "int64"})


def resized(
    counts: Counts, dataset: str, size: str, repeats: int, seed: int
) -> list[tuple[str, Counts, int]]:
    """Return the tables that an alternative of ``n`` uses: names, counts and numbers of repeats.

    A table that is too small is scaled to n records in the same proportions, rounded by largest
    remainders. Of one that is too large, `DRAWS` samples are drawn without replacement, because
    their empty cells differ; together they have the given number of repeats.
    """
    total = int(counts.sum())
    n = int(size) if size.isdigit() else total
    if n == total:
        return [(dataset, counts, repeats)]
    if n > total:
        scaled = counts.astype(np.float64) * (n / total)
        return [(f"{dataset}-large", largest_remainder(scaled, n), repeats)]
    rng = stream(seed, f"{n} records of {dataset}")
    return [
        (f"{dataset}-small-{draw}", rng.multivariate_hypergeometric(counts, n), part)
        for draw in range(DRAWS)
        if (part := len(range(draw, repeats, DRAWS)))
    ]


def _errors(
    noisy: NoisyPoint, factorial: Factorial, counts: Counts, seed: int, repeats: int
) -> pd.DataFrame:
    """Return the errors of each repeat: a column for each metric and reading, named by both."""
    n, cells = float(counts.sum()), counts.size
    directions = factorial.alternatives("direction")
    errors: dict[str, Floats] = {}
    for repeat in range(repeats):
        released = release(counts, noisy, seed=seed, repeat=repeat)
        for rounding in factorial.alternatives("rounding"):
            sanitized = ROUNDED[rounding](released)
            known = {f"l1 {rounding}": l1(counts, sanitized)}
            for prior in factorial.alternatives("prior"):
                divergences = kl_dirichlet(counts, sanitized, PRIORS[prior](n, cells))
                for direction, divergence in zip(DIRECTIONS, divergences, strict=True):
                    if direction in directions:
                        known[f"kl {rounding} {prior} {direction}"] = divergence
            for name, error in known.items():
                errors.setdefault(name, np.empty(repeats))[repeat] = error
    return pd.DataFrame({**noisy.point.columns(repeats), "repeat": np.arange(repeats), **errors})


def _summaries(errors: pd.DataFrame, factorial: Factorial) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric and reading, from the errors of all repeats of a point."""
    keys = errors[["dataset", "repeat"]].assign(dataset="", repeat=range(len(errors)))
    table = summarize([errors.assign(**keys)])
    for row in table.to_dict("records"):
        metric, *alternatives = row["metric"].split(" ")
        reading = dict(zip(("rounding", "prior", "direction"), alternatives, strict=False))
        varied = {choice: name for choice, name in reading.items() if choice in factorial.varies}
        yield {str(name): value for name, value in row.items()} | varied | {"metric": metric}
