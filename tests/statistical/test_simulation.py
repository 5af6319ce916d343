"""Mean l1 and KL of releases of two tables against an independent simulation in plain numpy.

Both sides draw 2,000 repeats from unrelated streams. The difference of two means, divided by its
standard error, is normal. It exceeds 5.5 with probability 4e-8; the probability of a false alarm in
any of the 18 comparisons is 8e-7. A scale or a bound that is off by 30 % must be detected.
"""

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from formulas import lemma_10
from scipy.stats import gennorm

from ggexp import Mechanism
from ggexp.experiment.metrics import kl_dirichlet, l1
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.simulate import release

REPEATS = 2000
MAX_STANDARD_ERRORS = 5.5
MILDEW, CZECH = (
    pd.read_csv(ROOT / f"data/{name}.csv")["count"].to_numpy() for name in ("mildew", "czech")
)


def ggexp_results(counts, point):
    mechanism, rows = Mechanism(point.order, point.calibration), []
    noisy = NoisyPoint(point, mechanism.noise(epsilon=point.epsilon, delta=point.delta))
    for repeat in range(REPEATS):
        released = release(counts, noisy, seed=2016, repeat=repeat)
        rows.append((l1(counts, released), *kl_dirichlet(counts, released)))
    return np.array(rows)


def plain_results(counts, noise):
    """Return the metrics of all repeats, computed on one array by their definitions."""
    n = counts.sum()
    released = np.minimum(np.maximum(counts + noise, 0), n)
    released *= n / released.sum(axis=1, keepdims=True)
    f1 = (counts + 0.5) / (n + counts.size / 2)
    f2 = (released + 0.5) / (n + counts.size / 2)
    kl, reverse = f1 * np.log(f1 / f2), f2 * np.log(f2 / f1)
    return np.stack([np.abs(released - counts).sum(axis=1), kl.sum(axis=1), reverse.sum(axis=1)], 1)


def bounded_laplace(rng, size, factor):
    """Draw Laplace noise at (0.5, 0.1), redrawn until all is within the bound times a factor."""
    bound = factor * np.log(1 + np.expm1(0.5) / 0.2) / 0.5
    noise = rng.laplace(0, 2, size)
    while (outside := np.abs(noise) > bound).any():
        noise[outside] = rng.laplace(0, 2, outside.sum())
    return noise


def z_values(a, b):
    error = np.sqrt((a.var(axis=0, ddof=1) + b.var(axis=0, ddof=1)) / REPEATS)
    return np.abs(a.mean(axis=0) - b.mean(axis=0)) / error


@pytest.mark.parametrize(
    ("counts", "fields", "scale"),
    [
        (MILDEW, ("laplace", 1, "pure", 1.0, None), 1),
        (MILDEW, ("gaussian-pdp", 2, "pdp", 1.0, 0.01), np.sqrt(2) * lemma_10(1, 0.01)),
        (MILDEW, ("gaussian-adp", 2, "adp-classical", 0.5, 0.05), 2 * np.sqrt(np.log(25)) / 0.5),
        (MILDEW, ("ggm-3", 3, "pdp", 2.0, 0.25), 1.6579),
        (CZECH, ("gg-1.5", 1.5, "adp-exact", 2.0, 0.25), 0.62221),
        (MILDEW, ("truncated-laplace", 1, "adp-truncated", 0.5, 0.1), None),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_means_agree_with_a_simulation_of_its_own(counts, fields, scale):
    point = GridPoint("own", *fields)
    results, size = ggexp_results(counts, point), (REPEATS, counts.size)
    for factor in (1, 1.3, 1 / 1.3):
        rng = np.random.default_rng(77)
        if scale is None:
            noise = bounded_laplace(rng, size, factor)
        else:
            noise = gennorm.rvs(point.order, scale=factor * scale, size=size, random_state=rng)
        is_close = z_values(results, plain_results(counts, noise)) < MAX_STANDARD_ERRORS
        assert is_close.all() if factor == 1 else not is_close.any()
