"""Figures of invented tables, compared with reference pictures.

`python tests/figures/test_pictures.py` draws the reference pictures again. Look at each of them.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.font_manager import findfont, fontManager
from matplotlib.testing.compare import compare_images
from test_accuracy_readings import measured

from ggexp.figures import (
    draw_releases,
    draw_rows,
    draw_summaries,
    draw_theory,
    style,
    tabulate_rows,
    tabulate_theory,
)
from ggexp.figures import tabulate_other_releases as other_releases
from ggexp.figures import tabulate_summaries as summaries

PICTURES = Path(__file__).parent / "pictures"
#: Differences up to this, on a scale of 255, are due to rounding; an error bar has more.
TOLERANCE = 0.4


def points_of(mechanisms, epsilons, deltas):
    """Return grid points of mechanisms, of which laplace has no δ."""
    return [
        (name, epsilon, delta)
        for name in mechanisms
        for epsilon in epsilons
        for delta in ([None] if name == "laplace" else deltas)
    ]


# neither is sorted
EPSILONS, DELTAS = [2.0, 0.5, 1.0], [0.05, 0.01]
POINTS = points_of(("gaussian-pdp", "laplace", "own"), EPSILONS, DELTAS)
WITHOUT_OWN = [point for point in POINTS if point[0] != "own"]
METHODS = [*draw_summaries.METHODS]
TALLY = pd.DataFrame({"quantity": ["training", "cells"], "count": [20_000, 1600]})
BASELINE = pd.DataFrame(
    {"dataset": "own", "model": ["original", "majority", "equal"], "accuracy": [0.845, 0.75, 0.844]}
)
#: Errors of equal counts; that of kl would stretch the axis.
EQUAL = pd.DataFrame(
    {"metric": ["l1", "kl", "one_way", "two_way"], "equal": [15_000, 9.0, 0.3, 0.3]}
)


def made_summary(metrics, points=POINTS):
    """Return a summary whose means, sd and se are all different and fall with ε."""
    rows = [
        {"dataset": "own", "mechanism": name, "epsilon": epsilon, "delta": delta, "metric": metric}
        | {"repeats": 9, "mean": size * (0.8 + i / 50) / epsilon**0.5}
        for i, (name, epsilon, delta) in enumerate(points)
        for metric, size in metrics.items()
    ]
    table = pd.DataFrame(rows)
    return table.assign(sd=table["mean"] / 8, se=table["mean"] / 24)


def made_releases(points=POINTS, cells=8):
    original = np.resize([0, 5, 0, 12, 1, 0, 30, 1], cells)
    rows = [
        {"mechanism": name, "epsilon": epsilon, "delta": delta, "cell": cell, "original": count}
        | {"sanitized": count + (cell % 3 - 1.5) / epsilon, "median": 0.8 * count + 0.5}
        | {"low": 0.7 * count, "high": count + (3 + 20 * (delta or 0)) / epsilon}
        for name, epsilon, delta in points
        for cell, count in enumerate(original)
    ]
    table = pd.DataFrame(rows)
    return table.assign(sanitized=table["sanitized"].clip(lower=0))


def made_levels(points=POINTS):
    levels = made_releases(points).drop_duplicates(["mechanism", "epsilon", "delta", "original"])
    cells = 10 ** (4 - levels["original"] / 8)
    quartiles = {"quartile_1": levels["median"] - 0.5, "quartile_3": levels["median"] + 1}
    return levels.drop(columns=["cell", "sanitized"]).assign(cells=cells.astype(int), **quartiles)


def made_methods(metrics):
    parts = [
        made_summary({name: size * (1 + i / 5) for name, size in metrics.items()}, WITHOUT_OWN)
        .assign(method=method)
        for i, method in enumerate(METHODS)
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def errors(points=POINTS, name="own"):
    table = made_summary({"l1": 20_000, "kl": 0.5}, points)
    return draw_summaries.errors(summaries.errors(table, ["l1", "kl"], EQUAL), name)


def coinciding_errors():
    """Errors of two mechanisms whose lines coincide."""
    table = made_summary({"l1": 100})
    twin = table[table["mechanism"] == "laplace"].assign(mechanism="geometric")
    table = summaries.errors(pd.concat([table, twin]), ["l1"], EQUAL)
    return draw_summaries.errors(table, "own")


def accuracy(points=POINTS, name="adult"):
    measured = made_summary({"accuracy": 0.0015}, points)
    measured["mean"] = 0.845 - measured["mean"]
    return draw_summaries.losses(summaries.losses(measured, BASELINE), name)


def marginals():
    table = made_methods({"one_way": 0.1, "two_way": 0.2, "records": 1})
    return draw_summaries.marginals(other_releases.marginals(table, EQUAL), "own")


def training():
    records = made_methods({"accuracy": 0.5}).query("method != 'release'")
    released = made_summary({"accuracy": 0.6}, WITHOUT_OWN)
    return draw_summaries.losses(other_releases.training(records, released, BASELINE), "own")


def count_bias():
    table = made_methods({"gain": 1}).query("epsilon == 0.5")
    table = table.merge(pd.DataFrame({"original": [0, 1, 2, 5, 20]}), how="cross")
    exact = (table["mean"] + 0.1).where(table["method"] == "counts")
    return draw_summaries.count_bias(table.assign(exact=exact), "own")


def retained_cells():
    retained = made_summary({"l1": 9000, "kept": 300})
    trained = made_summary({"accuracy": 0.5}, [point for point in POINTS if point[0] == "laplace"])
    table = other_releases.retained_cells(retained, TALLY, EQUAL, trained, BASELINE)
    return draw_summaries.retained_cells(table, "own")


def ranks(points=POINTS, name="own"):
    measured = made_summary({"l1": 20_000, "kl": 0.5}, points)
    return draw_rows.ranks(tabulate_rows.ranks(measured, ["l1", "kl"], EQUAL), name)


def mode():
    exponential = [("exponential", epsilon, None) for epsilon in EPSILONS]
    table = made_summary({"l1": 0.3}, [*exponential, *POINTS]).rename(columns={"mean": "wrong"})
    exact = 1 - table["wrong"]
    return draw_releases.mode(table.assign(exact=exact, right=exact - 0.02, draws=100), "own")


def sentences():
    outcomes = {"holds": [0.5, 0.9], "partly": [0.2, 0], "undecided": 0.1, "fails": [0.2, 0]}
    table = pd.DataFrame({"claim": ["mildew-order-l1", "own"], "readings": 48, **outcomes})
    kinds = {"kind": [None, "open", "open", "correction"], "choice": [None, "a", "a", "n"]}
    choices = pd.DataFrame({**kinds, "alternative": [None, "x", "y", "70"]})
    return draw_rows.sentences(table.assign(se=0.1).merge(choices, how="cross"))


#: Name of the picture -> a function that draws it.
DRAWN = {
    "releases": lambda: draw_releases.releases(made_releases(), "mildew"),
    "errors_of_cells": lambda: draw_releases.releases(made_releases(), "own"),
    "many_cells": lambda: draw_releases.releases(made_levels(), "adult"),
    "losses": lambda: draw_rows.losses_of_readings(tabulate_rows.losses_of_readings(measured())),
    **{made.__name__: made for made in (errors, coinciding_errors, accuracy, marginals, training)},
    **{made.__name__: made for made in (count_bias, retained_cells, ranks, mode, sentences)},
}
FAST = {"errors"}


def save(figure, path):
    with style.settings():
        figure.savefig(path, dpi=70)


def difference(name, figure, folder):
    """Return how a figure differs from its reference picture, None if it does not."""
    save(figure, folder / f"{name}.png")
    return compare_images(str(PICTURES / f"{name}.png"), str(folder / f"{name}.png"), TOLERANCE)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in DRAWN]
)
def test_a_figure_looks_like_its_reference(name, tmp_path):
    assert difference(name, DRAWN[name](), tmp_path) is None


def test_wrong_error_bars_do_not_look_like_the_reference(tmp_path):
    wrong = made_summary({"l1": 20_000, "kl": 0.5}).assign(sd=lambda table: table["se"])
    figure = draw_summaries.errors(summaries.errors(wrong, ["l1", "kl"], EQUAL), "own")
    assert difference("errors", figure, tmp_path) is not None


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_the_same_bytes_at_any_time(ending, tmp_path, monkeypatch):
    paths = [tmp_path / f"{name}.{ending}" for name in ("first", "second")]
    for path, time in zip(paths, ("1", "1000000000"), strict=True):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", time)  # seconds: the time that a PDF would contain
        style.save(draw_theory.tail_ratios(tabulate_theory.tail_ratios()), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_installed_fonts_are_not_used(monkeypatch):
    """A font of the same name is installed, and a user's settings name another one."""
    own = next(font for font in fontManager.ttflist if font.name == "DejaVu Sans")
    installed = replace(own, fname="/usr/share/fonts/DejaVuSans.ttf")
    monkeypatch.setattr(fontManager, "ttflist", [installed, *fontManager.ttflist])
    with style.settings():
        assert "matplotlib" in findfont("DejaVu Sans")
        assert installed not in fontManager.ttflist


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or DRAWN:
        save(DRAWN[name](), PICTURES / f"{name}.png")
