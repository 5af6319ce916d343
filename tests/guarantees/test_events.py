"""Several targets and several mechanisms: Theorems 1 to 4 of Laud and Pankova."""

from math import inf, log, prod, sqrt

import mpmath
import numpy as np
import pytest

from ggexp.guarantees import advantage
from ggexp.guarantees.events import epsilon_for_all, epsilon_for_any, together
from ggexp.guarantees.precision import epsilon_within


def printed(delta, p, q, a):
    with mpmath.workdps(30):
        p, q, delta = (mpmath.mpf(x) for x in (p, q, delta))
        return float(-mpmath.log(p / (q - p) * (1 / (delta + p) - 1)) / a)


INSIDE, WITHIN = (0.2, 0.3, 0.5), (0.8, 0.9, 0.95)


def test_theorem_1_as_printed():
    found = epsilon_for_all(advantage=0.1, inside=INSIDE, within=WITHIN, radius=2)
    assert found == pytest.approx(printed(0.1, prod(INSIDE), prod(WITHIN), 2), rel=1e-12)
    one = epsilon_for_all(advantage=0.1, inside=[0.2], within=[0.8], radius=2)
    assert one == pytest.approx(printed(0.1, 0.2, 0.8, 2))


def test_theorem_2_is_the_least_of_its_parts():
    # uniform within 1 of the truth, radii 0.8: g is linear, so that Π g(a - r) is as printed
    inside, within = (0.1, 0.3), (0.8, 0.8)
    box = 0.8 * 0.8
    hit = box - (0.8 - 0.1) * (0.8 - 0.3)
    parts = [printed(0.1, hit, box, 1.6), printed(0.1, 0.1, 0.8, 1.6), printed(0.1, 0.3, 0.8, 1.6)]
    found = epsilon_for_any(advantage=0.1, inside=inside, within=within, radius=1.6)
    assert found == pytest.approx(min(parts), rel=1e-12)
    rng = np.random.default_rng(3)
    x, y = np.abs(rng.uniform(-1, 1, (2, 1_000_000)))
    simulated = ((x <= 0.8) & (y <= 0.8) & ((x <= 0.1) | (y <= 0.3))).mean()
    assert abs(simulated - hit) < 5 * sqrt(hit * (1 - hit) / 1e6)  # false alarm 6e-7
    assert abs(simulated - 0.9 * hit) > 5 * sqrt(hit * (1 - hit) / 1e6)


def test_of_one_target_both_are_eqn_1():
    for found in (epsilon_for_all, epsilon_for_any):
        one = found(advantage=0.1, inside=[0.2], within=[0.9], radius=3)
        alone = epsilon_within(advantage=0.1, inside=0.2, within=0.9, radius=3)
        assert one == pytest.approx(alone, rel=1e-12)


def test_the_whole_space_is_the_discrete_case():
    """The cats: guessing gender and colour, radius 1; the bound of the rise alone."""
    found = epsilon_for_all(advantage=0.1, inside=[0.5, 0.4], within=[1, 1], radius=1)
    assert found == pytest.approx(advantage.epsilon_for(advantage=0.1, prior=0.2), rel=1e-12)
    # Theorem 2 also protects each target for itself, so it asks for no less noise
    either = epsilon_for_any(advantage=0.1, inside=[0.5, 0.4], within=[1, 1], radius=1)
    assert either <= log(1 + 0.1 / (0.7 * 0.2))


@pytest.mark.parametrize("advantage_", [0.05, 0.2])
@pytest.mark.parametrize("event", ["all", "any"])
def test_no_release_of_two_values_gives_more(advantage_, event):
    """Two uniform values on a grid, after Laplace noise in the maximum norm, wherever it is."""
    axis = np.linspace(-1, 1, 81)
    x, y = np.meshgrid(axis, axis)
    near = (np.abs(x) <= 0.2 + 1e-9, np.abs(y) <= 0.4 + 1e-9)
    right = near[0] & near[1] if event == "all" else near[0] | near[1]
    inside = [(np.abs(axis) <= r + 1e-9).mean() for r in (0.2, 0.4)]
    theorem, radius = (epsilon_for_all, 1.4) if event == "all" else (epsilon_for_any, 2.0)
    epsilon = theorem(advantage=advantage_, inside=inside, within=[1, 1], radius=radius)
    prior = right.mean()
    posteriors = {1: [], 10: []}
    for factor, found in posteriors.items():
        for cx, cy in np.random.default_rng(0).uniform(-1, 1, (200, 2)):
            distance = np.maximum(np.abs(x - cx), np.abs(y - cy))
            likelihood = np.exp(-factor * epsilon * distance)
            found.append((likelihood * right).sum() / likelihood.sum())
    assert max(posteriors[1]) - prior < advantage_
    assert max(posteriors[10]) - prior > advantage_


@pytest.mark.parametrize("norm", [1, 1.5, 2, 7, inf])
def test_dual_norm_is_the_largest_total(norm):
    """Theorem 4's proof: the largest Σ ε_i d_i over distances of norm 1, here by trying."""
    epsilons = np.array([0.5, 1.0, 2.0])
    found = together([*epsilons], norm=norm)
    d = np.abs(np.random.default_rng(2).normal(size=(20_000, 3))) ** 2
    d = np.concatenate([d, np.eye(3), np.ones((1, 3))])
    totals = (d / np.linalg.norm(d, norm, axis=1, keepdims=True)) @ epsilons
    assert totals.max() <= found * (1 + 1e-12)
    assert totals.max() == pytest.approx(found, rel=2e-3)


def test_norms_of_the_paper():
    assert together([0.5, 1, 2], norm=1) == 2  # parallel: one part changes
    assert together([0.5, 1, 2]) == 3.5  # sequential: all do
    assert together([3, 4], norm=2) == pytest.approx(5)
    assert together([0, 0]) == 0
    assert together([1e200, 1e200], norm=2) == pytest.approx(sqrt(2) * 1e200)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: together([]), "epsilons must be at least one number"),
        (lambda: together([-1]), "epsilons must be .* >= 0, got -1"),
        (lambda: together([1], norm=0.5), "norm must be .* got 0.5"),
        (
            lambda: epsilon_for_all(advantage=0.1, inside=[0.1], within=[1, 1], radius=1),
            "inside and within must be of one length >= 1, got 1 and 2",
        ),
        (
            lambda: epsilon_for_any(advantage=0.1, inside=[0.1], within=[0.1], radius=1),
            r"within must be a number in \(0.1, 1\], got 0.1",
        ),
        (
            lambda: epsilon_for_any(advantage=0.1, inside=[0], within=[0.1], radius=1),
            "inside must be .* between 0 and 1, got 0",
        ),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
