"""Several values and several mechanisms: Theorems 1 to 4 of Laud and Pankova."""

from itertools import product
from math import exp, inf, log, prod, sqrt

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq, linprog
from scipy.sparse import coo_matrix

from ggexp.guarantees import advantage
from ggexp.guarantees import continuous_guesses as single
from ggexp.guarantees.compound_guesses import (
    best_radius,
    epsilon_for_all,
    epsilon_for_any,
    prior,
    together,
)
from ggexp.guarantees.continuous_guesses import Normal, Uniform, epsilon_within


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


def theorem_2(delta, inside, within, a):
    box = prod(within)
    hit = box - prod(q - p for p, q in zip(inside, within, strict=True))
    pairs = [(hit, box), *zip(inside, within, strict=True)]
    return min(printed(delta, p, q, a) for p, q in pairs)


@pytest.mark.parametrize("advantage_", [0.01, 0.1, 0.3])
def test_theorem_2_is_at_most_what_is_returned(advantage_):
    rng = np.random.default_rng(4)
    for values in (1, 2, 3, 6):
        inside = rng.uniform(0.01, 0.6 / values, values).tolist()
        within = rng.uniform(0.7, 1, values).tolist()
        found = epsilon_for_any(advantage=advantage_, inside=inside, within=within, radius=1.6)
        stated = theorem_2(advantage_, inside, within, 1.6)
        assert found >= stated - 1e-12
        assert (found == pytest.approx(stated, rel=1e-9)) == (values == 1)


def test_of_one_value_both_are_eqn_1():
    for found in (epsilon_for_all, epsilon_for_any):
        one = found(advantage=0.1, inside=[0.2], within=[0.9], radius=3)
        alone = epsilon_within(advantage=0.1, inside=0.2, within=0.9, radius=3)
        assert one == pytest.approx(alone, rel=1e-12)


def test_the_whole_space_is_the_discrete_case():
    """The cats: guessing gender and colour, radius 1; the bound of the rise alone."""
    found = epsilon_for_all(advantage=0.1, inside=[0.5, 0.4], within=[1, 1], radius=1)
    assert found == pytest.approx(advantage.epsilon_for(advantage=0.1, prior=0.2), rel=1e-12)
    # the prior 0.6 of red or male, whose rise alone asks for less than its fall
    either = epsilon_for_any(advantage=0.1, inside=[0.5, 0.2], within=[1, 1], radius=1)
    assert either == pytest.approx(log(0.7 / 0.3 * 0.4 / 0.6), rel=1e-12)
    assert either > advantage.epsilon_for(advantage=0.1, prior=0.6)


def test_priors_of_compound_guesses():
    assert prior([0.5, 0.4], either=False) == 0.2
    assert prior([0.5, 0.1], either=True) == pytest.approx(0.55)
    assert prior([0.3], either=True) == pytest.approx(prior([0.3], either=False))


def largest_rise(epsilon, weights, dimensions, event):
    """The largest rise of a right guess's probability by any outcome of ε-DP, by a linear program.

    Each value is a whole number with the middle of ``weights`` for its truth, which is guessed. Of
    likelihoods f with f(x) <= e^ε f(y) for the neighbours in the maximum norm, which are those of
    all outcomes, the one with the largest posterior.
    """
    middle = len(weights) // 2
    points = np.array([*product(range(-middle, middle + 1), repeat=dimensions)])
    mass = np.array([*map(prod, product(weights, repeat=dimensions))])
    right = (points == 0).all(axis=1) if event == "all" else (points == 0).any(axis=1)
    far = np.abs(points[:, None] - points).max(axis=2)
    first, second = np.nonzero(far == 1)
    rows = np.arange(first.size)
    ratios = coo_matrix(
        (
            np.r_[np.ones(first.size), np.full(first.size, -exp(epsilon))],
            (np.r_[rows, rows], np.r_[first, second]),
        ),
        shape=(first.size, len(points)),
    )
    found = linprog(
        -mass * right, ratios.tocsr(), np.zeros(first.size), mass[None], [1], bounds=(0, None)
    )
    assert found.success
    return -found.fun - mass[right].sum()


