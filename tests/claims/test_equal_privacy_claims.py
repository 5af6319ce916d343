"""Claims at equal privacy: their verdicts, and the means of a full run by another program."""

import pytest
from equal_privacy_cases import CLAIMS, SMALLEST_ERROR_CLAIMS, with_mean
from mutations import verdict

from ggexp.claims.check import check_claims, compare
from ggexp.claims.experiment import stands_between
from ggexp.claims.noise import no_more_noise


@pytest.mark.parametrize("name", SMALLEST_ERROR_CLAIMS)
def test_a_mechanism_that_is_nowhere_the_smallest_is_refuted(equal_privacy, monkeypatch, name):
    large = with_mean(1e9, CLAIMS[name])(equal_privacy, monkeypatch)
    assert verdict(CLAIMS[name], compare(CLAIMS[name], large)) == "refuted"


def test_claims_are_omitted_without_their_mechanisms(full_run):
    assert check_claims(CLAIMS.values(), full_run).empty
    parameters = {"mechanism": "laplace", "above": [], "below": ["gg-1"]}
    assert stands_between(full_run, dataset="czech", metric="l1", **parameters) == []
    assert no_more_noise(full_run, mechanism="laplace", others=["gg-1"], within=0) == []


def test_noise_that_differs_by_rounding_is_not_more_noise(equal_privacy):
    parameters = {"mechanism": "gg-1", "others": ["gg-1"]}
    assert all(c.difference == 0 for c in no_more_noise(equal_privacy, **parameters, within=0))
    comparisons = no_more_noise(equal_privacy, **parameters, within=0.1)
    assert len(comparisons) == 12
    assert comparisons[0].difference == pytest.approx(0.1 * 2.7191, rel=1e-4)


#: Means of 3,000 releases by another program, rounded to three digits.
L1 = {
    ("mildew", 2): {"laplace": 22.9, "geometric": 14.8, "optimal": [14.3, 13.2, 11.9, 10.2]},
    ("mildew", 0.5): {"laplace": 60.4, "geometric": 59.4, "optimal": [55.7, 47.5, 40.6, 27.7]},
    ("czech", 2): {"laplace": 32.1, "geometric": 20.1, "optimal": [19.5, 17.8, 15.7, 13.3]},
    ("czech", 0.5): {"laplace": 125.1, "geometric": 121.7, "optimal": [108.8, 84.0, 66.8, 40.2]},
}


@pytest.mark.parametrize(("dataset", "epsilon"), L1, ids=str)
def test_l1_agrees_with_another_program(equal_privacy, dataset, epsilon):
    """Each mean is within four standard errors of the difference, for 500 and 3,000 releases."""
    grid = equal_privacy.grid(dataset, "l1")
    for mechanism, means in L1[dataset, epsilon].items():
        means_by_delta = (
            dict(zip((0.01, 0.05, 0.1, 0.25), means, strict=True))
            if mechanism == "optimal"
            else {None: means}
        )
        for delta, expected in means_by_delta.items():
            estimate = grid.at(mechanism, epsilon, delta)
            error = estimate.se * (1 + 500 / 3000) ** 0.5
            assert abs(estimate.mean - expected) < 4 * error + 0.05


@pytest.mark.parametrize(
    ("dataset", "means"),
    [("mildew", [49.5, 45.5, 47.7]), ("czech", [89.3, 78.4, 84.7])],
)
def test_l1_of_continuous_noise_agrees_with_another_program(equal_privacy, dataset, means):
    """At (0.5, 0.1); each mean is within four standard errors of the difference."""
    grid = equal_privacy.grid(dataset, "l1")
    for order, expected in zip(("gg-1", "gg-2", "gg-3"), means, strict=True):
        estimate = grid.at(order, 0.5, 0.1)
        assert abs(estimate.mean - expected) < 4 * 2**0.5 * estimate.se + 0.05
