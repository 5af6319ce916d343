"""A release of a histogram, and the base class of all kinds of releases."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.mechanisms.noise import Noise
from ggexp.releases.point import NoisyPoint

if TYPE_CHECKING:  # jobs that only sanitize do not need it
    from ggexp.datasets.table import Table

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

#: What is assumed of n, the sum of the counts: ``release: {total: …}`` of a data set.
PRIVATE, PUBLIC, AS_PRINTED = TOTALS = "private", "public", "as-printed"


class Release(NamedTuple):
    """A release of a histogram: counts of its listed cells and of some unlisted, empty cells.

    places, values: ascending indices of released unlisted cells, among all unlisted cells, from 0,
        and their released counts.
    remaining, remaining_count: the number of all other unlisted cells, and the count of each. It is
        0, unless all noisy counts are 0 and n is therefore spread evenly over all cells.
    """

    counts: Floats | Counts
    places: Counts = np.empty(0, np.int64)
    values: Floats = np.empty(0)
    remaining: int = 0
    remaining_count: float = 0.0

    @property
    def total(self) -> float:
        """The sum of all released counts."""
        listed = float(self.counts.sum()) + float(self.values.sum())
        return listed + self.remaining * self.remaining_count


@dataclass(frozen=True)
class Kind(ABC):
    """A method of releasing a histogram; `ggexp.releases.kinds.KINDS` has all kinds.

    cells: the number of cells of the histogram, including unlisted cells.
    total: what is assumed of n, one of `TOTALS`. If n is private, noisy counts below 0 become 0.
        Otherwise counts are also clamped at n and rescaled to sum to n. If n is public, neighbours
        have the same n. As printed in the paper, they differ in n, which no guarantee then covers.

    lists_cells: whether a release consists of exactly the listed cells.
    lists_empty: whether a histogram of records lists its empty cells too.
    needs: the optional methods of `Noise` that the noise must have.
    uses_delta: whether a release costs δ even if its noise has none.
    neighbours: the definitions of neighbours for which a release is private.
    """

    lists_cells: ClassVar[bool] = False
    lists_empty: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    uses_delta: ClassVar[bool] = False
    neighbours: ClassVar[tuple[str, ...]] = ("add-remove", "replace-one")
    cells: int
    total: str = field(default=PRIVATE, kw_only=True)

    @property
    def rescales(self) -> bool:
        """Whether released counts are clamped at n and rescaled to sum to n."""
        return self.total != PRIVATE

    @abstractmethod
    def simulate(
        self, counts: Counts, noise: Noise, rng: np.random.Generator, delta: float | None
    ) -> Release:
        """Return one release of the counts of the listed cells. rng: the release's stream."""

    def release(self, counts: Counts, noisy: NoisyPoint, *, seed: int, repeat: int) -> Release:
        """Return the release of one repeat of a grid point, reproducibly."""
        rng = noisy.point.stream(seed, repeat)
        return self.simulate(counts, noisy.noise, rng, noisy.point.delta)

    def training(self, table: "Table", released: Release) -> Any:
        """Return the training data of an SVM: weights of the table's cells, which are listed.

        If all released counts are 0, all cells have the same weight.
        """
        return released.counts if released.counts.any() else np.ones(table.counts.size)


def from_parameters(parameters: Mapping[str, Any], cells: int) -> Kind:
    """Return the kind from its full name, ``kind``, and its other settings."""
    settings = dict(parameters)
    return resolve_name(settings.pop("kind"))(cells, **settings)
