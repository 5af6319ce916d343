"""Guesses within a precision, of one or several values: equations of Laud and Pankova."""

from itertools import product
from math import exp, inf, prod, sqrt

import mpmath
import numpy as np
import pytest
from formulas import printed_epsilon
from scipy.optimize import linprog
from scipy.sparse import coo_matrix
from scipy.stats import gamma, norm

from ggexp.companions.guesses import (
    Normal,
    Uniform,
    ball_epsilon,
    best_joint_radius,
    best_radius,
    epsilon_for_all,
    epsilon_for_any,
    epsilon_within,
    prior,
    together,
)


@pytest.mark.parametrize(
    ("advantage", "inside", "within"), [(0.1, 0.42, 0.6), (0.1, 0.45, 1), (0.01, 1e-9, 0.5)]
)
def test_eqn_1_as_printed(advantage, inside, within):
    expected = printed_epsilon(advantage, inside, within, 7)
    result = epsilon_within(advantage=advantage, inside=inside, within=within, radius=7)
    assert result == pytest.approx(expected, rel=1e-12)
    assert (result > 0) == (within > inside / (inside + advantage))


def test_the_papers_salaries_and_ships():
    """Sections 6.2 and 6.3: the printed priors are wrong, and the printed radius allows no ε."""
    for sd, precision, inside, radius, best, epsilon in (
        (sqrt(55556), 100, 0.3286, 200, 467.8, 7.569e-4),
        (sqrt(1250), 10, 0.2227, 20, 63.26, 6.468e-3),
    ):
        prior = Normal(sd)
        assert prior.mass(precision) == pytest.approx(inside, abs=5e-5)
        assert prior.mass(precision) == pytest.approx(1 - 2 * norm.sf(precision / sd))
        at_200 = epsilon_within(
            advantage=0.1, inside=prior.mass(precision), within=prior.mass(radius), radius=radius
        )
        assert at_200 < 0
        result = best_radius(advantage=0.1, prior=prior, precision=precision)
        assert result.radius == pytest.approx(best, rel=2e-4)
        assert result.epsilon == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize("either", [False, True])
@pytest.mark.parametrize(
    ("advantage", "priors"),
    [
        (0.01, [Normal(3)]),
        (0.4, [Uniform(5)]),
        (0.1, [Uniform(50)]),
        (0.1, [Uniform(3), Uniform(30)]),
        (0.1, [Uniform(2), Uniform(5), Uniform(9), Uniform(20)]),
    ],
)
def test_the_best_radius_is_the_best_of_a_fine_grid(advantage, priors, either):
    """For values, some of which have a largest distance below the radius."""
    result = best_joint_radius(advantage=advantage, priors=priors, precision=1, either=either)
    ends = [prior.largest for prior in priors]
    radii = np.union1d(np.linspace(1, max(ends), 20_001)[1:], ends)  # with the curve's kinks
    p = np.array([prior.mass(1) for prior in priors])
    g = np.array([[prior.mass(radius) for radius in radii] for prior in priors]).T
    if either:
        posterior = 1 - (1 - p).prod() + advantage
        missed = (1 - p / g).prod(axis=1)
        odds = missed / (1 - missed)
    else:
        posterior = p.prod() + advantage
        odds = g.prod(axis=1) / p.prod() - 1
    best = (np.log(odds * posterior / (1 - posterior)) / radii).max()
    assert best * (1 - 1e-12) <= result.epsilon < best * (1 + 1e-6)


@pytest.mark.parametrize(
    ("largest", "advantage", "expected"), [(5, 0.5, None), (1000, 0.02, None), (10, 0.1, 0.0811)]
)
def test_lamberts_w(largest, advantage, expected):
    """Appendix A. At the last point, W gives ε = 0.0845 at a radius of 12.83 > 10: not valid."""
    result = best_radius(advantage=advantage, prior=Uniform(largest), precision=1)
    right = 1 / largest + advantage
    epsilon = float(mpmath.lambertw(right / (mpmath.e * (1 - right))))
    radius = 1 + 1 / epsilon
    if expected is None:
        assert result.epsilon == pytest.approx(epsilon, rel=1e-9)
        assert result.radius == pytest.approx(radius, rel=1e-4)
        return
    assert (epsilon, radius) == pytest.approx((0.0845, 12.83), rel=1e-3)
    assert (result.epsilon, result.radius) == pytest.approx((expected, largest), rel=1e-3)


