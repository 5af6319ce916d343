"""Figure S3: its numbers at known points, by composition, and its drawing."""

from itertools import product
from math import sqrt

import pytest
from conftest import stored

from ggexp import GeneralizedGaussian, best_order, calibration
from ggexp.figures import tabulate_best_order
from ggexp.guarantees import composition

PAPER = list(product((0.5, 1, 2), (0.01, 0.05, 0.1, 0.25)))


@pytest.fixture(scope="module")
def table():
    """The numbers of a coarser map, with invented best orders for many releases."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_best_order, "EPSILONS", (0.02, 0.1, 0.5, 1, 5))
        patch.setattr(tabulate_best_order, "DELTAS", (1e-9, 1e-6, 0.01, 0.1, 0.25, 0.4))
        patch.setattr(tabulate_best_order, "COMPOSED_EPSILONS", (0.1, 1))
        patch.setattr(
            tabulate_best_order, "best_of_many", lambda k, e, d: GeneralizedGaussian(1.9, k)
        )
        patch.setattr(
            tabulate_best_order,
            "noise",
            lambda order, k, e, d: GeneralizedGaussian(
                order, calibration.calibrate("adp-exact", order=order, epsilon=e, delta=d).scale
            ),
        )
        numbers = tabulate_best_order.tabulate()
    return stored(numbers)


def row(table, epsilon, delta):
    single = table[table["releases"] == 1].set_index(["epsilon", "delta"])
    return single.loc[(epsilon, delta)]


def test_known_points(table):
    result = row(table, 0.1, 0.25)
    assert result["of_laplace"] == pytest.approx(0.536, abs=5e-4)
    assert result["of_gaussian"] == pytest.approx(0.819, abs=5e-4)
    result = row(table, 0.5, 0.1)
    assert result["sd_truncated"] == pytest.approx(1.363, abs=5e-4)
    assert result["sd"] == pytest.approx(1.556, abs=5e-4)
    assert result["sd_pure"] == pytest.approx(sqrt(8))
    assert result["of_truncated"] == pytest.approx(result["sd"] / result["sd_truncated"])


def test_the_table_agrees_with_the_library(table):
    for epsilon, delta in ((0.02, 0.4), (5, 1e-9), (1, 0.01)):
        best, result = best_order(epsilon=epsilon, delta=delta), row(table, epsilon, delta)
        assert (result["order"], result["scale"]) == pytest.approx(
            (best.order, best.scale), rel=1e-9
        )


@pytest.mark.slow
def test_ten_releases():
    """They satisfy exactly (ε, δ) together, and other orders need more noise."""
    best = tabulate_best_order.best_of_many(10, 1, 1e-6)
    noise = GeneralizedGaussian(best.order, best.scale)
    epsilon = composition.Composition([(noise, 10)]).sufficient_epsilon(delta=1e-6)
    assert epsilon == pytest.approx(1, rel=1e-6)
    sds = [tabulate_best_order.noise(order, 10, 1, 1e-6).sd for order in (1, 1.3, 1.7, 2)]
    assert best.sd < min(sds)
    assert best.order == pytest.approx(1.48, abs=0.05)
