"""The numbers that docs/guarantees.md says of the best order and of loose bounds (S1, S3, S4)."""

import importlib.util
import re
import warnings
from itertools import product
from math import log, sqrt
from pathlib import Path

import mpmath
import numpy as np
import pytest
from printed import DOCS, check, numbers, table, text
from scipy.optimize import brentq, linprog

from ggexp import GeneralizedGaussian, best_order, calibration
from ggexp.figures import tabulate_best_order, tabulate_loss_curves

PAGE = "guarantees.md"


def point(cell):
    """(ε, δ) of a cell such as "(0.5, 10⁻⁶)"."""
    return tuple(map(number, cell.strip("()").split(", ")))


def number(printed):
    """A number, or a power of ten with a raised exponent."""
    digits = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
    if "10⁻" in printed:
        return float("1e" + printed.split("10")[1].translate(digits))
    return float(re.search(r"[\d.]+", printed)[0])


def test_delta_delivered():
    s1 = tabulate_loss_curves.tabulate("s1", seed=1)
    s1 = s1[s1["at_epsilon"] == s1["epsilon"]].set_index(["epsilon", "delta", "mechanism"])
    shares = []
    header, *rows = table(PAGE, "δ of approximate DP at")
    names = [name.lower() for name in header[1:]]
    assert names == ["gaussian-adp", "gaussian-pdp", "ggm-3"]
    assert len(rows) == 12
    for cell, *printed in rows:
        for name, one in zip(names, printed, strict=True):
            exact = s1.loc[(*point(cell), name), "exact_delta"]
            digits = len(one.partition("e")[0].partition(".")[2])
            assert f"{exact:.{digits}e}" == one
            shares.append(exact / point(cell)[1])
    assert "between 0.5 % and 27 % of it" in text(PAGE)
    assert (min(shares), max(shares)) == pytest.approx((0.005, 0.27), abs=5e-4)


def over_exact(rule, order, epsilon, delta):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the proof of")
        b = calibration.scale(rule, order=order, epsilon=epsilon, delta=delta)
    return b / calibration.scale("adp-exact", order=order, epsilon=epsilon, delta=delta)


def test_looseness():
    header, *rows = table(PAGE, "scale : that of adp-exact")
    rules = [(name.split(",")[0], 3 if "order 3" in name else 2) for name in header[1:]]
    for cell, *printed in rows:
        check(numbers(*printed), [over_exact(*rule, *point(cell)) for rule in rules])


def false_from(rule, delta):
    return brentq(lambda epsilon: over_exact(rule, 2, epsilon, delta) - 1, 1, 99)


def test_where_bounds_are_false():
    header, *rows = table(PAGE, "false from ε =")
    deltas = [number(cell.removeprefix("δ = ")) for cell in header[1:]]
    for rule, *printed in rows:
        check(numbers(*printed), [false_from(rule, delta) for delta in deltas])


def test_who_needs_the_least():
    for cell, *printed in table(PAGE, "one release")[1:]:
        found = tabulate_best_order.compared(1, *point(cell))
        keys = ("order", "sd", "sd_pure", "sd_laplace", "sd_gaussian", "sd_truncated")
        check(numbers(*printed), [found[key] for key in keys])


def test_bold_is_the_least():
    lines = (DOCS / PAGE).read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| one release"))
    for line in lines[start + 2 : start + 14]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        found = tabulate_best_order.compared(1, *point(cells[0]))
        bold = next(i for i, cell in enumerate(cells) if cell.startswith("**"))
        keys = {2: "sd", 6: "sd_truncated"}
        assert found[keys[bold]] == min(v for key, v in found.items() if key.startswith("sd"))


