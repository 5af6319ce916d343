"""Figure S3: its numbers at known points, by composition, and its drawing."""

from dataclasses import asdict
from itertools import product
from math import sqrt

import pytest
from conftest import ROOT, stored

from ggexp import GeneralizedGaussian, best_order, calibration
from ggexp.figures import draw_best_order, tabulate_best_order
from ggexp.guarantees import composition
from ggexp.mechanisms.budget import Budget
from ggexp.run.files import read_csv

PAPER = list(product((0.5, 1, 2), (0.01, 0.05, 0.1, 0.25)))


@pytest.fixture(scope="module")
def table():
    """The numbers of a coarser map, with invented best orders for many releases."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tabulate_best_order, "EPSILONS", (0.02, 0.1, 0.5, 1, 5))
        patch.setattr(tabulate_best_order, "DELTAS", (1e-9, 1e-6, 0.01, 0.1, 0.25, 0.4))
        patch.setattr(tabulate_best_order, "COMPOSED_EPSILONS", (0.1, 1))
        patch.setattr(
            tabulate_best_order, "best_of_many", lambda k, budget: GeneralizedGaussian(1.9, k)
        )
        patch.setattr(
            tabulate_best_order,
            "noise",
            lambda order, k, budget: GeneralizedGaussian(
                order, calibration.calibrate("adp-exact", order=order, **asdict(budget)).scale
            ),
        )
        numbers = tabulate_best_order.tabulate()
    return stored(numbers)


def row(table, epsilon, delta):
    single = table[table["releases"] == 1].set_index(["epsilon", "delta"])
    return single.loc[(epsilon, delta)]


def test_known_points_agree_with_the_library(table):
    result = row(table, 0.1, 0.25)
    assert result["of_laplace"] == pytest.approx(0.536, abs=5e-4)
    assert result["of_gaussian"] == pytest.approx(0.819, abs=5e-4)
    result = row(table, 0.5, 0.1)
    assert result["sd_truncated"] == pytest.approx(1.363, abs=5e-4)
    assert result["sd"] == pytest.approx(1.556, abs=5e-4)
    assert result["sd_pure"] == pytest.approx(sqrt(8))
    assert result["of_truncated"] == pytest.approx(result["sd"] / result["sd_truncated"])
    for epsilon, delta in ((0.02, 0.4), (5, 1e-9), (1, 0.01)):
        best, result = best_order(epsilon=epsilon, delta=delta), row(table, epsilon, delta)
        assert (result["order"], result["scale"]) == pytest.approx(
            (best.order, best.scale), rel=1e-9
        )


@pytest.mark.slow
def test_ten_releases():
    """They satisfy exactly (ε, δ) together, and other orders need more noise."""
    best = tabulate_best_order.best_of_many(10, Budget(1, 1e-6))
    noise = GeneralizedGaussian(best.order, best.scale)
    epsilon = composition.Composition([(noise, 10)]).sufficient_epsilon(delta=1e-6)
    assert epsilon == pytest.approx(1, rel=1e-6)
    sds = [tabulate_best_order.noise(order, 10, Budget(1, 1e-6)).sd for order in (1, 1.3, 1.7, 2)]
    assert best.sd < min(sds)
    assert best.order == pytest.approx(1.48, abs=0.05)


def test_lines_are_ratios_to_laplace_noise_and_the_best_order():
    table = read_csv(ROOT / "tests/data/figure_s9.csv")
    axes = draw_best_order.noise_of_tables(table).axes
    sds = table.pivot_table(index=["delta", "tables"], columns="noise", values="sd")
    orders = table[table["noise"] == "best order"].set_index(["delta", "tables"])["order"]
    for i, delta in enumerate(sorted(table["delta"].unique())):
        for line in axes[i].lines:
            ratio = sds.loc[delta, line.get_label()] / sds.loc[delta, "Laplace, ε/m"]
            assert list(line.get_ydata()) == pytest.approx(list(ratio))
        assert len(axes[i].lines) == 5
        assert list(axes[3 + i].lines[0].get_ydata()) == list(orders.loc[delta])
