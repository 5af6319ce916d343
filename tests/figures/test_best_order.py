"""Figure S3: its numbers at known points, by composition, and its drawing."""

import re
from math import sqrt

import pytest
from made_figures import made_table

from ggexp import GeneralizedGaussian, best_order
from ggexp.figures import draw_best_order, tabulate_best_order
from ggexp.guarantees import composition
from ggexp.mechanisms.budget import Budget


def row(epsilon, delta):
    table = made_table("s3")
    single = table[table["releases"] == 1].set_index(["epsilon", "delta"])
    return single.loc[(epsilon, delta)]


def test_known_points_agree_with_the_library():
    result = row(0.1, 0.25)
    assert result["of_laplace"] == pytest.approx(0.536, abs=5e-4)
    assert result["of_gaussian"] == pytest.approx(0.819, abs=5e-4)
    result = row(0.5, 0.1)
    assert result["sd_truncated"] == pytest.approx(1.363, abs=5e-4)
    assert result["sd"] == pytest.approx(1.556, abs=5e-4)
    assert result["sd_pure"] == pytest.approx(sqrt(8))
    assert result["of_truncated"] == pytest.approx(result["sd"] / result["sd_truncated"])
    for epsilon, delta in ((0.1, 0.4), (5, 1e-6), (0.5, 0.25)):
        best, result = best_order(epsilon=epsilon, delta=delta), row(epsilon, delta)
        assert (result["order"], result["scale"]) == pytest.approx(
            (best.order, best.scale), rel=1e-9
        )


@pytest.mark.slow
def test_ten_releases():
    """They satisfy exactly (ε, δ) together, and other orders need more noise."""
    best = tabulate_best_order.best_noise(10, Budget(1, 1e-6))
    noise = GeneralizedGaussian(best.order, best.scale)
    epsilon = composition.Composition([(noise, 10)]).sufficient_epsilon(delta=1e-6)
    assert epsilon == pytest.approx(1, rel=1e-6)
    sds = [tabulate_best_order.noise(order, 10, Budget(1, 1e-6)).sd for order in (1, 1.3, 1.7, 2)]
    assert best.sd < min(sds)
    assert best.order == pytest.approx(1.48, abs=0.05)


def test_lines_are_ratios_to_laplace_noise_and_the_best_order():
    table = made_table("s9")
    axes = draw_best_order.noise_of_tables(table).axes
    sds = table.pivot_table(index=["delta", "tables"], columns="noise", values="sd")
    orders = table[table["noise"] == "best order"].set_index(["delta", "tables"])["order"]
    for i, delta in enumerate(sorted(table["delta"].unique())):
        for line in axes[i].lines:
            ratio = sds.loc[delta, line.get_label()] / sds.loc[delta, "Laplace, ε/m"]
            assert list(line.get_ydata()) == pytest.approx(list(ratio))
        assert len(axes[i].lines) == 5
        assert list(axes[3 + i].lines[0].get_ydata()) == list(orders.loc[delta])


def test_titles_state_the_findings_of_their_tables():
    table = made_table("s3")
    single = table[table["releases"] == 1]
    smaller, points, releases, low, high = numbers_in(draw_best_order.of_orders(table))
    assert (smaller, points) == ((single["of_truncated"] < 1).sum(), len(single))
    assert 0 < smaller < points
    assert (releases, low, high) == (100, 1.9, 1.9)
    assert numbers_in(draw_best_order.of_orders(table.assign(of_truncated=1.0)))[0] == 0
    tables = made_table("s9")
    assert numbers_in(draw_best_order.of_tables(tables)) == [91, 1.9, 2, 14, 41]
    few = tables[tables["tables"] <= 10]
    assert numbers_in(draw_best_order.of_tables(few)) == [10, 1, 1.9, 42, 100]


def numbers_in(sentences):
    return [float(number) for number in re.findall(r"\d+\.?\d*", " ".join(sentences))]