@pytest.mark.parametrize(
    ("dimensions", "weights"),
    [
        (2, (0.1, 0.2, 0.4, 0.2, 0.1)),
        (2, (0.3, 0.1, 0.2, 0.1, 0.3)),
        (3, (0.15, 0.2, 0.3, 0.2, 0.15)),
    ],
)
@pytest.mark.parametrize("event", ["all", "any"])
def test_no_outcome_at_all_gives_more(event, dimensions, weights):
    """The radius is ‖a‖ as the priors are symmetric, and Theorem 2's ε_k are not needed."""
    theorem = epsilon_for_all if event == "all" else epsilon_for_any
    for radius in (1, 2):
        inside = [weights[2]] * dimensions
        within = [min(1, sum(weights[2 - radius : 3 + radius]))] * dimensions
        for advantage_ in (0.05, 0.3):
            epsilon = theorem(advantage=advantage_, inside=inside, within=within, radius=radius)
            if epsilon > 0:
                assert largest_rise(epsilon, weights, dimensions, event) <= advantage_ + 1e-7
                assert largest_rise(5 * epsilon, weights, dimensions, event) > advantage_


@pytest.mark.parametrize("either", [False, True])
def test_best_radius_of_one_value(either):
    for one in (Normal(3), Uniform(5), Uniform(50)):
        found = best_radius(advantage=0.1, priors=[one], precision=1, either=either)
        alone = single.best_radius(advantage=0.1, prior=one, precision=1)
        assert found == pytest.approx(alone, rel=1e-6)


@pytest.mark.parametrize("either", [False, True])
@pytest.mark.parametrize("widths", [(3, 30), (3, 3, 40), (2, 5, 9, 20)])
def test_best_radius_is_the_best_of_a_fine_grid(widths, either):
    """Of uniform values some of which lie within less than the radius."""
    found = best_radius(
        advantage=0.1, priors=[Uniform(width) for width in widths], precision=1, either=either
    )
    a = np.linspace(1, max(widths), 200_001)[1:]
    p = 1 / np.array(widths)
    g = np.minimum(a[:, None] / np.array(widths), 1)
    if either:
        posterior = 1 - (1 - p).prod() + 0.1
        missed = (1 - p / g).prod(axis=1)
        odds = missed / (1 - missed)
    else:
        posterior = p.prod() + 0.1
        odds = g.prod(axis=1) / p.prod() - 1
    best = (np.log(odds * posterior / (1 - posterior)) / a).max()
    assert best * (1 - 1e-12) <= found.epsilon < best * (1 + 1e-5)  # it bends where a is a width


@pytest.mark.parametrize("values", [2, 3, 5])
@pytest.mark.parametrize("advantage_", [0.05, 0.1, 0.4])
def test_best_radius_of_uniform_values_by_its_derivative(values, advantage_):
    """e^(-aε) ((a/r)^n - 1) is largest where ε = n a^(n-1) / (a^n - r^n), r = 1."""
    found = best_radius(
        advantage=advantage_, priors=[Uniform(20)] * values, precision=1, either=False
    )
    posterior = 20.0**-values + advantage_
    odds = posterior / (1 - posterior)

    def excess(a):
        return a * values * a ** (values - 1) / (a**values - 1) - log((a**values - 1) * odds)

    radius = brentq(excess, 1 + 1e-9, 20)
    assert found.radius == pytest.approx(radius, rel=1e-4)
    assert found.epsilon == pytest.approx(values * radius ** (values - 1) / (radius**values - 1))
    # a box is the ball of the maximum norm
    ball = single.best_radius(advantage=advantage_, prior=Uniform(20, values), precision=1)
    assert found == pytest.approx(ball, rel=1e-6)


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
        (lambda: prior([0.5, 1.5], either=True), "prior must be .* got 1.5"),
        (
            lambda: best_radius(advantage=0.1, priors=[], precision=1, either=True),
            "priors .*at least one.* none",
        ),
        (
            lambda: best_radius(
                advantage=0.1, priors=[Uniform(2), Uniform(1)], precision=1, either=True
            ),
            "precision must be less than 1, got 1",
        ),
        (lambda: together([]), "epsilons .*at least one.* none"),
        (lambda: together([-1]), "epsilons must be .* >= 0, got -1"),
        (lambda: together([1], norm=0.5), "norm must be .* got 0.5"),
        (
            lambda: epsilon_for_all(advantage=0.1, inside=[0.1], within=[1, 1], radius=1),
            "inside .*within .*length .*1 and 2",
        ),
        (
            lambda: epsilon_for_any(advantage=0.1, inside=[0.1], within=[0.1], radius=1),
            r"within .*\(0\.1, 1\], got 0\.1",
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
