"""Random streams: each is made of a seed and a name, and never of an order of execution."""

import hashlib

import numpy as np


def stream(seed: int, name: str, *place: int) -> np.random.Generator:
    """Return the random stream of a seed, a name and, if there is one, a place such as a repeat.

    name: what is drawn, and where: different names have different streams.
    """
    sequence = np.random.SeedSequence([seed, digest(name)], spawn_key=place)
    return np.random.Generator(np.random.PCG64DXSM(sequence))


def digest(name: str) -> int:
    """Return 256 bits that tell names apart."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest())
