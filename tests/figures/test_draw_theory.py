"""Figures 1 to 5 draw the numbers of their tables, read from a file as in the workflow."""

import re

import numpy as np
import pytest
from conftest import stored
from matplotlib.colors import to_hex

from ggexp.figures import style, tabulate_theory
from ggexp.figures.draw_theory import draw


@pytest.fixture(scope="module")
def tables():
    numbers = {figure: tabulate_theory.tabulate(f"{figure:02}", seed=1) for figure in (1, 3, 4, 5)}
    numbers[2] = tabulate_theory.corollary_7(np.random.default_rng(1), draws=40_000)
    return {figure: stored(table) for figure, table in numbers.items()}


@pytest.mark.parametrize(
    ("figure", "panels", "curves"), [(1, 2, 5), (2, 4, 4), (3, 2, 6), (4, 3, 9), (5, 3, 9)]
)
def test_panels_curves_and_labels(tables, figure, panels, curves):
    drawn = draw(tables[figure], f"{figure:02}")
    assert drawn.get_figwidth() == style.WIDTH
    assert len(drawn.axes) == panels
    assert drawn.axes[0].get_ylabel()
    for axes in drawn.axes:
        assert axes.get_xlabel()
        assert len(axes.lines) == curves


@pytest.mark.slow
@pytest.mark.parametrize(("figure", "ending"), [(2, "png"), (4, "pdf")])
def test_the_same_bytes_again(tables, figure, ending, tmp_path):
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    for file in (first, second):
        style.save(draw(tables[figure], f"{figure:02}"), file)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("figure", [4, 5])
def test_unlikely_parts_are_grey_and_nothing_is_missing(tables, figure):
    table, drawn = tables[figure], draw(tables[figure], f"{figure:02}")
    grey = {to_hex(style.GREY)}
    for axes, (_, panel) in zip(drawn.axes, table.groupby("epsilon"), strict=True):
        curves = [line for line in axes.lines if len(line.get_xdata()) > 2]
        points = {True: 0, False: 0}
        for line in curves:
            points[to_hex(line.get_color()) in grey] += len(line.get_xdata())
        # each grey part begins at the last coloured point
        assert points[False] == (~panel["unlikely"]).sum()
        assert points[True] == panel["unlikely"].sum() + 4


def test_figure_2_states_its_monte_carlo_error(tables):
    (legend,) = draw(tables[2], "02").legends
    assert re.search(r"95 %.* ± \d", legend.get_title().get_text())
