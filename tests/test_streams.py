"""Random streams depend on a seed, a name and indices, and never change."""

import numpy as np

from ggexp.streams import digest, stream


def test_streams_depend_on_all_arguments_and_never_change() -> None:
    arguments = [(1, "a"), (2, "a"), (1, "b"), (1, "a", 0), (1, "a", 1)]
    assert len({stream(*values).random() for values in arguments}) == len(arguments)
    assert stream(1, "a", 1).random() == stream(1, "a", 1).random()
    number = 0x_CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB  # sha256 of "a"
    assert digest("a") == number
    for indices in [(), (0,), (3,)]:
        sequence = np.random.SeedSequence([7, number], spawn_key=indices)
        expected = np.random.Generator(np.random.PCG64DXSM(sequence)).bytes(16)
        assert stream(7, "a", *indices).bytes(16) == expected
