"""Random streams: each depends on a seed and a name, never on the order of execution."""

import hashlib

import numpy as np


def stream(seed: int, name: str, *indices: int) -> np.random.Generator:
    """Return the random stream of a seed, a name and optional indices, such as a repeat.

    name: identifies the draws; different names have different streams.
    """
    sequence = np.random.SeedSequence([seed, digest(name)], spawn_key=indices)
    return np.random.Generator(np.random.PCG64DXSM(sequence))


def digest(name: str) -> int:
    """Return the SHA-256 hash of a name, as an integer."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest())
