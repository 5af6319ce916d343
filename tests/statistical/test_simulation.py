"""Mean l1 and KL of the mildew experiment against an independent simulation in plain numpy.

Both sides draw 2,000 repeats from unrelated streams. The difference of two means, divided by its
standard error, is normal. It exceeds 5.5 with probability 4e-8; the probability of a false alarm in
any of the twelve comparisons is 5e-7. A scale that is off by 30 % must be detected.
"""

import numpy as np
import pytest
from scipy.stats import gennorm

from ggexp import Mechanism
from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.sanitize import release

REPEATS = 2000
MAX_STANDARD_ERRORS = 5.5
# Christiansen and Giese (1990); the first factor varies fastest
MILDEW = np.array(
    """
    0 0 0 0 3 0 1 0 0 1 0 0 0 1 0 0 1 0 1 0 7 1 4 0 0 0 0 2 1 3 0 11
    16 1 4 0 1 0 0 0 1 4 1 4 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
    """.split(),
    dtype=np.int64,
)
SIGMA_PDP = (np.sqrt(2.5758293035489004**2 + 2) + 2.5758293035489004) / 2  # Lemma 10 at (1, 0.01)


def ggexp_results(point):
    mechanism, rows = Mechanism(point.order, point.calibration), []
    noisy = NoisyPoint(point, mechanism.noise(epsilon=point.epsilon, delta=point.delta))
    for repeat in range(REPEATS):
        released = release(MILDEW, noisy, seed=2016, repeat=repeat)
        rows.append((l1(MILDEW, released), *kl_dirichlet(MILDEW, released)))
    return np.array(rows)


def plain_results(noise):
    """Return the metrics of all repeats, computed on one array by their definitions."""
    n = MILDEW.sum()
    counts = np.minimum(np.maximum(MILDEW + noise, 0), n)
    counts *= n / counts.sum(axis=1, keepdims=True)
    f1 = (MILDEW + 0.5) / (n + 32)
    f2 = (counts + 0.5) / (n + 32)
    return np.stack(
        [
            np.abs(counts - MILDEW).sum(axis=1),
            (f1 * np.log(f1 / f2)).sum(axis=1),
            (f2 * np.log(f2 / f1)).sum(axis=1),
        ],
        axis=1,
    )


def z_values(a, b):
    error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / REPEATS)
    return np.abs(a.mean(axis=0) - b.mean(axis=0)) / error


@pytest.mark.parametrize(
    ("fields", "draw"),
    [
        (("laplace", 1, "pure", 1.0, None), lambda rng, size: rng.laplace(0, 1, size)),
        (
            ("gaussian-pdp", 2, "pdp", 1.0, 0.01),
            lambda rng, size: rng.normal(0, SIGMA_PDP, size),
        ),
        (
            ("gaussian-adp", 2, "adp-classical", 0.5, 0.05),
            lambda rng, size: rng.normal(0, np.sqrt(2 * np.log(25)) / 0.5, size),
        ),
        (
            ("ggm-3", 3, "pdp", 2.0, 0.25),
            lambda rng, size: gennorm.rvs(3, scale=1.6579, size=size, random_state=rng),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_means_agree_with_a_simulation_of_its_own(fields, draw):
    results = ggexp_results(GridPoint("mildew", *fields))
    noise = draw(np.random.default_rng(77), (REPEATS, MILDEW.size))
    assert (z_values(results, plain_results(noise)) < MAX_STANDARD_ERRORS).all()
    assert (z_values(results, plain_results(1.3 * noise)) > MAX_STANDARD_ERRORS).all()
    assert (z_values(results, plain_results(noise / 1.3)) > MAX_STANDARD_ERRORS).all()
