"""Draws from random bits: their exact probabilities, by enumerating all bits."""

import io
import sys
from collections import Counter
from fractions import Fraction
from math import factorial, floor

import mpmath
import numpy as np
import pytest
from test_integer_valued import FAMILIES, chi_square

from ggexp.mechanisms import exact, integer_valued
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.exact import WORD, ExactSampler
from ggexp.mechanisms.optimal_integer import Canonical, Geometric


class NoBitsLeftError(Exception):
    """The sampler requests more bits than are available."""


def drawn(noise, random_bytes):
    """Return the value that the sampler draws from these bytes, None if it requests more bytes."""
    remaining = random_bytes

    def read(size):
        nonlocal remaining
        if size > len(remaining):
            raise NoBitsLeftError
        taken, remaining = remaining[:size], remaining[size:]
        return taken

    try:
        (k,) = ExactSampler(noise, read).sample(1)
    except NoBitsLeftError:
        return None
    assert not remaining
    return int(k)


def enumerated(noise, max_undecided):
    """Return the probability of each value, summed over all sequences of bytes that decide it.

    Sequences that are still undecided are extended until their probability is at most
    max_undecided. The first bit of the last byte is the sign.
    """
    decided: dict[int, Fraction] = Counter()
    undecided, size = [b""], 0
    while Fraction(len(undecided), 256**size) > max_undecided:
        size += 1
        prefixes, undecided = undecided, []
        for read in (prefix + bytes([byte]) for prefix in prefixes for byte in range(256)):
            values = [drawn(noise, read + sign) for sign in (b"\x00", b"\x80")]
            if values == [None, None]:
                undecided.append(read)
            for k in values:
                if k is not None:
                    decided[k] += Fraction(1, 2 * 256**size)
        assert len(undecided) < 100  # only those at a boundary between two values
    return decided


def exponential(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds on e^-x for an x in [0, 30] that differ by less than 2^-90, by series."""
    terms = [x**i / factorial(i) for i in range(160)]
    rounded = Fraction(floor(sum(terms) * 2**120), 2**120)
    return 1 / (rounded + Fraction(1, 2**100)), 1 / rounded


def enclosed(noise):
    """Return bounds on Pr(K = k) for k = 0, …, 12, from the formulas in rational arithmetic."""
    if isinstance(noise, Geometric):
        low, high = exponential(1 / Fraction(noise.scale))
        ends = [((1 - a) / (1 + a), b) for a, b in ((high, low), (low, high))]
        return [tuple(center * a**k for center, a in ends) for k in range(13)]
    if isinstance(noise, Canonical):
        d = Fraction(noise.excess)
        ends = []
        for a in exponential(Fraction(noise.log_ratio)):
            tails = [a * (1 - d) / (1 + a)]
            while len(tails) < 14:
                tails.append(max(Fraction(0), (tails[-1] - d) * a))
            ends.append(tails)
        low, high = ends
        first = (1 - 2 * high[0], 1 - 2 * low[0])
        return [first, *((low[k - 1] - high[k], high[k - 1] - low[k]) for k in range(1, 13))]
    weights = [exponential((k / Fraction(noise.scale)) ** int(noise.order)) for k in range(13)]
    lower, upper = (1 + 2 * sum(w[end] for w in weights[1:]) for end in (0, 1))
    return [(low / (upper + Fraction(1, 2**50)), high / lower) for low, high in weights]


@pytest.mark.parametrize(
    "noise", [Canonical(0.5, 0.1), Geometric(0.5), DiscreteGeneralizedGaussian(2, 1.5)], ids=str
)
def test_enumerating_all_bits_gives_the_probabilities(noise, monkeypatch):
    """The bytes decide the value except with probability 2^-40."""
    monkeypatch.setattr(exact, "WORD", 8)
    undecided = Fraction(1, 2**40)
    decided = enumerated(noise, undecided)
    assert 1 - undecided <= sum(decided.values()) <= 1

    def agrees(k, low, high):
        return low <= decided[k] + undecided and decided[k] <= high

    bounds = enclosed(noise)
    assert max(high - low for low, high in bounds) < undecided
    assert all(agrees(sign * k, *bound) for k, bound in enumerate(bounds) for sign in (1, -1))
    last, value = [*noise.numbers.items()][-1]
    wrong = type(noise)(**noise.numbers | {last: value * (1 + 1e-9)})
    assert not all(agrees(k, *bound) for k, bound in enumerate(enclosed(wrong)))


@pytest.mark.parametrize("noise", FAMILIES, ids=str)
@pytest.mark.parametrize("word", [64, 8])
def test_draws_have_the_distribution(noise, word, monkeypatch):
    """With words of 8 bits, many draws are refined. The χ² test is that of test_integer_valued."""
    monkeypatch.setattr(exact, "WORD", word)
    rng = np.random.default_rng(5)
    draws = ExactSampler(noise, rng.bytes).sample(100_000 if word == 64 else 5000)
    assert chi_square(noise, draws) > 1e-6


def test_a_table_that_would_be_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(integer_valued, "MAX_VALUES", 1000)
    with pytest.raises(ValueError, match=r"1,000 values.*larger epsilon"):
        ExactSampler(Geometric(29.0)).sample(1)
    assert ExactSampler(Geometric(14.0)).sample(1).size == 1


@pytest.mark.parametrize("epsilon", [0.5, 45, 700])
@pytest.mark.parametrize("delta", [None, 1e-300])
def test_noise_is_exact_at_every_epsilon(epsilon, delta):
    """The bits of a U slightly below and above Pr(K = 0) give 0 and another value."""
    noise = Geometric(1 / epsilon) if delta is None else Canonical(epsilon, delta)
    with mpmath.workdps(800):
        a = mpmath.exp(-1 / mpmath.mpf(noise.scale) if delta is None else -mpmath.mpf(epsilon))
        above = 2 * a * (1 - mpmath.mpf(delta or 0)) / (1 + a)
        threshold = int((1 - above) * mpmath.mpf(2) ** (WORD * 40))
    for step, is_zero in ((-(2**100), True), (2**100, False)):
        bits = (threshold + step).to_bytes(WORD // 8 * 40, "big")
        first = int.from_bytes(bits[: WORD // 8], "big").to_bytes(WORD // 8, sys.byteorder)
        source = io.BytesIO(first + bits[WORD // 8 :])
        assert (ExactSampler(noise, source.read).sample(1)[0] == 0) == is_zero
