"""The figures of synthetic records draw the numbers of their tables."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.container import ErrorbarContainer

from ggexp.figures.by_method import METHODS
from ggexp.figures.draw_count_bias import draw as draw_count_bias
from ggexp.figures.draw_summaries import marginals as draw_marginals
from ggexp.figures.draw_summaries import training as draw_training
from ggexp.figures.tabulate_summaries import marginals as tabulate_marginals
from ggexp.figures.tabulate_summaries import training as tabulate_training

EPSILONS = [2.0, 0.5]
POINTS = [("laplace", None), ("gaussian-pdp", 0.01), ("gaussian-pdp", 0.05)]
TITLES = ["Laplace", "Gaussian-pDP, δ = 0.01", "Gaussian-pDP, δ = 0.05"]


def summary(metrics, methods=tuple(METHODS)):
    """A summary whose means are all different."""
    rows = [
        {"dataset": "d", "mechanism": name, "epsilon": epsilon, "delta": delta, "method": method,
         "metric": metric, "repeats": 9}
        for name, delta in POINTS
        for epsilon in EPSILONS
        for method in methods
        for metric in metrics
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    values = 0.1 + np.arange(len(table)) / 1000
    return table.assign(mean=values, sd=values / 10, se=values / 30)


def bars(axes):
    return {bar.get_label(): bar for bar in axes.containers if isinstance(bar, ErrorbarContainer)}


def means(table, name, delta, method):
    selected = (table["mechanism"] == name) & (table["method"] == method)
    selected &= table["delta"].isna() if delta is None else table["delta"] == delta
    return table[selected].sort_values("epsilon")


def test_marginals():
    complete = summary(["records", "one_way", "two_way", "two_way_added"])
    table = tabulate_marginals(complete)
    assert set(table["metric"]) == {"one_way", "two_way"}
    figure = draw_marginals(table, "mine")
    assert [axes.get_title() for axes in figure.axes[:3]] == TITLES
    assert figure.axes[0].get_ylabel() == "one-way marginals (%)"
    assert figure.axes[3].get_ylabel() == "two-way marginals (%)"
    for i, (name, delta) in enumerate(POINTS):
        for row, metric in enumerate(["one_way", "two_way"]):
            drawn = bars(figure.axes[3 * row + i])
            assert list(drawn) == [label for label, *_ in METHODS.values()]
            for method, (label, colour, *_) in METHODS.items():
                rows = means(table[table["metric"] == metric], name, delta, method)
                line = drawn[label].lines[0]
                np.testing.assert_allclose(line.get_ydata().astype(float), 100 * rows["mean"])
                assert line.get_color() == colour
    assert figure.axes[0].get_ylim()[0] == 0


def test_marginals_of_one_attribute_have_one_row_of_panels():
    table = summary(["one_way", "two_way"])
    table.loc[table["metric"] == "two_way", ["mean", "sd", "se"]] = np.nan
    assert len(draw_marginals(table, "mine").axes) == 3


def test_training():
    releases = summary(["accuracy"], ["release"]).drop(columns="method")
    records = summary(["accuracy", "l1"], [*METHODS][1:])
    baseline = pd.DataFrame(
        {"dataset": "d", "model": ["original", "majority"], "accuracy": [0.85, 0.75]}
    )
    table = tabulate_training(records, releases, baseline)
    assert len(table) == 2 * 3 * 4 + 2
    assert list(table["mean"][-2:]) == [0.85, 0.75]
    figure = draw_training(table, "mine")
    assert [axes.get_title() for axes in figure.axes] == TITLES
    for axes, (name, delta) in zip(figure.axes, POINTS, strict=True):
        (line,) = [line for line in axes.lines if line.get_label() == "original counts"]
        assert list(line.get_ydata()) == [85, 85]
        for method, (label, *_) in METHODS.items():
            rows = means(table, name, delta, method)
            drawn = bars(axes)[label].lines[0].get_ydata()
            np.testing.assert_allclose(drawn.astype(float), 100 * rows["mean"])


@pytest.mark.slow
@pytest.mark.parametrize("smallest", [0, 1])
def test_count_bias(smallest):
    levels = np.arange(smallest, 6)
    frames = []
    for row in summary(["gain"]).drop(columns="metric").to_dict("records"):
        biases = row["mean"] - levels / 10
        exact = biases + 0.01 if row["method"] == "counts" else np.nan
        frames.append(pd.DataFrame({**row, "original": levels, "mean": biases, "exact": exact}))
    table = pd.concat(frames)
    figure = draw_count_bias(table, "mine")
    assert len(figure.axes) == 6
    assert figure.axes[3].get_ylabel().endswith(", ε = 0.5")
    rows = means(table[table["epsilon"] == 0.5], "gaussian-pdp", 0.01, "counts")
    label = METHODS["counts"][0]
    drawn = bars(figure.axes[4])[label].lines[0]
    assert list(drawn.get_xdata()) == list(levels)
    np.testing.assert_allclose(drawn.get_ydata().astype(float), rows["mean"])
    (exact,) = [line for line in figure.axes[4].lines if line.get_label() == f"{label}, exact"]
    np.testing.assert_allclose(exact.get_ydata().astype(float), rows["exact"].astype(float))
    assert (figure.axes[0].get_xlim()[0] > 0) == (smallest > 0)
