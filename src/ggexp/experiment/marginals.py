"""The one-way and two-way marginals of a histogram, and how far those of other counts are."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array


class Marginals:
    """All one-way and two-way marginals of the cells of a histogram, as sums over its cells.

    attributes: a row for each cell, a column for each attribute.

    `names` are the attributes of each marginal, first those of one attribute, then those of two,
    in the order of the columns. `ways` is how many attributes each has.
    """

    def __init__(self, attributes: pd.DataFrame) -> None:
        codes = {str(name): pd.factorize(attributes[name])[0] for name in attributes}
        self.names: list[tuple[str, ...]] = [
            names for ways in (1, 2) for names in combinations(codes, ways)
        ]
        self.ways = np.array([len(names) for names in self.names])
        cells = np.arange(len(attributes))
        rows: list[NDArray[np.intp]] = []
        sizes: list[int] = []
        for names in self.names:
            one = codes[names[0]]
            joint = one if len(names) == 1 else one * (codes[names[1]].max() + 1) + codes[names[1]]
            places, levels = pd.factorize(joint)
            rows.append(places + sum(sizes))
            sizes.append(len(levels))
        self._starts = np.cumsum([0, *sizes[:-1]])
        entries = np.ones(len(self.names) * len(cells))
        where = (np.concatenate(rows), np.tile(cells, len(self.names)))
        self._sums = csr_array((entries, where), shape=(sum(sizes), len(cells)))

    def errors(
        self, original: NDArray[np.int64], others: Sequence[NDArray[np.float64] | NDArray[np.int64]]
    ) -> NDArray[np.float64]:
        """Return the total variation distance of each marginal, others x marginals.

        original: the counts of the cells, at least one record. others: counts >= 0 of these cells.
        It is ½ Σ |f* - f| of the shares f of the records, in [0, 1]: the share of records that
        would have to be moved. Counts that are all 0 have no shares: the distance is taken as 1.
        Raises ValueError for an original without records.
        """
        if not (n := original.sum()) > 0:
            raise ValueError(f"original must have a record or more, got {n}")
        totals = np.array([float(np.sum(other)) for other in others])
        shares = np.stack(others, axis=1) / np.where(totals > 0, totals, 1)
        apart = np.abs(self._sums @ shares - (self._sums @ (original / n))[:, None])
        distances = np.add.reduceat(apart, self._starts, axis=0).T / 2
        distances[totals == 0] = 1
        return np.asarray(distances)
