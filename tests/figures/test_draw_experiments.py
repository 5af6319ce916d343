"""Figures 6 to 12 draw what is in their tables, read back from a file as the workflow does it."""

import numpy as np
import pandas as pd
import pytest
from conftest import stored
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import AxLine

from ggexp.figures import style
from ggexp.figures import tabulate_releases as releases
from ggexp.figures.draw_accuracy import draw as draw_accuracy
from ggexp.figures.draw_errors import draw as draw_errors
from ggexp.figures.draw_releases import draw as draw_releases
from ggexp.figures.tabulate_accuracy import tabulate as tabulate_accuracy
from ggexp.figures.tabulate_errors import tabulate as tabulate_errors

# neither is sorted, and laplace has no δ
EPSILONS, DELTAS = [2.0, 0.5, 1.0], [0.05, 0.01]
MECHANISMS = {"gaussian-pdp": True, "laplace": False, "own": True}
LABELS = ["Gaussian-pDP", "Laplace", "own"]
COLOURS = dict(zip(MECHANISMS, [style.VERMILLION, style.BLUE, style.ORANGE], strict=True))
POINTS = [
    (name, epsilon, delta)
    for name, has_delta in MECHANISMS.items()
    for epsilon in EPSILONS
    for delta in (DELTAS if has_delta else [None])
]
ORIGINAL = [0, 5, 0, 12, 1, 0, 30, 1]


def made_summary(metrics, points=POINTS):
    """A summary whose means and sd are all different."""
    rng = np.random.default_rng(12)
    rows = [
        {
            **{"dataset": "own", "mechanism": name, "epsilon": epsilon, "delta": delta},
            **{"metric": metric, "repeats": 9, "mean": size * rng.uniform(0.5, 1)},
            **{"sd": size * rng.uniform(0.05, 0.1), "se": size},
        }
        for name, epsilon, delta in points
        for metric, size in metrics.items()
    ]
    return stored(pd.DataFrame(rows))


def made_errors(points=POINTS):
    return made_summary({"l1": 100, "kl": 0.5}, points)


BASELINE = stored(
    pd.DataFrame(
        {"dataset": "own", "model": ["original", "majority"], "accuracy": [0.8125, 0.7525]}
    )
)


def made_accuracy(points=POINTS):
    return stored(tabulate_accuracy(made_summary({"accuracy": 1}, points), BASELINE))


def made_releases(points=POINTS):
    rng = np.random.default_rng(13)
    frames = []
    for name, epsilon, delta in points:
        levels = rng.uniform(0, 3, (31, 3)).cumsum(axis=1)
        frames.append(
            pd.DataFrame(
                {
                    **{"mechanism": name, "epsilon": epsilon, "delta": delta},
                    **{"cell": range(len(ORIGINAL)), "original": ORIGINAL},
                    "sanitized": np.append(rng.uniform(0, 30, len(ORIGINAL) - 1), 0),
                    **dict(zip(["low", "median", "high"], levels[ORIGINAL].T, strict=True)),
                }
            )
        )
    return stored(pd.concat(frames))


def made_bins(points=POINTS):
    """Three original counts with three bars each, of many, a quarter as many, and one cell."""
    rng = np.random.default_rng(14)
    rows = []
    for name, epsilon, delta in points:
        for original in (1, 2, 3):
            low, median, high = rng.uniform(0, 3, 3).cumsum()
            for bin_, cells in enumerate([100 * original, 25 * original, 1]):
                rows.append(
                    {
                        **{"mechanism": name, "epsilon": epsilon, "delta": delta},
                        **{"original": original, "sanitized": 0.125 + 0.25 * bin_},
                        **{"low": low, "median": median, "high": high, "cells": cells},
                    }
                )
    return stored(pd.DataFrame(rows))


def panels_of(figure, table, *, by_epsilon):
    """Each panel's axes, with the part of the table that belongs there by its place."""
    grid = np.array(figure.axes).reshape(-1, len(DELTAS))
    for i, row in enumerate(grid):
        for axes, delta in zip(row, DELTAS, strict=True):
            part = table[table["delta"].isna() | (table["delta"] == delta)]
            if by_epsilon:
                part = part[part["epsilon"] == EPSILONS[i]]
            yield i, axes, part