def test_sentences_of_one_release():
    says = text(PAGE)
    assert "9.0, with 0.536 of Laplace's and 0.819 of the Gaussian's noise" in says
    found = tabulate_best_order.compared(1, 0.1, 0.25)
    ratios = found["sd"] / found["sd_laplace"], found["sd"] / found["sd_gaussian"]
    assert ratios == pytest.approx((0.536, 0.819), abs=5e-4)
    assert "the largest saving against the better of the two is 24 %, at (0.02, 0.25)" in says
    found = tabulate_best_order.compared(1, 0.02, 0.25)
    least = found["sd"] / min(found["sd_laplace"], found["sd_gaussian"])
    assert least == pytest.approx(0.76, abs=5e-3)
    for epsilon, delta in product((0.02, 0.03, 0.1, 0.5), (0.1, 0.2, 0.3, 0.4)):
        other = tabulate_best_order.compared(1, epsilon, delta)
        assert other["sd"] / min(other["sd_laplace"], other["sd_gaussian"]) > least
    assert "From ε = 3 on the best order is 1" in says
    assert {best_order(epsilon=e, delta=d).order for e in (3, 5) for d in (1e-6, 0.01, 0.4)} == {1}


def test_sentences_of_truncated_noise():
    says = text(PAGE)
    assert "all 12 points of the paper: 0.875 to 0.977 of it" in says  # tests/figures
    assert "1.14 times the best order's noise at (5, 0.4)" in says
    found = tabulate_best_order.compared(1, 5, 0.4)
    assert found["sd_truncated"] / found["sd"] == pytest.approx(1.14, abs=5e-3)


def load(name):
    path = Path(__file__).parents[2] / f"studies/{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def study():
    return load("truncated_orders")


@pytest.fixture(scope="module")
def study_of_releases():
    return load("truncated_releases")


def test_truncated_orders(study):
    header, *rows = table(PAGE, "truncated, least sd of order")
    assert [point(row[0]) for row in rows] == study.POINTS
    for cell, *printed in rows:
        epsilon, delta = point(cell)
        check(
            numbers(*printed),
            [study.least(float(order), epsilon, delta).sd for order in header[1:]],
        )
    for epsilon, delta, found in study.search():
        assert min(found, key=lambda order: found[order].sd) == 1
        best = tabulate_best_order.compared(1, epsilon, delta)
        assert found[1].sd <= min(best["sd"], best["sd_truncated"]) * (1 + 1e-5)


@pytest.mark.parametrize(
    ("order", "epsilon", "delta"), [(1, 0.5, 0.1), (2, 1, 0.05), (3, 0.1, 0.25)]
)
def test_delta_of_truncated_noise_on_a_grid(study, order, epsilon, delta):
    noise = study.least(order, epsilon, delta)
    x, step = np.linspace(-noise.bound, noise.bound, 2_000_001, retstep=True)
    density = np.exp(-((np.abs(x) / noise.scale) ** order))
    density /= density.sum() * step
    beyond = x + 1
    other = np.where(beyond <= noise.bound, np.interp(beyond, x, density), 0)
    found = np.maximum(0, density - np.exp(epsilon) * other).sum() * step
    assert found == pytest.approx(delta, rel=1e-4)
    assert sqrt((x * x * density).sum() * step) == pytest.approx(noise.sd, rel=1e-5)


@pytest.mark.parametrize(
    ("k", "epsilon", "delta", "order", "ratio"),
    [(10, 0.1, 1e-6, 1.62, 0.969), (10, 5, 1e-6, 1.21, 0.888), (100, 5, 1e-6, 1.89, 0.998)],
)
def test_many_releases(k, epsilon, delta, order, ratio):
    best = tabulate_best_order.best_of_many(k, epsilon, delta)
    gaussian = tabulate_best_order.noise(2, k, epsilon, delta)
    assert best.order == pytest.approx(order, rel=0.02)  # as it is found
    assert best.sd / gaussian.sd == pytest.approx(ratio, abs=5e-4)
    assert f"{order}" in text(PAGE)
    assert f"{ratio}" in text(PAGE)


def test_truncated_releases_by_other_ways(study, study_of_releases):
    """One release as in the other study; ten with a far bound as without it."""
    one = study.least(1.5, 0.5, 0.1)
    delta = study_of_releases.together(1.5, one.scale, one.bound, 1, 0.5)
    assert delta == pytest.approx(0.1, rel=1e-3)
    for order in (1, 1.5, 2):
        b = tabulate_best_order.noise(order, 10, 1, 0.01).scale
        delta = study_of_releases.together(order, b, 30 * b, 10, 1)
        assert delta == pytest.approx(0.01, rel=1e-3)


