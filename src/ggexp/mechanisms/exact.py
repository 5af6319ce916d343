"""Draws of whole-number noise from random bits only, without floating-point numbers.

|K| is the smallest k with U < Pr(|K| <= k), for a uniform U whose bits are random. Each probability
is known between two bounds. A draw is decided as soon as its bits place it between the bounds of
two neighbouring k; until then more bits are read, and closer bounds are computed. Therefore each
value has exactly its probability, if the bits are truly random.
"""

import secrets
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.whole_noise import MAX_VALUES, TooManyValuesError, WholeNoise

WORD = 64  # bits of U that are read at a time, the size of an unsigned integer of numpy


class Bounds(NamedTuple):
    """Whole numbers below and above 2^bits Pr(|K| <= k), for k = 0, 1, 2 and so on."""

    low: list[int]
    high: list[int]

    def decided(self, drawn: int) -> int | None:
        """Return |K| for a U in [drawn, drawn + 1) / 2^bits, None if these bits do not decide."""
        k = bisect_right(self.low, drawn)
        if k == len(self.low) or (k and drawn < self.high[k - 1]):
            return None
        return k


@dataclass(frozen=True)
class ExactSampler:
    """A sampler of whole-number noise.

    noise: its parameters are taken as exact fractions.
    random_bytes: returns a given number of random bytes, by default from the operating system.
    Raises TooManyValuesError if the table of the noise would have more than `MAX_VALUES` values.
    """

    noise: WholeNoise
    random_bytes: Callable[[int], bytes] = secrets.token_bytes

    def __post_init__(self) -> None:
        _tables_of(self.noise, WORD)

    def sample(self, size: int) -> NDArray[np.int64]:
        """Return ``size`` independent draws.

        Nearly all are decided by `WORD` bits, which numpy looks up in a table of whole numbers.
        """
        checks.count("size", size)
        first, last_undecided = _tables_of(self.noise, WORD)
        words = np.frombuffer(self.random_bytes(first.itemsize * size), first.dtype)
        drawn = np.searchsorted(first, words, side="right")
        for place in np.flatnonzero((drawn > 0) & (words <= last_undecided[drawn])):
            drawn[place] = self._refined(int(words[place]))
        signs = np.frombuffer(self.random_bytes(-(-size // 8)), np.uint8)
        return np.where(np.unpackbits(signs)[:size], -drawn, drawn)

    def _refined(self, drawn: int) -> int:
        """Return |K| for a U with these first bits, by reading more."""
        bits, found = WORD, None
        while found is None:
            bits += WORD
            drawn = drawn << WORD | int.from_bytes(self.random_bytes(WORD // 8), "big")
            found = bounds_of(self.noise, bits).decided(drawn)
        return found


@cache
def bounds_of(noise: WholeNoise, bits: int) -> Bounds:
    """Return the bounds of a noise, cached for the next draw."""
    most = MAX_VALUES * bits // WORD
    tails = [*islice(noise.exact_tails(bits), most + 1)]
    if len(tails) > most:
        raise TooManyValuesError(
            f"{noise.family} noise is drawn from a table of at most {MAX_VALUES:,} values, and "
            f"{noise} has more: it needs a larger epsilon"
        )
    return Bounds([2**bits - tail.high for tail in tails], [2**bits - tail.low for tail in tails])


@cache
def _tables_of(
    noise: WholeNoise, bits: int
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
    """Return the first word that may mean |K| = k + 1, and the last that may mean less than k.

    bits: those of an unsigned integer of numpy. All words beyond the last k are undecided.
    """
    bounds, word = bounds_of(noise, bits), np.dtype(f"u{bits // 8}")
    first = [bound for bound in bounds.low if bound < 2**bits]
    last_undecided = [0, *(bound - 1 for bound in bounds.high)]
    if len(first) == len(bounds.low):
        last_undecided[-1] = 2**bits - 1
    return np.array(first, word), np.array(last_undecided, word)