def texts_of(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def heading_of(figure):
    (legend,) = figure.legends
    return legend.get_title().get_text()


def ticks_of(axes):
    return [text.get_text() for text in axes.get_xticklabels()]


def of_kind(axes, kind):
    return [artist for artist in axes.collections if type(artist) is kind]


# ---- the tables ----


def test_errors_are_the_rows_of_the_metrics_that_are_shown():
    summary = made_summary({"l1": 100, "kl": 0.5, "kl_reverse": 0.7})
    table = tabulate_errors(summary, ["kl", "l1"])
    assert list(table) == list(summary)
    assert list(table["metric"]) == ["l1", "kl"] * len(POINTS)
    expected = summary.drop(summary.index[summary["metric"] == "kl_reverse"])
    pd.testing.assert_frame_equal(table, expected)


def test_accuracies_are_the_summarys_and_one_row_for_the_original_counts():
    summary = made_summary({"accuracy": 1})
    table = tabulate_accuracy(summary, BASELINE)
    assert "metric" not in table
    expected = summary.drop(columns="metric")
    pd.testing.assert_frame_equal(table[:-1], expected, check_dtype=False)
    last = table.iloc[-1]
    assert (last["mechanism"], last["mean"]) == ("original", 0.8125)
    assert last[["epsilon", "delta", "sd"]].isna().all()
    assert not (table["mechanism"] == "majority").any()


# ---- all figures ----

FIGURES = {
    "releases": (draw_releases, made_releases),
    "many releases": (draw_releases, made_bins),
    "errors": (draw_errors, made_errors),
    "accuracy": (draw_accuracy, made_accuracy),
}
each_figure = pytest.mark.parametrize("kind", FIGURES)


@each_figure
def test_legend_and_labels(kind):
    draw, make = FIGURES[kind]
    figure = draw(make(), "own")
    assert figure.get_figwidth() == style.WIDTH
    first = ["original counts"] if kind == "accuracy" else []
    assert texts_of(figure) == [*first, *LABELS]
    top, other = figure.axes[: len(DELTAS)], figure.axes[len(DELTAS) :]
    assert [axes.get_title() for axes in top] == ["δ = 0.05", "δ = 0.01"]
    assert not any(axes.get_title() for axes in other)
    what = "one release, and the range" if "releases" in kind else "mean ± sd of 9 repeats"
    assert heading_of(figure).startswith(f"own: {what}")
    about = figure.get_supxlabel()
    assert "count (records)" in about if "releases" in kind else "ε" in about


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ending"), [("releases", "png"), ("errors", "pdf"), ("accuracy", "png")]
)
def test_the_same_bytes_at_any_time(kind, ending, tmp_path, monkeypatch):
    draw, make = FIGURES[kind]
    first, second, other = (tmp_path / f"{name}.{ending}" for name in ("first", "second", "other"))
    points = [point for point in POINTS if point[1] == EPSILONS[0] and point[2] in (None, 0.01)]
    for path, now in ((first, "1"), (second, "1000000000")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", now)  # seconds: what a PDF would take for the time
        style.save(draw(make(points), "own"), path)
    assert first.read_bytes() == second.read_bytes()
    changed = make(points)
    (drawn,) = {"mean", "sanitized"} & {*changed}
    changed[drawn] *= 0.9
    style.save(draw(changed, "own"), other)
    assert other.read_bytes() != first.read_bytes()


@each_figure
def test_the_table_is_left_alone(kind):
    draw, make = FIGURES[kind]
    table = make()
    draw(table, "own")
    pd.testing.assert_frame_equal(table, make())


@pytest.mark.parametrize("kind", ["releases", "errors", "accuracy"])
def test_without_a_delta_panels_are_of_epsilon_alone(kind):
    draw, make = FIGURES[kind]
    figure = draw(make([("laplace", epsilon, None) for epsilon in EPSILONS]), "own")
    titles = {"releases": ["ε = 2", "ε = 0.5", "ε = 1"], "errors": ["", ""], "accuracy": [""]}[kind]
    assert [axes.get_title() for axes in figure.axes] == titles
    assert "Laplace" in texts_of(figure)
    assert len(texts_of(figure)) == (2 if kind == "accuracy" else 1)
    assert all(axes.has_data() for axes in figure.axes)


# ---- Figures 6, 8 and 10 ----


@pytest.mark.parametrize("make", [made_releases, made_bins])
def test_releases_have_a_panel_with_a_diagonal_for_each_epsilon_and_delta(make):
    figure = draw_releases(make(), "own")
    assert len(figure.axes) == len(EPSILONS) * len(DELTAS)
    assert figure.get_supxlabel() == "original count (records)"
    assert figure.get_supylabel() == "sanitized count (records)"
    for axes in figure.axes:
        (diagonal,) = [line for line in axes.lines if isinstance(line, AxLine)]
        assert (diagonal.get_xy1(), diagonal.get_slope()) == ((0, 0), 1)
    grid = np.array(figure.axes).reshape(len(EPSILONS), len(DELTAS))
    assert [[text.get_text() for text in axes.texts] for axes in grid[:, -1]] == [
        ["ε = 2"],
        ["ε = 0.5"],
        ["ε = 1"],
    ]
    assert not any(axes.texts for axes in grid[:, 0])
    limits = {(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}
    assert len(limits) == 1


def test_few_cells_are_points_before_bands():
    table = made_releases()
    for _, axes, panel in panels_of(draw_releases(table, "own"), table, by_epsilon=True):
        points = of_kind(axes, PathCollection)
        bands = [artist for artist in axes.collections if isinstance(artist, PolyCollection)]
        edges = [line for line in axes.lines if not isinstance(line, AxLine)]
        assert len(points) == len(bands) == len(MECHANISMS)
        assert len(edges) == 2 * len(MECHANISMS)
        shifts = []
        for i, name in enumerate(MECHANISMS):
            cells = panel[panel["mechanism"] == name]
            assert len(cells) == len(ORIGINAL)
            x, y = points[i].get_offsets().T
            np.testing.assert_array_equal(y, cells["sanitized"])
            shift = x - cells["original"].to_numpy()
            assert np.ptp(shift) == pytest.approx(0, abs=1e-9)
            shifts.append(shift[0])
            levels = cells.drop_duplicates("original").sort_values("original")
            for edge, quantile in zip(edges[2 * i : 2 * i + 2], ("low", "high"), strict=True):
                np.testing.assert_array_equal(edge.get_xdata(), levels["original"])
                np.testing.assert_array_equal(edge.get_ydata(), levels[quantile])
            corners = {tuple(corner) for corner in bands[i].get_paths()[0].vertices}
            for quantile in ("low", "high"):
                assert {*zip(levels["original"], levels[quantile], strict=True)} <= corners
            assert len({*bands[i].get_paths()[0].vertices[:, 1]}) == 2 * len(levels)
            colours = [points[i].get_facecolor()[0], edges[2 * i].get_color()]
            assert {to_hex(colour) for colour in colours} == {COLOURS[name].lower()}
        # side by side around the original count, near to it
        assert shifts == pytest.approx([-0.33, 0, 0.33])


def test_many_cells_are_bars_as_wide_as_they_are_many():
    table = made_bins()
    for _, axes, panel in panels_of(draw_releases(table, "own"), table, by_epsilon=True):
        lines = of_kind(axes, LineCollection)
        medians = [line for line in axes.lines if not isinstance(line, AxLine)]
        assert len(lines) == 2 * len(MECHANISMS)
        assert len(medians) == len(MECHANISMS)
        for i, name in enumerate(MECHANISMS):
            cells = panel[panel["mechanism"] == name]
            bars = np.array(lines[2 * i].get_segments())
            np.testing.assert_array_equal(bars[:, 0, 1], cells["sanitized"])
            np.testing.assert_array_equal(bars[:, 1, 1], cells["sanitized"])
            # three mechanisms share 0.9 of the step from one count to the next; the width is that
            # of the root of the number of cells, and at least a fifth
            np.testing.assert_allclose(
                bars[:, :, 0].mean(axis=1), cells["original"] + 0.3 * (i - 1), atol=1e-12
            )
            np.testing.assert_allclose(
                np.diff(bars[:, :, 0]).ravel(), 0.3 * np.array([1, 0.5, 0.2] * 3)
            )
            levels = cells.drop_duplicates("original")
            x = levels["original"] + 0.3 * (i - 1)
            ranges = np.array(lines[2 * i + 1].get_segments())
            np.testing.assert_array_equal(ranges[:, :, 1], levels[["low", "high"]])
            np.testing.assert_allclose(ranges[:, 0, 0], x)
            np.testing.assert_allclose(ranges[:, 1, 0], x)
            np.testing.assert_array_equal(medians[i].get_ydata(), levels["median"])
            np.testing.assert_allclose(medians[i].get_xdata(), x)
            colours = [lines[2 * i].get_color()[0], lines[2 * i + 1].get_color()[0]]
            colours.append(medians[i].get_color())
            assert {to_hex(colour) for colour in colours} == {COLOURS[name].lower()}


def test_many_cells_are_drawn_from_the_table_that_bins_them(monkeypatch):
    monkeypatch.setattr(releases, "MAX_POINTS", len(ORIGINAL) - 1)
    table = stored(releases.bin_releases(made_releases()))
    for _, axes, panel in panels_of(draw_releases(table, "own"), table, by_epsilon=True):
        assert not of_kind(axes, PathCollection)
        drawn = sum(len(lines.get_segments()) for lines in of_kind(axes, LineCollection))
        assert drawn == len(panel) + len(MECHANISMS) * len(set(ORIGINAL))


# ---- Figures 7, 9, 11 and 12 ----


def assert_errorbars(axes, panel, factor=1):
    """A line of points at the means for each mechanism, with bars of one sd to either side."""
    containers = axes.containers
    assert len(containers) == len(MECHANISMS)
    assert all(isinstance(container, ErrorbarContainer) for container in containers)
    for i, (name, container) in enumerate(zip(MECHANISMS, containers, strict=True)):
        means = panel[panel["mechanism"] == name].sort_values("epsilon")
        assert len(means) == len(EPSILONS)
        points, _, (bars,) = container.lines
        np.testing.assert_allclose(points.get_ydata(orig=False), factor * means["mean"], rtol=1e-14)
        # side by side around ε, on a logarithmic axis
        np.testing.assert_allclose(
            points.get_xdata(orig=False), means["epsilon"] * (1 + 0.035 * (i - 1))
        )
        segments = np.array(bars.get_segments())
        np.testing.assert_allclose(segments[:, 0, 0], points.get_xdata(orig=False))
        ends = [means["mean"] - means["sd"], means["mean"] + means["sd"]]
        np.testing.assert_allclose(segments[:, :, 1].T, factor * np.array(ends), rtol=1e-12)
        assert to_hex(points.get_color()) == COLOURS[name].lower()
        assert container.get_label() == LABELS[i]
        assert (points.get_marker(), points.get_linestyle()) == style.looks(MECHANISMS)[name][2:]
    assert axes.get_xscale() == "log"
    assert list(axes.get_xticks()) == sorted(EPSILONS)


def test_errors():
    table = made_errors()
    figure = draw_errors(table, "own")
    assert len(figure.axes) == 2 * len(DELTAS)
    assert texts_of(figure) == LABELS
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["l₁ distance (records)", "", "KL divergence (nats)", ""]
    for i, axes, panel in panels_of(figure, table, by_epsilon=False):
        assert_errorbars(axes, panel[panel["metric"] == ["l1", "kl"][i]])
        assert axes.get_ylim()[0] == 0
    assert all(ticks_of(axes) == ["0.5", "1", "2"] for axes in figure.axes[2:])
    # the panels of a row have one scale, the two rows have not
    assert len({axes.get_ylim() for axes in figure.axes}) == 2


def test_errors_have_a_row_of_panels_for_each_metric():
    figure = draw_errors(made_summary({"kl": 0.5, "kl_reverse": 0.7, "l1": 100}), "own")
    labels = [axes.get_ylabel() for axes in figure.axes]
    axis = ["KL divergence (nats)", "reverse KL divergence (nats)", "l₁ distance (records)"]
    assert labels[:: len(DELTAS)] == axis


def test_accuracy():
    table = made_accuracy()
    figure = draw_accuracy(table, "own")
    assert len(figure.axes) == len(DELTAS)
    assert texts_of(figure) == ["original counts", *LABELS]
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["accuracy on test records (%)", ""]
    means = table[table["mechanism"] != "original"]
    for _, axes, panel in panels_of(figure, means, by_epsilon=False):
        assert_errorbars(axes, panel, factor=100)
        (line,) = [line for line in axes.lines if line.get_label() == "original counts"]
        assert list(line.get_ydata()) == [81.25, 81.25]
        assert list(line.get_xdata()) == [0, 1]  # from side to side
        assert to_hex(line.get_color()) == style.BLACK
        assert ticks_of(axes) == ["0.5", "1", "2"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


@pytest.mark.parametrize(
    ("draw", "make"), [(draw_errors, made_errors), (draw_accuracy, made_accuracy)]
)
def test_a_single_repeat_has_points_without_bars(draw, make):
    table = make()
    table["sd"], table["repeats"] = np.nan, 1
    figure = draw(table, "own")
    assert heading_of(figure) == "own: one repeat"
    for axes in figure.axes:
        for container in axes.containers:
            points, _, (bars,) = container.lines
            assert np.isfinite(points.get_ydata(orig=False)).all()
            assert np.ptp(np.array(bars.get_segments())[:, :, 1], axis=1).max() == 0
