"""Figure S7, and the figure of `ggexp compare --plot`: trade-off curves."""

import re

import numpy as np
import pytest
from conftest import ROOT, assert_one_error, stored
from ggexp.companions.figures.tabulate_trade_off import GUARANTEE, tabulate
from scipy.stats import gennorm

from ggexp import Mechanism
from ggexp.command.main import main
from ggexp.companions.figures.draw_trade_off import draw
from ggexp.companions.figures.tabulate_loss_curves import MECHANISMS
from ggexp.figures import style
from ggexp.guarantees.comparison import noise_table, trade_off_table


@pytest.fixture(scope="module")
def table():
    return stored(tabulate())


def curve(table, releases, mechanism):
    rows = table[(table["releases"] == releases) & (table["mechanism"] == mechanism)]
    return rows["false_positive"].to_numpy(), rows["false_negative"].to_numpy()


@pytest.mark.parametrize("name", MECHANISMS)
def test_curves_of_one_release_are_threshold_tests(table, name):
    mechanism = MECHANISMS[name]
    noise = gennorm(mechanism.order, scale=mechanism.noise(epsilon=1, delta=0.05).scale)
    positive, negative = curve(table, 1, name)
    assert negative == pytest.approx(noise.cdf(noise.isf(positive) - 1), abs=2e-8)


def test_ten_gaussian_releases_equal_one_with_less_noise(table):
    noise = gennorm(2, scale=Mechanism(2, "pdp").noise(epsilon=1, delta=0.05).scale / np.sqrt(10))
    positive, negative = curve(table, 10, "gaussian-pdp")
    assert negative == pytest.approx(noise.cdf(noise.isf(positive) - 1), abs=1e-9)


def test_the_guarantee(table):
    positive, negative = curve(table, 1, GUARANTEE)
    lines = 0.95 - np.e * positive, (0.95 - positive) / np.e
    assert negative == pytest.approx(np.maximum(0, np.maximum(*lines)), abs=1e-9)
    for releases in (1, 10):
        limits = curve(table, releases, GUARANTEE)[1]
        for name in MECHANISMS:
            assert (curve(table, releases, name)[1] >= limits - 1e-8).all()


def test_it_is_drawn_from_its_file(table, tmp_path):
    drawn = draw(table, "s7")
    assert [axes.get_title() for axes in drawn.axes] == ["one release", "10 releases"]
    for axes, releases in zip(drawn.axes, (1, 10), strict=True):
        lines = {line.get_label(): line for line in axes.lines}
        for name, (label, *_) in style.looks(MECHANISMS).items():
            np.testing.assert_allclose(lines[label].get_ydata(), curve(table, releases, name)[1])
        assert axes.get_xlabel()
    first, second = tmp_path / "a.png", tmp_path / "b.png"
    style.save(drawn, first)
    style.save(draw(table, "s7"), second)
    assert first.read_bytes() == second.read_bytes()


def test_caption():
    text = (ROOT / "workflow/report/figures/s7.rst").read_text("utf-8")
    assert re.search(r"\(1, 0\.05\)", text)


# ---- ggexp compare --plot


@pytest.mark.slow
def test_curves_of_all_rules():
    rates = np.linspace(0, 1, 11)
    table = trade_off_table(0.5, 0.01, rates)
    rows = noise_table(0.5, 0.01)
    curves = table[table["calibration"] != GUARANTEE].groupby(["order", "calibration"])
    assert curves.ngroups == rows["guarantee"].notna().sum()
    limits = {
        guarantee: group["false_negative"].to_numpy()
        for guarantee, group in table[table["calibration"] == GUARANTEE].groupby("guarantee")
    }
    for row in rows.to_dict("records"):
        order = "" if row["order"] is None else str(row["order"])
        group_rows = curves.get_group((order, row["calibration"]))
        assert set(group_rows["guarantee"]) == {str(row["guarantee"])}
        negative = group_rows["false_negative"].to_numpy()
        assert (negative >= limits[str(row["guarantee"])] - 1e-8).all()
        # the largest distance from the line of random guessing, 1 - α, is twice the advantage
        assert (1 - rates - negative).max() <= 2 * row["advantage"] + 1e-8


@pytest.mark.slow
def test_the_command_draws(tmp_path, capsys):
    for name in ("a.png", "a.svg"):
        with pytest.raises(SystemExit) as ended:
            main(f"compare --epsilon 1 --delta 0.05 --plot {tmp_path / name}".split())
        assert ended.value.code == 0
        assert (tmp_path / name).stat().st_size > 10_000
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main("compare --epsilon 1 --delta 0.05 --plot a.txt".split())
    assert ended.value.code == 2
    assert_one_error(capsys.readouterr().err, r"plot .*\.png, \.pdf or \.svg")
