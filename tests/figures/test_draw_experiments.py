"""Figures 6 to 12 draw the numbers of their tables, read from a file as in the workflow."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import stored
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import AxLine

from ggexp import Mechanism
from ggexp.figures import style
from ggexp.figures import tabulate_releases as releases
from ggexp.figures.draw_errors import draw as draw_errors
from ggexp.figures.draw_releases import draw as draw_releases
from ggexp.figures.draw_summaries import accuracy as draw_accuracy
from ggexp.figures.tabulate_summaries import accuracy as tabulate_accuracy
from ggexp.figures.tabulate_summaries import errors as tabulate_errors
from ggexp.releases.point import GridPoint, NoisyPoint
from ggexp.releases.release import AS_PRINTED
from ggexp.releases.sanitize import Listed

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
WITHOUT_DELTA = [("laplace", epsilon, None) for epsilon in EPSILONS]
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
    """Three original counts with three bins each: many cells, a quarter as many, and one cell."""
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


def panels_of(figure, table):
    """Each panel's row and axes, with the part of the table that it shows."""
    grid = np.array(figure.axes).reshape(-1, len(DELTAS))
    for i, row in enumerate(grid):
        for axes, delta in zip(row, DELTAS, strict=True):
            yield i, axes, table[table["delta"].isna() | (table["delta"] == delta)]


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


def test_accuracies_are_the_summarys_and_a_row_for_each_baseline():
    summary = made_summary({"accuracy": 1})
    table = tabulate_accuracy(summary, BASELINE)
    assert "metric" not in table
    expected = summary.drop(columns="metric")
    pd.testing.assert_frame_equal(table[:-2], expected, check_dtype=False)
    last = table[-2:]
    assert list(last["mechanism"]) == ["original", "majority"]
    assert list(last["mean"]) == [0.8125, 0.7525]
    assert last[["epsilon", "delta", "sd"]].isna().all(axis=None)


# ---- all figures ----

FIGURES = {
    "releases": (draw_releases, made_releases),
    "many releases": (draw_releases, made_bins),
    "errors": (draw_errors, made_errors),
    "accuracy": (draw_accuracy, made_accuracy),
}
each_figure = pytest.mark.parametrize("kind", FIGURES)