@pytest.mark.parametrize(
    ("dimensions", "advantage", "largest"),
    [(1, 0.5, 1.6), (2, 0.1, 3), (3, 0.02, 1.6), (6, 0.1, 30)],
)
def test_eqn_2_by_its_smallest_bound(dimensions, advantage, largest):
    """The minimum of e^(aε) (r/a)^n over all radii that fit within R is p + δ."""
    result = ball_epsilon(advantage=advantage, largest=largest, precision=1, dimensions=dimensions)
    posterior = largest**-dimensions + advantage
    if posterior >= 1:
        assert result == (largest, inf)
        return
    radii = np.linspace(1e-3, largest - 1, 200_001)
    bound = radii * result.epsilon - dimensions * np.log(radii)
    assert bound.min() == pytest.approx(np.log(posterior), abs=1e-6)
    assert result.radius == pytest.approx(radii[bound.argmin()], rel=1e-2)


@pytest.mark.parametrize(("dimensions", "advantage"), [(1, 0.1), (2, 0.3), (5, 0.02)])
def test_no_release_exceeds_the_advantage(dimensions, advantage):
    """For noise of density exp(-ε‖x‖) whose outcome is the truth: the distance is gamma."""
    for function, options in (
        (best_radius, {"prior": Uniform(10, dimensions)}),
        (ball_epsilon, {"largest": 10, "dimensions": dimensions}),
    ):
        epsilon = function(advantage=advantage, precision=1, **options).epsilon
        for factor in (1, 4):
            inside, total = gamma(dimensions, scale=1 / (factor * epsilon)).cdf([1, 10])
            rise = inside / total - 10.0**-dimensions
            assert (rise <= advantage) == (factor == 1)


def test_symmetry_is_needed():
    """A prior with three points, for which the paper's a is shorter than the distance a + r."""
    place, prior = np.array([-1, 0, 1.5]), np.array([0.44, 0.01, 0.55])
    for radius, within in ((1.5, False), (2.5, True)):
        epsilon = epsilon_within(advantage=0.1, inside=0.45, within=1, radius=radius)
        posterior = prior * np.exp(-epsilon * place)  # a log likelihood with the slope ε
        posterior /= posterior.sum()
        assert (posterior[:2].sum() - 0.45 <= 0.1) == within


def test_an_advantage_that_the_prior_excludes():
    assert epsilon_within(advantage=0.6, inside=0.45, within=0.9, radius=1) == inf
    assert best_radius(advantage=0.6, prior=Uniform(2), precision=1) == (2, inf)


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
    assert together([0, 0]) == 0


EQN_1 = {"advantage": 0.1, "inside": 0.5, "within": 0.6, "radius": 1}
AT = {"advantage": 0.1, "precision": 0.5}


def test_bad_arguments():
    for function, arguments, message in (
        (Uniform, {"largest": inf}, "largest must be .*, got inf"),
        (Uniform, {"largest": 1, "dimensions": 0}, "dimensions must be .*, got 0"),
        (best_radius, AT | {"prior": Uniform(0.5)}, "precision must be less than 0.5, got 0.5"),
        (epsilon_within, EQN_1 | {"within": 0.5}, r"within .*\(0\.5, 1\], got 0\.5"),
        (prior, {"probabilities": [0.5, 1.5], "either": True}, "probabilities must be .* got 1.5"),
        (best_joint_radius, AT | {"priors": [], "either": True}, "priors .*at least one.* none"),
        (together, {"epsilons": [1], "norm": 0.5}, "norm must be .* got 0.5"),
        (epsilon_for_all, EQN_1 | {"inside": [0.1], "within": [1, 1]}, "inside and within .*1 and"),
        (epsilon_within, EQN_1 | {"inside": 0}, "inside must be .* 0 and 1, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            function(**arguments)
