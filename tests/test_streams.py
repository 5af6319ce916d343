"""Random streams: of a seed, a name and a place, with the bits of every run before."""

import numpy as np

from ggexp.streams import digest, stream


def test_each_seed_name_and_place_has_a_stream_of_its_own() -> None:
    places = [(1, "a"), (2, "a"), (1, "b"), (1, "a", 0), (1, "a", 1)]
    assert len({stream(*place).random() for place in places}) == len(places)
    assert stream(1, "a", 1).random() == stream(1, "a", 1).random()


def test_the_bits_never_change() -> None:
    """Written by hand from numpy: results are made of these."""
    number = 0x_CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB  # sha256 of "a"
    assert digest("a") == number
    for place in [(), (0,), (3,)]:
        sequence = np.random.SeedSequence([7, number], spawn_key=place)
        expected = np.random.Generator(np.random.PCG64DXSM(sequence)).bytes(16)
        assert stream(7, "a", *place).bytes(16) == expected