def test_truncated_releases(study_of_releases, monkeypatch):
    header, *rows = table(PAGE, "ten releases")
    assert [point(row[0]) for row in rows] == study_of_releases.POINTS
    assert [number(cell.split("order")[1]) for cell in header[2:]] == list(study_of_releases.ORDERS)
    monkeypatch.setattr(study_of_releases, "CELLS", 3000)  # enough for two decimals
    monkeypatch.setattr(study_of_releases, "LOSSES", 2**10)
    for cell, best, *printed in rows:
        epsilon, delta = point(cell)
        assert all(float(best) <= float(one) for one in printed)
        for order, one in zip(study_of_releases.ORDERS, printed, strict=True):
            found = study_of_releases.least(order, 10, epsilon, delta)[0]
            assert float(one) == pytest.approx(found, rel=1e-3, abs=5e-3)


@pytest.mark.parametrize("row", [1, 2, 3, 4])
def test_best_order_of_ten_releases(row):
    cell, best, *_ = table(PAGE, "ten releases")[row]
    check([best], [tabulate_best_order.best_of_many(10, *point(cell)).sd])


def slope_at_order_1(epsilon, delta):
    """The slope of ln sd in p at p = 1, as docs/guarantees.md has it."""
    h = epsilon - 2 * mpmath.log(1 - delta)
    u, v = (h - epsilon) / 2, (h + epsilon) / 2

    def s(x):
        tail = mpmath.quad(lambda y: y * mpmath.log(y) * mpmath.exp(-y), [x, x + 1, x + 5, x + 60])
        return ((1 - mpmath.euler) * mpmath.exp(-x) - tail) / 2

    fall = 2 * (s(u) + mpmath.exp(epsilon) * s(v)) / (h * mpmath.exp(epsilon - v))
    return -fall - (3 * mpmath.digamma(3) - mpmath.digamma(1)) / 2


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.1), (1, 0.01), (3, 0.4), (5, 0.4)])
def test_the_slope_at_order_1_is_a_difference(epsilon, delta):
    def log_sd(order):
        b = calibration.scale("adp-exact", order=order, epsilon=epsilon, delta=delta)
        return log(GeneralizedGaussian(order, b).sd)

    step = 1e-5
    ahead = (4 * log_sd(1 + step) - log_sd(1 + 2 * step) - 3 * log_sd(1)) / (2 * step)
    assert ahead == pytest.approx(float(slope_at_order_1(epsilon, delta)), abs=1e-5)


def test_where_order_1_is_not_the_best():
    assert "It is -0.747 at (0.5, 0.1)" in text(PAGE)
    assert float(slope_at_order_1(0.5, 0.1)) == pytest.approx(-0.747, abs=5e-4)
    assert "ε = 2.665 for δ → 0, at 2.742 for δ = 0.1, 2.775 for 0.25" in text(PAGE)
    for delta, expected in ((1e-9, 2.665), (0.1, 2.742), (0.25, 2.775)):
        at = mpmath.findroot(lambda e, d=delta: slope_at_order_1(e, d), (2.66, 2.8))
        assert float(at) == pytest.approx(expected, abs=5e-4)
    for epsilon, delta in product((0.02, 0.5, 2, 2.66), (1e-6, 0.01, 0.1, 0.25, 0.4)):
        assert slope_at_order_1(epsilon, delta) < 0


@pytest.mark.parametrize(("delta", "is_uniform"), [(0.1, True), (0.6, True), (0.8, False)])
def test_uniform_noise_is_the_best_at_epsilon_0_up_to_two_thirds(delta, is_uniform):
    """Over mixtures of uniforms on (-a, a): a linear program, on a grid of a."""
    half = np.concatenate([[1e-9], np.linspace(0.01, 8, 4001), [1 / (2 * delta)]])
    inside = np.minimum(1, 1 / (2 * half))
    found = linprog(half**2 / 3, [inside], [delta], [np.ones_like(half)], [1])
    uniform = 1 / (12 * delta**2)
    assert (
        found.fun == pytest.approx(uniform, rel=1e-9) if is_uniform else found.fun < 0.9 * uniform
    )
