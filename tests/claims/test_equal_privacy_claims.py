"""Claims at equal privacy: what they count, and the means of a full run by another program."""

import pytest
from equal_privacy_cases import CLAIMS, OF_ERRORS, with_mean
from mutations import verdict

from ggexp.claims.check import check_claims, compare
from ggexp.claims.experiment import stands_between
from ggexp.claims.noise import no_more_noise


@pytest.mark.parametrize("name", OF_ERRORS)
def test_a_mechanism_that_is_nowhere_the_least_is_refuted(equal_privacy, monkeypatch, name):
    large = with_mean(1e9, CLAIMS[name])(equal_privacy, monkeypatch)
    assert verdict(CLAIMS[name], compare(CLAIMS[name], large)) == "refuted"


def test_runs_without_these_mechanisms_leave_these_claims_out(full_run):
    assert check_claims(CLAIMS.values(), full_run).empty
    others = {"mechanism": "laplace", "above": [], "below": ["gg-1"]}
    assert stands_between(full_run, dataset="czech", metric="l1", **others) == []
    assert no_more_noise(full_run, mechanism="laplace", others=["gg-1"], within=0) == []


def test_noise_that_is_equal_but_for_rounding_counts_as_no_more(equal_privacy):
    parameters = {"mechanism": "gg-1", "others": ["gg-1"]}
    assert all(one.difference == 0 for one in no_more_noise(equal_privacy, **parameters, within=0))
    found = no_more_noise(equal_privacy, **parameters, within=0.1)
    assert len(found) == 12
    assert found[0].difference == pytest.approx(0.1 * 2.7191, rel=1e-4)


#: Means of 3,000 releases by another program, with three digits.
L1 = {
    ("mildew", 2): {"laplace": 22.9, "geometric": 14.8, "optimal": [14.3, 13.2, 11.9, 10.2]},
    ("mildew", 0.5): {"laplace": 60.4, "geometric": 59.4, "optimal": [55.7, 47.5, 40.6, 27.7]},
    ("czech", 2): {"laplace": 32.1, "geometric": 20.1, "optimal": [19.5, 17.8, 15.7, 13.3]},
    ("czech", 0.5): {"laplace": 125.1, "geometric": 121.7, "optimal": [108.8, 84.0, 66.8, 40.2]},
}


@pytest.mark.parametrize(("dataset", "epsilon"), L1, ids=str)
def test_the_run_has_the_l1_of_another_program(equal_privacy, dataset, epsilon):
    """Each mean within four standard errors of the difference, of 500 and 3,000 releases."""
    grid = equal_privacy.grid(dataset, "l1")
    for mechanism, means in L1[dataset, epsilon].items():
        at = (
            dict(zip((0.01, 0.05, 0.1, 0.25), means, strict=True))
            if mechanism == "optimal"
            else {None: means}
        )
        for delta, expected in at.items():
            found = grid.at(mechanism, epsilon, delta)
            error = found.se * (1 + 500 / 3000) ** 0.5
            assert abs(found.mean - expected) < 4 * error + 0.05


@pytest.mark.parametrize(
    ("dataset", "means"),
    [("mildew", [49.5, 45.5, 47.7]), ("czech", [89.3, 78.4, 84.7])],
)
def test_the_run_has_the_l1_of_another_program_for_continuous_noise(equal_privacy, dataset, means):
    """At (0.5, 0.1), with three digits; each within four standard errors of the difference."""
    grid = equal_privacy.grid(dataset, "l1")
    for order, expected in zip(("gg-1", "gg-2", "gg-3"), means, strict=True):
        found = grid.at(order, 0.5, 0.1)
        assert abs(found.mean - expected) < 4 * 2**0.5 * found.se + 0.05
