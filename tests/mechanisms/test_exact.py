"""Draws from random bits: their exact probabilities, by enumerating all bits."""

import io
import sys
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from test_integer_valued import FAMILIES, chi_square, probabilities

from ggexp import calibration
from ggexp.mechanisms import exact, integer_valued
from ggexp.mechanisms.discrete import DiscreteGeneralizedGaussian
from ggexp.mechanisms.exact import WORD, ExactSampler
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.mechanisms.optimal_integer import Canonical, Geometric


def drawn(noise, random_bytes):
    """Return the value that the sampler draws from these bytes, None if it requests more bytes."""
    source = io.BytesIO(random_bytes)

    def read(size):
        taken = source.read(size)
        if len(taken) < size:
            raise EOFError
        return taken

    try:
        (k,) = ExactSampler(noise, read).sample(1)
    except EOFError:
        return None
    assert not source.read()
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


@pytest.mark.parametrize(
    "noise",
    [
        *(Canonical(0.5, 0.1), Geometric(0.5)),
        pytest.param(DiscreteGeneralizedGaussian(2, 1.5), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_enumerating_all_bits_gives_the_probabilities(noise, monkeypatch):
    """The bytes decide the value except with probability 2^-32."""
    monkeypatch.setattr(exact, "WORD", 8)
    decided = enumerated(noise, 2**-32)
    assert 1 - 2**-32 <= sum(decided.values()) <= 1

    def agrees(noise):
        p = probabilities(noise)[400:413]
        missing = [p[k] - float(decided[sign * k]) for k in range(13) for sign in (1, -1)]
        return -1e-15 <= min(missing) <= max(missing) <= 2**-32

    assert agrees(noise)
    last, value = [*noise.numbers.items()][-1]
    assert not agrees(type(noise)(**noise.numbers | {last: value * (1 + 1e-7)}))


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


@pytest.mark.parametrize("epsilon", [3, 45, 700])
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


def many_digit_delta(noise, epsilon, shift, probabilistic):
    """The δ of discrete GG noise, in arithmetic of 40 digits.

    It is a sum over all outcomes but those in the tails, whose weights are less than exp(-100).
    """
    with mpmath.workdps(40):
        last = int(noise.scale * 100 ** (1 / noise.order)) + shift + 2
        powers = [(mpf(k) / mpf(noise.scale)) ** mpf(noise.order) for k in range(last + 1)]
        weights = [mpmath.exp(-power) for power in powers]
        delta, r = mpf(0), mpmath.exp(mpf(epsilon))
        for k in range(shift - last, last + 1):
            loss = powers[abs(k - shift)] - powers[abs(k)]
            if probabilistic:
                delta += weights[abs(k)] if abs(loss) > epsilon else 0
            elif loss > epsilon:
                delta += weights[abs(k)] - r * weights[abs(k - shift)]
        return delta / (weights[0] + 2 * mpmath.fsum(weights[1:]))


@pytest.mark.parametrize(
    ("rule", "order", "epsilon", "delta", "shift"),
    [
        # losses equal ε up to rounding; the δ of these three was once 0.105, 1 and 5e-13
        ("pdp-exact-integer", 2, 0.05, 0.1, 1),
        pytest.param("pdp-exact-integer", 1, 0.01, 0.01, 1, marks=pytest.mark.slow),
        pytest.param("adp-exact-integer", 1, 0.001, 1e-15, 1, marks=pytest.mark.slow),
        ("adp-exact-integer", 1.5, 0.3, 1e-20, 1),
        ("pdp-exact-integer", 2.7, 0.02, 0.3, 3),
    ],
)
def test_no_returned_noise_exceeds_its_delta(rule, order, epsilon, delta, shift):
    budget = {"epsilon": epsilon, "delta": delta, "sensitivity": shift}
    noise = calibration.calibrate(rule, order=order, **budget)
    assert many_digit_delta(noise, epsilon, shift, rule.startswith("pdp")) <= delta
    insufficient = DiscreteGeneralizedGaussian(order, noise.scale * (1 - 1e-7))
    assert many_digit_delta(insufficient, epsilon, shift, rule.startswith("pdp")) > delta


@pytest.mark.parametrize("shift", [1, 5])
def test_exact_deltas_are_sums_with_many_digits(shift):
    for noise in (DiscreteGeneralizedGaussian(2, 3), DiscreteGeneralizedGaussian(1.5, 0.8)):
        for probabilistic in (False, True):
            exact = noise.exact_delta(
                epsilon=0.6, sensitivity=shift, probabilistic=probabilistic, bits=400
            )
            expected = many_digit_delta(noise, 0.6, shift, probabilistic)
            assert float(exact) == pytest.approx(float(expected), rel=1e-12)
    geometric = calibration.calibrate("pure-integer", order=None, epsilon=0.3, sensitivity=shift)
    for probabilistic in (False, True):
        arguments = {"sensitivity": shift, "probabilistic": probabilistic}
        assert geometric.exact_delta(epsilon=0.3, **arguments) == 0
        assert geometric.exact_delta(epsilon=0.2999999, **arguments) > 0
    canonical = calibration.calibrate(
        "adp-optimal", order=None, epsilon=0.7, delta=1e-200, sensitivity=shift
    )
    exact = canonical.exact_delta(epsilon=0.7, sensitivity=shift, probabilistic=False, bits=800)
    assert 1e-200 * (1 - 1e-10) < exact <= 1e-200


def test_a_loss_close_to_epsilon_counts_only_if_it_is_above():
    """At order 1 every loss is 1/b. Therefore δ of pDP is 0 for ε >= 1/b, and 1 for smaller ε."""
    noise = DiscreteGeneralizedGaussian(1, 2)
    assert noise.exact_delta(epsilon=0.5 * (1 + 1e-15), probabilistic=True) < 1e-30
    assert noise.exact_delta(epsilon=0.5 * (1 - 1e-15), probabilistic=True) == 1
    assert noise.pdp_delta(epsilon=0.5 * (1 - 1e-15)) == 0  # too close for floating point
    assert noise.pdp_delta(epsilon=0.5 * (1 - 1e-12)) == pytest.approx(1)


@pytest.mark.parametrize(("needed", "largest"), [(0, 0), (1e-10, 1e-9), (1e-8, 1e-7), (1e-6, 1e-5)])
def test_the_scale_is_raised_as_little_as_exact_arithmetic_needs(monkeypatch, needed, largest):
    """Here noise satisfies its guarantee from a scale on that is larger than the calibrated one."""
    rule = Mechanism(2, "adp-exact-integer")
    scale = rule.noise(epsilon=0.5, delta=0.01).scale

    def exact(noise, **arguments):
        return 0 if noise.scale >= scale * (1 + needed) else 1

    monkeypatch.setattr(DiscreteGeneralizedGaussian, "exact_delta", exact)
    raised = rule.noise(epsilon=0.5, delta=0.01).scale
    assert scale * (1 + needed) <= raised <= scale * (1 + 2 * largest)
