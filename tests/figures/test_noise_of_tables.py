"""Figure S9: the noise for several tables."""

import pytest
from conftest import ROOT

from ggexp.figures import draw_best_order, tabulate_best_order
from ggexp.run.files import read_csv


@pytest.mark.slow
def test_noise_of_tables(monkeypatch):
    """The reference values are those of a convolution in another program, to three decimals."""
    monkeypatch.setattr(tabulate_best_order, "TABLES", (1, 10))
    monkeypatch.setattr(tabulate_best_order, "JOINT_DELTAS", (1e-6,))
    sds = tabulate_best_order.noise_of_tables().set_index(["tables", "noise"])["sd"]
    reference = {
        1: {"Laplace, ε/m": 1.414, "order 1": 1.414, "order 1.5": 2.695, "order 2": 4.225},
        10: {"Laplace, ε/m": 14.142, "order 1": 14.128, "order 1.5": 12.609, "order 3": 16.607},
    }
    for tables, expected in reference.items():
        for noise, sd in expected.items():
            assert sds[tables, noise] == pytest.approx(sd, abs=6e-4)
    assert sds[1, "best order"] == sds[1, "order 1"]
    assert 12.6 < sds[10, "best order"] <= sds[10, "order 1.5"]


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
