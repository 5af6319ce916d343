"""Noisy tables of a survey that agree with each other.

Consistent tables have equal common margins. Making noisy tables consistent is post-processing: the
guarantee of the noisy tables stays. The counts may then be negative, and need not be whole.

A table is a sum of orthogonal parts, one for each subset of its columns: the total, the effects of
one column, the interactions of two, and so on. Tables that share a subset estimate the same part
independently. Least squares takes their mean, weighted by the inverse of the variance of a cell of
the margin, which is the variance of a cell times the number of cells summed (Barak et al. 2007;
Qardaji, Yang and Li 2014). Subsets are treated in ascending size; a correction spread evenly over
the cells of a margin leaves the parts of all other subsets as they are.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Columns = tuple[str, ...]
Tables = Mapping[Columns, NDArray[np.float64]]


def margin(table: NDArray[np.float64], columns: Columns, kept: Columns) -> NDArray[np.float64]:
    """Return the sums of a table over the columns that are not kept, on the same axes."""
    axes = tuple(axis for axis, name in enumerate(columns) if name not in kept)
    return np.asarray(table.sum(axis=axes, keepdims=True))


def consistent(
    tables: Tables, variances: Mapping[Columns, float] | None = None
) -> dict[Columns, NDArray[np.float64]]:
    """Return the tables with equal common margins that are nearest in weighted least squares.

    tables: noisy counts, by the columns of the axes.
    variances: of the noise of a cell of each table; None if all are equal.

    >>> import numpy as np
    >>> from ggexp.tables.consistency import consistent
    >>> noisy = {("a",): np.array([4.0, 8.0]), ("b",): np.array([5.0, 4.0])}
    >>> fitted = consistent(noisy)
    >>> fitted[("a",)].tolist(), fitted[("b",)].tolist()
    ([3.25, 7.25], [5.75, 4.75])
    """
    variances = variances or dict.fromkeys(tables, 1.0)
    fitted = {columns: np.array(table, dtype=np.float64) for columns, table in tables.items()}
    # views of the fitted tables, on whose axes the columns stand in the same order
    names = [*dict.fromkeys(name for columns in tables for name in columns)]
    ordered = {columns: tuple(sorted(columns, key=names.index)) for columns in tables}
    views = {c: table.transpose([*map(c.index, ordered[c])]) for c, table in fitted.items()}
    shared = {
        subset
        for columns in ordered.values()
        for size in range(len(columns) + 1)
        for subset in combinations(columns, size)
    }
    for subset in sorted(shared, key=lambda names: (len(names), names)):  # not in the set's order
        holders = [columns for columns in tables if {*subset} <= {*columns}]
        if len(holders) < 2:
            continue
        margins = [margin(views[columns], ordered[columns], subset) for columns in holders]
        summed = [fitted[c].size // m.size for c, m in zip(holders, margins, strict=True)]
        weights = [1 / (variances[c] * number) for c, number in zip(holders, summed, strict=True)]
        flat = np.average([values.ravel() for values in margins], axis=0, weights=weights)
        for columns, values, number in zip(holders, margins, summed, strict=True):
            views[columns] += (flat.reshape(values.shape) - values) / number
    return fitted
