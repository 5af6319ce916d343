"""Several values and several mechanisms: Theorems 1 to 4 of Laud and Pankova."""

from itertools import product
from math import exp, inf, prod, sqrt

import numpy as np
import pytest
from formulas import printed_epsilon
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

from ggexp.companions.guesses import (
    Uniform,
    best_joint_radius,
    epsilon_for_all,
    epsilon_for_any,
    prior,
    together,
)

INSIDE, WITHIN = (0.2, 0.3, 0.5), (0.8, 0.9, 0.95)


def test_theorem_1_as_printed():
    result = epsilon_for_all(advantage=0.1, inside=INSIDE, within=WITHIN, radius=2)
    expected = printed_epsilon(0.1, prod(INSIDE), prod(WITHIN), 2)
    assert result == pytest.approx(expected, rel=1e-12)
    single_value = epsilon_for_all(advantage=0.1, inside=[0.2], within=[0.8], radius=2)
    assert single_value == pytest.approx(printed_epsilon(0.1, 0.2, 0.8, 2))


def epsilon_of_theorem_2(delta, inside, within, a):
    box = prod(within)
    hit = box - prod(q - p for p, q in zip(inside, within, strict=True))
    pairs = [(hit, box), *zip(inside, within, strict=True)]
    return min(printed_epsilon(delta, p, q, a) for p, q in pairs)


@pytest.mark.parametrize("advantage_", [0.01, 0.3])
def test_theorem_2_is_at_most_what_is_returned(advantage_):
    rng = np.random.default_rng(4)
    for values in (1, 2, 3, 6):
        inside = rng.uniform(0.01, 0.6 / values, values).tolist()
        within = rng.uniform(0.7, 1, values).tolist()
        result = epsilon_for_any(advantage=advantage_, inside=inside, within=within, radius=1.6)
        stated = epsilon_of_theorem_2(advantage_, inside, within, 1.6)
        assert result >= stated - 1e-12
        assert (result == pytest.approx(stated, rel=1e-9)) == (values == 1)


def largest_rise(epsilon, weights, dimensions, event):
    """The largest increase of the probability of a right guess under ε-DP, by a linear program.

    Each value is a whole number, and its truth is the middle of ``weights``, which is also guessed.
    The program maximizes the posterior over all likelihoods f with f(x) <= e^ε f(y) for neighbours
    in the maximum norm. These are the likelihoods of all possible outcomes.
    """
    middle = len(weights) // 2
    points = np.array([*product(range(-middle, middle + 1), repeat=dimensions)])
    mass = np.array([*map(prod, product(weights, repeat=dimensions))])
    right = (points == 0).all(axis=1) if event == "all" else (points == 0).any(axis=1)
    distances = np.abs(points[:, None] - points).max(axis=2)
    first, second = np.nonzero(distances == 1)
    rows = np.arange(first.size)
    ratios = coo_matrix(
        (
            np.r_[np.ones(first.size), np.full(first.size, -exp(epsilon))],
            (np.r_[rows, rows], np.r_[first, second]),
        ),
        shape=(first.size, len(points)),
    )
    result = linprog(
        -mass * right, ratios.tocsr(), np.zeros(first.size), mass[None], [1], bounds=(0, None)
    )
    assert result.success
    return -result.fun - mass[right].sum()


@pytest.mark.parametrize(
    ("dimensions", "weights"), [(2, (0.3, 0.1, 0.2, 0.1, 0.3)), (3, (0.15, 0.2, 0.3, 0.2, 0.15))]
)
@pytest.mark.parametrize("event", ["all", "any"])
def test_no_outcome_exceeds_the_advantage(event, dimensions, weights):
    """The radius is ‖a‖ because the priors are symmetric, and Theorem 2's ε_k are not needed."""
    theorem = epsilon_for_all if event == "all" else epsilon_for_any
    tried = 0
    for radius in (1, 2):
        inside = [weights[2]] * dimensions
        within = [min(1, sum(weights[2 - radius : 3 + radius]))] * dimensions
        for advantage_ in (0.05, 0.3):
            epsilon = theorem(advantage=advantage_, inside=inside, within=within, radius=radius)
            if epsilon > 0:
                assert largest_rise(epsilon, weights, dimensions, event) <= advantage_ + 1e-7
                assert largest_rise(5 * epsilon, weights, dimensions, event) > advantage_
                tried += 1
    assert tried


@pytest.mark.parametrize("either", [False, True])
@pytest.mark.parametrize("widths", [(3, 30), (2, 5, 9, 20)])
def test_best_radius_is_the_best_of_a_fine_grid(widths, either):
    """For uniform values, some of which have a largest distance below the radius."""
    result = best_joint_radius(
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
    assert best * (1 - 1e-12) <= result.epsilon < best * (1 + 1e-5)  # kinks where a is a width


@pytest.mark.parametrize("norm", [1, 1.5, 7, inf])
def test_dual_norm_is_the_largest_total(norm):
    """Theorem 4's proof: the largest Σ ε_i d_i over distances d of norm 1, by random search."""
    epsilons = np.array([0.5, 1.0, 2.0])
    result = together([*epsilons], norm=norm)
    d = np.abs(np.random.default_rng(2).normal(size=(20_000, 3))) ** 2
    d = np.concatenate([d, np.eye(3), np.ones((1, 3))])
    totals = (d / np.linalg.norm(d, norm, axis=1, keepdims=True)) @ epsilons
    assert totals.max() <= result * (1 + 1e-12)
    assert totals.max() == pytest.approx(result, rel=2e-3)


def test_norms_of_the_paper():
    assert together([0.5, 1, 2], norm=1) == 2  # parallel: one part changes
    assert together([0.5, 1, 2]) == 3.5  # sequential: all parts change
    assert together([3, 4], norm=2) == pytest.approx(5)
    assert together([0, 0]) == 0
    assert together([1e200, 1e200], norm=2) == pytest.approx(sqrt(2) * 1e200)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (prior, {"probabilities": [0.5, 1.5], "either": True}, "prior must be .* got 1.5"),
        (best_joint_radius, {"priors": []}, "priors .*at least one.* none"),
        (together, {"epsilons": [1], "norm": 0.5}, "norm must be .* got 0.5"),
        (epsilon_for_all, {"inside": [0.1], "within": [1, 1]}, "inside and within .*1 and 2"),
        (epsilon_for_any, {"inside": [0], "within": [0.1]}, "inside must be .* 0 and 1, got 0"),
    ],
)
def test_bad_arguments(function, arguments, message):
    if function is best_joint_radius:
        arguments = arguments | {"advantage": 0.1, "precision": 1, "either": True}
    if function in (epsilon_for_all, epsilon_for_any):
        arguments = arguments | {"advantage": 0.1, "radius": 1}
    with pytest.raises(ValueError, match=message):
        function(**arguments)
