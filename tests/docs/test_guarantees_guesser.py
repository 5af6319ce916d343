"""The numbers that docs/guarantees.md says of a guesser and of the first version's figures."""

from itertools import pairwise
from math import erf, exp, log, sqrt, tanh

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm

from ggexp.figures import tabulate_first_version
from ggexp.guarantees import advantage
from ggexp.guarantees.precision import Normal, best_radius
from ggexp.guarantees.relaxed import of_adp, of_pdp

SALARIES, SHIPS = sqrt(55556), sqrt(1250)


@pytest.mark.parametrize(
    ("radius", "prior", "expected"),
    [
        (1, None, (0.025, 0.124, 0.245, 0.462, 0.762)),
        (1, 0.01, (0.001, 0.006, 0.017, 0.059, 0.345)),
        (2, None, (0.050, 0.245, 0.462, 0.762, 0.964)),
        (2, 0.01, (0.002, 0.017, 0.059, 0.345, 0.958)),
    ],
)
def test_advantages(radius, prior, expected):
    found = [advantage.of(epsilon=e, prior=prior, radius=radius) for e in (0.1, 0.5, 1, 2, 4)]
    assert found == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        (0.5, (0.133, 0.168, 0.212, 0.343)),
        (1, (0.252, 0.283, 0.320, 0.434)),
        (2, (0.467, 0.489, 0.516, 0.597)),
    ],
)
def test_means_with_a_delta(epsilon, expected):
    deltas = (0.01, 0.05, 0.1, 0.25)
    found = [of_pdp(epsilon=epsilon, delta=d, prior=None).average for d in deltas]
    assert found == pytest.approx([(1 - d) * tanh(epsilon / 4) + d for d in deltas])
    assert found == pytest.approx(expected, abs=5e-4)


def test_approximate_dp():
    for probability, expected in ((0.9, 0.435), (0.5, 0.278)):
        found = of_adp(epsilon=1, delta=0.05, prior=None, probability=probability)
        assert found.advantage == pytest.approx(expected, abs=5e-4)
    small = of_adp(epsilon=1, delta=1e-6, prior=None, probability=0.999)
    assert small.advantage == pytest.approx(0.2452, abs=5e-5)


def after_laplace(epsilon, sd, within, truth=0.0, peak=0.0):
    """The advantage after Laplace noise of ε per unit on a normal value, released at the peak."""
    ends = (truth - within, truth + within)
    cuts = sorted({-9 * sd, *ends, peak, 9 * sd})
    parts = {
        (a, b): quad(lambda x: exp(-epsilon * abs(x - peak) - (x / sd) ** 2 / 2), a, b)[0]
        for a, b in pairwise(cuts)
    }
    hit = sum(part for (a, b), part in parts.items() if ends[0] <= a and b <= ends[1])
    return hit / sum(parts.values()) - norm.cdf(ends[1] / sd) + norm.cdf(ends[0] / sd)


@pytest.mark.parametrize(
    ("sd", "within", "prior", "printed", "at_it", "radius", "epsilon", "exact"),
    [
        (SALARIES, 100, 0.3286, 0.0038, 0.167, 467.8, 0.000757, 0.00222),
        (SHIPS, 10, 0.2227, 0.063, 0.312, 63.3, 0.00647, 0.0190),
    ],
)
def test_continuous_examples(sd, within, prior, printed, at_it, radius, epsilon, exact):
    assert erf(within / sd / sqrt(2)) == pytest.approx(prior, abs=5e-5)
    best = best_radius(advantage=0.1, prior=Normal(sd), precision=within)
    assert best.radius == pytest.approx(radius, abs=0.05)
    assert best.epsilon == pytest.approx(epsilon, rel=1e-3)
    # by the symmetry of the prior the peak in the middle is the best for the guesser
    peaks = np.linspace(0, within, 5)
    assert np.argmax([after_laplace(printed, sd, within, 0, peak) for peak in peaks]) == 0
    assert after_laplace(printed, sd, within) == pytest.approx(at_it, abs=5e-4)
    found = brentq(lambda e: after_laplace(e, sd, within) - 0.1, epsilon, printed)
    assert found == pytest.approx(exact, rel=3e-3)


def test_salaries_off_the_mean():
    largest = max(
        after_laplace(0.000757, SALARIES, 100, truth, truth + off)
        for truth in range(0, 601, 50)
        for off in (-100, -50, 0, 50, 100)
    )
    assert 0.038 < largest < 0.039


def test_ratios_of_figure_2():
    table = tabulate_first_version.densities()
    laplaces = table[table["delta"].isna()].groupby("epsilon")["sd"].first()
    for delta, expected in ((0.25, (0.94, 1.05, 1.22)), (0.1, (1.26, 1.35, 1.50))):
        gaussians = table[table["delta"] == delta].groupby("epsilon")["sd"].first()
        assert (gaussians / laplaces).to_numpy() == pytest.approx(expected, abs=6e-3)
    gaussian = table[table["delta"].notna()].drop_duplicates(["epsilon", "delta"])
    near = [
        1 - 2 * norm.sf(log(2) / row["epsilon"] / row["sd"]) for row in gaussian.to_dict("records")
    ]
    assert (min(near), max(near)) == pytest.approx((0.19, 0.40), abs=5e-3)


def test_ratios_of_figure_3():
    table = tabulate_first_version.histograms(np.random.default_rng(1))
    first = table.drop_duplicates(["bound", "epsilon", "delta"])
    laplaces = first[first["delta"].isna()].drop(columns="delta")
    both = first[first["delta"].notna()].merge(laplaces, on=["bound", "epsilon"])
    before, after = both["sd_x"] / both["sd_y"], both["bounded_sd_x"] / both["bounded_sd_y"]
    evened = np.abs(np.log(after)) < np.abs(np.log(before))
    higher = both["probability_x"] > both["probability_y"]
    assert (evened.sum(), higher.sum(), len(both)) == (13, 19, 24)
    assert evened[(both["bound"] == 2) & (both["delta"] < 0.2)].all()
    large = both["delta"] == 0.25
    assert not evened[large].any()
    assert large.sum() == 6
    assert not higher[large & (both["bound"] == 5)].any()
    one = (both["bound"] == 2) & (both["epsilon"] == 0.5) & (both["delta"] == 0.01)
    assert (before[one].item(), after[one].item()) == pytest.approx((1.89, 1.23), abs=5e-3)
