"""Exact draws of integer-valued noise from random bits, without floating-point numbers.

|K| is the smallest k with U < Pr(|K| <= k), for a uniform U whose bits are random. Each probability
lies between two bounds. More bits are read, and tighter bounds are computed, until the bits of U
determine |K|. Therefore each value is drawn with exactly its probability.
"""

import secrets
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ggexp import checks
from ggexp.mechanisms.integer_valued import IntegerValuedNoise

WORD = 64  # number of bits of U that are read at a time, the size of a numpy unsigned integer


@dataclass(frozen=True)
class ExactSampler:
    """A sampler of integer-valued noise.

    noise: the distribution; its parameters are interpreted as exact fractions.
    random_bytes: returns the given number of random bytes, by default from the operating system.
    Raises TooManyValuesError if the table of the noise would have more than `MAX_VALUES` values.
    """

    noise: IntegerValuedNoise
    random_bytes: Callable[[int], bytes] = secrets.token_bytes

    def __post_init__(self) -> None:
        _tables_of(self.noise, WORD)

    def sample(self, size: int) -> NDArray[np.int64]:
        """Return ``size`` independent draws; the first `WORD` bits decide nearly all."""
        checks.count("size", size)
        first_above, last_undecided = _tables_of(self.noise, WORD)
        words = np.frombuffer(self.random_bytes(first_above.itemsize * size), first_above.dtype)
        drawn = np.searchsorted(first_above, words, side="right")
        for place in np.flatnonzero((drawn > 0) & (words <= last_undecided[drawn])):
            drawn[place] = self._refined(int(words[place]))
        signs = np.frombuffer(self.random_bytes(-(-size // 8)), np.uint8)
        return np.where(np.unpackbits(signs)[:size], -drawn, drawn)

    def _refined(self, first_bits: int) -> int:
        """Return |K| for a U with the given first bits, after reading more bits."""
        bits = WORD
        while True:
            bits += WORD
            first_bits = first_bits << WORD | int.from_bytes(self.random_bytes(WORD // 8), "big")
            low, high = bounds_of(self.noise, bits)
            k = bisect_right(low, first_bits)
            if k < len(low) and (k == 0 or first_bits >= high[k - 1]):
                return k


@cache
def bounds_of(noise: IntegerValuedNoise, bits: int) -> tuple[list[int], list[int]]:
    """Return integer bounds below and above 2^bits Pr(|K| <= k), for k = 0, 1, 2, …."""
    tails = noise.table_of_tails(bits)
    return [2**bits - tail.high for tail in tails], [2**bits - tail.low for tail in tails]


@cache
def _tables_of(
    noise: IntegerValuedNoise, bits: int
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
    """Return, for each k, the first word that allows |K| > k, and the last that allows |K| < k."""
    (low, high), word = bounds_of(noise, bits), np.dtype(f"u{bits // 8}")
    first_above = [bound for bound in low if bound < 2**bits]
    last_undecided = [0, *(bound - 1 for bound in high)]
    if len(first_above) == len(low):
        last_undecided[-1] = 2**bits - 1
    return np.array(first_above, word), np.array(last_undecided, word)
