"""All one-way and two-way marginals of a histogram, and the errors of releases in them."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

Counts = NDArray[np.int64] | NDArray[np.float64]


class Marginals:
    """All one-way and two-way marginals of a histogram, as sums over its cells.

    attributes: a row for each cell, a column for each attribute.

    `names` lists the attributes of each marginal, in the order of the columns: the one-way
    marginals, then the two-way marginals. `ways` is the number of attributes of each marginal.
    """

    def __init__(self, attributes: pd.DataFrame) -> None:
        self.names: list[tuple[str, ...]] = [
            names for ways in (1, 2) for names in combinations(map(str, attributes), ways)
        ]
        self.ways = np.array([len(names) for names in self.names])
        cells = len(attributes)
        # the place of each cell in each marginal, in order of first appearance
        groups = (attributes.groupby([*names], sort=False) for names in self.names)
        places = [group.ngroup().to_numpy() for group in groups]
        sizes = [place.max(initial=-1) + 1 for place in places]
        self._starts = np.cumsum([0, *sizes[:-1]])
        rows = np.concatenate(
            [place + start for place, start in zip(places, self._starts, strict=True)]
        )
        indices = rows, np.tile(np.arange(cells), len(self.names))
        self._sums = csr_array((np.ones(rows.size), indices), shape=(sum(sizes), cells))

    def errors(
        self, original: NDArray[np.int64], releases: Sequence[Counts]
    ) -> NDArray[np.float64]:
        """Return the total variation distance of each marginal, of shape releases x marginals.

        The distance is ½ Σ |f* - f| in [0, 1], f being shares of the records: the share of records
        that would have to move to another cell. It is 1 if all counts are 0, which have no shares.
        Raises ValueError if the original has no records.
        """
        if not (n := original.sum()) > 0:
            raise ValueError(f"original must have at least one record, got {n}")
        totals = np.array([float(np.sum(release)) for release in releases])
        shares = np.stack(releases, axis=1) / np.where(totals > 0, totals, 1)
        differences = np.abs(self._sums @ shares - (self._sums @ (original / n))[:, None])
        distances = np.add.reduceat(differences, self._starts, axis=0).T / 2
        distances[totals == 0] = 1
        return np.asarray(distances)