@pytest.mark.parametrize("kind", ["errors", "accuracy"])
def test_legend_and_labels(kind):
    draw, make = FIGURES[kind]
    figure = draw(make(), "own")
    assert figure.get_figwidth() == style.WIDTH
    first = ["original counts", "majority class"] if kind == "accuracy" else []
    assert texts_of(figure) == [*first, *LABELS]
    top, lower = figure.axes[: len(DELTAS)], figure.axes[len(DELTAS) :]
    assert [axes.get_title() for axes in top] == ["δ = 0.05", "δ = 0.01"]
    assert not any(axes.get_title() for axes in lower)
    assert heading_of(figure).startswith("own: mean ± sd of 9 repeats")
    assert "ε" in figure.get_supxlabel()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "ending"), [("releases", "png"), ("errors", "pdf"), ("accuracy", "png")]
)
def test_the_same_bytes_at_any_time(kind, ending, tmp_path, monkeypatch):
    draw, make = FIGURES[kind]
    first, second, changed_path = (
        tmp_path / f"{name}.{ending}" for name in ("first", "second", "other")
    )
    points = [point for point in POINTS if point[1] == EPSILONS[0] and point[2] in (None, 0.01)]
    for path, time in ((first, "1"), (second, "1000000000")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", time)  # seconds: the time that a PDF would contain
        style.save(draw(make(points), "own"), path)
    assert first.read_bytes() == second.read_bytes()
    changed = make(points)
    (drawn,) = {"mean", "sanitized"} & {*changed}
    changed[drawn] *= 0.9
    style.save(draw(changed, "own"), changed_path)
    assert changed_path.read_bytes() != first.read_bytes()


@each_figure
def test_the_table_is_not_changed(kind):
    draw, make = FIGURES[kind]
    table = make()
    draw(table, "own")
    pd.testing.assert_frame_equal(table, make())


@pytest.mark.parametrize("kind", ["releases", "errors", "accuracy"])
def test_without_a_delta_panels_have_only_an_epsilon(kind):
    draw, make = FIGURES[kind]
    figure = draw(make(WITHOUT_DELTA), "own")
    titles = {"releases": ["ε = 2", "ε = 0.5", "ε = 1", "", "", ""]}.get(kind, [""])
    assert [axes.get_title() for axes in figure.axes][: len(titles)] == titles
    assert len(texts_of(figure)) == {"releases": 3, "errors": 1, "accuracy": 3}[kind]
    assert all(axes.has_data() for axes in figure.axes)


# ---- Figures 6, 8 and 10 ----

MIN_DELTA, MAX_DELTA = 0.01, 0.05


@pytest.fixture(scope="module", params=[made_releases, made_bins])
def table_and_figure(request):
    """A table of few or of many cells, and its figure."""
    table = request.param()
    return table, draw_releases(table, "own")


def grid_of(figure, mechanisms=MECHANISMS):
    """The panels of a figure of releases: the first row, and each mechanism's row."""
    first, *rows = np.array(figure.axes).reshape(1 + len(mechanisms), -1)
    return first, dict(zip(mechanisms, rows, strict=True))


def rows_at_point(table, name, epsilon, delta):
    """The rows of a mechanism at a grid point; without a δ, they are the same at any δ."""
    rows = table[(table["mechanism"] == name) & (table["epsilon"] == epsilon)]
    return rows[rows["delta"].isna() | (rows["delta"] == delta)]


def points_of(axes):
    return [artist for artist in of_kind(axes, PathCollection) if len(artist.get_offsets())]


def levels_of(rows):
    levels = rows.drop_duplicates("original").sort_values("original")
    x = levels["original"].to_numpy()
    return x, {name: levels[name].to_numpy() - x for name in ("low", "median", "high")}


def test_releases_have_a_column_for_each_epsilon_and_a_row_for_each_mechanism(table_and_figure):
    _, figure = table_and_figure
    assert figure.get_figwidth() == style.COLUMN
    assert heading_of(figure) == "own, δ = 0.01"
    first, rows = grid_of(figure)
    assert [axes.get_title() for axes in first] == ["ε = 2", "ε = 0.5", "ε = 1"]
    for (name, row), label in zip(rows.items(), LABELS, strict=True):
        (text,) = row[0].texts
        assert not any(axes.get_title() or axes.texts for axes in row[1:])
        assert (text.get_text(), to_hex(text.get_color())) == (label, COLOURS[name].lower())
    assert texts_of(figure)[-1].endswith(", δ = 0.05")
    # the rows of errors in a column have the same axis, so that mechanisms can be compared
    for column in np.array(figure.axes).reshape(-1, len(EPSILONS)).T:
        assert len({axes.get_ylim() for axes in column[1:]}) == 1
    assert len({axes.get_ylim() for axes in first}) == 1
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


def test_the_paper_s_scatter_has_all_mechanisms_and_the_diagonal(table_and_figure):
    table, figure = table_and_figure
    first, _ = grid_of(figure)
    for axes, epsilon in zip(first, EPSILONS, strict=True):
        (diagonal,) = [line for line in axes.lines if isinstance(line, AxLine)]
        assert (diagonal.get_xy1(), diagonal.get_slope()) == ((0, 0), 1)
        for points, name in zip(points_of(axes), MECHANISMS, strict=True):
            expected = rows_at_point(table, name, epsilon, MIN_DELTA)[["original", "sanitized"]]
            np.testing.assert_array_equal(points.get_offsets(), expected)
            assert to_hex(points.get_facecolor()[0]) == COLOURS[name].lower()


def test_errors_of_releases_are_points_in_front_of_a_band(table_and_figure):
    table, figure = table_and_figure
    _, rows = grid_of(figure)
    for name, row in rows.items():
        for axes, epsilon in zip(row, EPSILONS, strict=True):
            cells = rows_at_point(table, name, epsilon, MIN_DELTA)
            (points,) = points_of(axes)
            x, y = points.get_offsets().T
            np.testing.assert_array_equal(x, cells["original"])
            np.testing.assert_array_equal(y, cells["sanitized"] - cells["original"])
            x, errors = levels_of(cells)
            band, *_ = (artist for artist in axes.collections if isinstance(artist, PolyCollection))
            corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
            for edge in ("low", "high"):
                assert {*zip(x, errors[edge], strict=True)} <= corners
            zero, median, *at_max_delta = axes.lines
            assert list(zero.get_ydata()) == [0, 0]
            np.testing.assert_array_equal(median.get_xydata(), np.c_[x, errors["median"]])
            x, errors = levels_of(rows_at_point(table, name, epsilon, MAX_DELTA))
            if not MECHANISMS[name]:
                assert all(not line.get_xdata().size for line in at_max_delta)
            else:
                for line, edge in zip(at_max_delta, ("low", "high"), strict=True):
                    np.testing.assert_array_equal(line.get_xydata(), np.c_[x, errors[edge]])
            drawn = [band.get_facecolor()[0], points.get_facecolor()[0], median.get_color()]
            assert {to_hex(colour) for colour in drawn} == {COLOURS[name].lower()}


def test_nothing_is_displaced_by_more_than_a_fraction_of_its_noise():
    """Counts to 145 at ε = 2, as in the Czech data: Laplace noise has an sd of 0.7 records."""
    counts = np.array([0, 1, 2, 5, 14, 60, 110, 145])
    mechanisms = {"laplace": Mechanism(1, "pure"), "gaussian-adp": Mechanism(2, "adp-classical")}
    points = [
        NoisyPoint(
            GridPoint("own", name, mechanism.order, mechanism.calibration, 2.0, delta), noise
        )
        for name, mechanism in mechanisms.items()
        for delta in ([None] if name == "laplace" else [MIN_DELTA, MAX_DELTA])
        for noise in [mechanism.noise(epsilon=2.0, delta=delta or 0)]
    ]
    kind = Listed(counts.size, total=AS_PRINTED)
    table = stored(releases.tabulate_releases(counts, kind, points, seed=1, repeats=50))
    smallest_sd = min(noisy.noise.sd for noisy in points)
    assert smallest_sd < 0.75
    figure = draw_releases(table, "own")
    drawn = [points for axes in figure.axes for points in points_of(axes)]
    lines = [line for axes in figure.axes for line in axes.lines if len(line.get_xdata()) > 2]
    assert len(drawn) >= 4
    assert len(lines) >= 4
    for positions in [artist.get_offsets()[:, 0] for artist in drawn] + [
        artist.get_xdata() for artist in lines
    ]:
        assert np.abs(np.sort(positions) - counts).max() <= 0.05 * smallest_sd


def test_points_are_larger_if_they_represent_more_cells():
    table = made_bins()
    for axes in draw_releases(table, "own").axes:
        for points in points_of(axes):
            areas = points.get_sizes().reshape(3, 3)  # for all, 1/4 and at most 1/100 of the cells
            np.testing.assert_allclose(areas / areas[:, :1], [[1, 0.5, 0.1]] * 3)


@pytest.mark.slow
def test_too_many_points_are_counted_on_a_grid(monkeypatch):
    """Each point is within half a place of its cells, and all cells are included."""
    module = sys.modules[draw_releases.__module__]
    monkeypatch.setattr(module, "MAX_POINTS", 8)
    _, rows = grid_of(draw_releases(made_bins(), "own"))
    for row in rows.values():
        for axes in row:
            (points,) = points_of(axes)
            (low, high) = axes.get_xlim()
            positions = points.get_offsets()
            half = (high - low) / module.GRID_BINS / 2
            nearest = np.abs(positions[:, 0][:, None] - [1, 2, 3]).min(axis=1)
            assert (nearest <= half * (1 + 1e-9)).all()
            assert {*np.abs(positions[:, 0][:, None] - [1, 2, 3]).argmin(axis=1)} == {0, 1, 2}


@pytest.mark.slow
def test_many_cells_are_drawn_from_a_binned_table(monkeypatch):
    monkeypatch.setattr(releases, "MAX_POINTS", len(ORIGINAL) - 1)
    keys = ["mechanism", "epsilon", "delta"]
    binned = [
        releases.bin_releases(rows.drop(columns=keys)).assign(**dict(zip(keys, key, strict=True)))
        for key, rows in made_releases().groupby(keys, sort=False, dropna=False)
    ]
    table = stored(pd.concat(binned, ignore_index=True))
    _, rows = grid_of(draw_releases(table, "own"))
    for name, row in rows.items():
        for axes, epsilon in zip(row, EPSILONS, strict=True):
            (points,) = points_of(axes)
            assert len(points.get_offsets()) == len(rows_at_point(table, name, epsilon, MIN_DELTA))


# ---- Figures 7, 9, 11 and 12 ----


def assert_errorbars(axes, panel, factor=1):
    """Check that each mechanism has points at its means, with error bars of ± one sd."""
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
    for i, axes, panel in panels_of(figure, table):
        assert_errorbars(axes, panel[panel["metric"] == ["l1", "kl"][i]])
        assert (axes.get_yscale(), axes.get_ylim()[0] == 0) == [("linear", True), ("log", False)][i]
    assert all(ticks_of(axes) == ["0.5", "1", "2"] for axes in figure.axes[2:])
    # the panels of a row share a scale, the two rows do not
    assert len({axes.get_ylim() for axes in figure.axes}) == 2


def test_a_divergence_of_0_has_a_linear_axis():
    table = made_errors(WITHOUT_DELTA)
    is_kl = table["metric"] == "kl"
    table.loc[table.index[is_kl][0], "mean"] = 1e-17  # a rounding error, as for equal counts
    figure = draw_errors(table, "own")
    assert {axes.get_yscale() for axes in figure.axes} == {"linear"}
    table.loc[is_kl, ["mean", "sd"]] = 0
    assert draw_errors(table, "own").axes[-1].get_ylim()[0] == 0


def test_errors_have_a_row_of_panels_for_each_metric():
    figure = draw_errors(made_summary({"kl": 0.5, "kl_reverse": 0.7, "l1": 100}), "own")
    labels = [axes.get_ylabel() for axes in figure.axes]
    expected = ["KL divergence (nats)", "reverse KL divergence (nats)", "l₁ distance (records)"]
    assert labels[:: len(DELTAS)] == expected


def test_accuracy():
    table = made_accuracy()
    figure = draw_accuracy(table, "own")
    assert len(figure.axes) == len(DELTAS)
    assert texts_of(figure) == ["original counts", "majority class", *LABELS]
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["accuracy on test records (%)", ""]
    means = table[~table["mechanism"].isin(["original", "majority"])]
    low, high = figure.axes[0].get_ylim()
    ending = "$" if low < 75.25 else ".* below"
    assert re.search(rf"\n.* {high - low:.2g} .* 75\.25 %{ending}", heading_of(figure))
    for _, axes, panel in panels_of(figure, means):
        assert_errorbars(axes, panel, factor=100)
        (line,) = [line for line in axes.lines if line.get_label() == "original counts"]
        assert list(line.get_ydata()) == [81.25, 81.25]
        assert list(line.get_xdata()) == [0, 1]  # from side to side
        assert to_hex(line.get_color()) == style.BLACK
        assert ticks_of(axes) == ["0.5", "1", "2"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


@pytest.mark.parametrize(("majority", "side"), [(0.2, "below"), (0.75, ""), (1.8, "above")])
def test_the_majority_class_is_a_line_or_outside_the_axis(majority, side):
    table = made_accuracy(WITHOUT_DELTA)
    table.loc[table["mechanism"] == "majority", "mean"] = majority
    figure = draw_accuracy(table, "own")
    low, high = figure.axes[0].get_ylim()
    assert (100 * majority < low, 100 * majority > high) == (side == "below", side == "above")
    _, stated, text = heading_of(figure).partition(f"{100 * majority:.2f} %")
    assert stated
    assert side in text
    assert bool(side) == bool(text)
    for axes in figure.axes:
        lines = [line for line in axes.lines if line.get_label() == "majority class"]
        assert [list(line.get_ydata()) for line in lines] == ([] if side else [[75, 75]])


@pytest.mark.parametrize(
    ("draw", "make"), [(draw_errors, made_errors), (draw_accuracy, made_accuracy)]
)
def test_a_single_repeat_has_points_without_bars(draw, make):
    table = make()
    table["sd"], table["repeats"] = np.nan, 1
    figure = draw(table, "own")
    assert heading_of(figure).partition("\n")[0] == "own: one repeat"
    for axes in figure.axes:
        for container in axes.containers:
            points, _, (bars,) = container.lines
            assert np.isfinite(points.get_ydata(orig=False)).all()
            assert np.ptp(np.array(bars.get_segments())[:, :, 1], axis=1).max() == 0
