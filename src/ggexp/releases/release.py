"""A release of a histogram, and the type of all kinds of releases, each a class in a module."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp.mechanisms.noise import Noise
from ggexp.releases.point import NoisyPoint

if TYPE_CHECKING:  # which takes long to load: not for the jobs that only sanitize
    import pandas as pd

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

_NOWHERE, _NOTHING = np.empty(0, np.int64), np.empty(0)


class Release(NamedTuple):
    """A release of a histogram: counts of its listed cells, and of its others as far as not 0.

    counts: of the listed cells, in their order; some may be 0.
    places: which of the other cells, all empty in the original, are released too, ascending,
        counted among them from 0.
    values: their counts.
    rest: how many cells are neither listed nor among the places.
    elsewhere: the count of each of these: 0, but where all is 0 and n is spread evenly.
    """

    counts: Floats | Counts
    places: Counts = _NOWHERE
    values: Floats = _NOTHING
    rest: int = 0
    elsewhere: float = 0.0


@dataclass(frozen=True)
class Kind(ABC):
    """How a histogram is released; `ggexp.releases.kinds.KINDS` has all kinds.

    cells: of the histogram, with those that are not listed.

    lists_cells: whether a release has the listed cells and no others.
    lists_empty: whether the listed cells of records are all cells, the empty ones too.
    needs: what noise must be able to do, by the methods of `Noise`.
    uses_delta: whether a release costs δ even if its noise has none.
    neighbours: for which of them it is private.
    """

    lists_cells: ClassVar[bool] = False
    lists_empty: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    uses_delta: ClassVar[bool] = False
    neighbours: ClassVar[tuple[str, ...]] = ("add-remove", "replace-one")
    cells: int

    @abstractmethod
    def sanitize(
        self, counts: Counts, noise: Noise, rng: np.random.Generator, delta: float | None
    ) -> Release:
        """Return one release of the counts of the listed cells, on a stream of its own."""

    def release(self, counts: Counts, noisy: NoisyPoint, *, seed: int, repeat: int) -> Release:
        """Return one repeat's release of a grid point, the same whoever asks for it.

        counts: of the listed cells. seed, repeat: of the stream.
        """
        rng = noisy.point.stream(seed, repeat)
        return self.sanitize(counts, noisy.noise, rng, noisy.point.delta)

    def training(
        self, cells: "pd.DataFrame", test: "pd.DataFrame", records: Mapping[str, Any], key: str
    ) -> Callable[[Release], Any]:
        """Return a function from a release to what an SVM is trained on: weights of its cells.

        cells, test: the listed cells and the test records. records: how the file of records is
            read, as the configuration has it under this key.
        """
        return lambda released: released.counts


def from_parameters(parameters: Mapping[str, Any], cells: int) -> Kind:
    """Return the kind of which `ggexp.releases.kinds.parameters` returned these parameters."""
    settings = dict(parameters)
    kind: Kind = resolve_name(settings.pop("kind"))(cells, **settings)
    return kind


def module_of(parameters: Mapping[str, Any]) -> str:
    """Return the name of the module that defines the kind of these parameters."""
    return str(parameters["kind"].rpartition(".")[0])
