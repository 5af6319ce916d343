"""The proposed columns and bins, and the predicted error."""

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import describe, examine

from ggexp.datasets.records import make_histogram
from ggexp.experiment.metrics import METRICS
from ggexp.mechanisms.mechanism import Mechanism
from ggexp.proposal.roles import bins_of, quantile_edges
from ggexp.releases.kinds import relative_error
from ggexp.releases.simulate import AllCells
from ggexp.releases.unlisted import Stability


def described(path, table, *arguments, **options):
    table.to_csv(path, index=False)
    found = examine(path, *arguments, **options)
    return found, found.settings.written()["columns"]


def people(records, **columns):
    rng = np.random.default_rng(3)
    table = {f"x{i}": rng.normal(size=records).round(3) for i in range(6)}
    return pd.DataFrame(table | columns)


@pytest.mark.parametrize("records", [60, 2000])
@pytest.mark.parametrize("target", [None, "t"])
def test_three_to_five_columns_leave_five_records_a_cell(tmp_path, records, target):
    table = people(records, t=["yn"[i % 2] for i in range(records)])
    found, columns = described(tmp_path / "t.csv", table, target)
    assert 3 <= len(columns) <= 5
    assert [*columns][:2] == ["x0", "x1"]
    assert target is None or target in columns
    assert found.table.total == (records if target is None else records * 2 // 3)
    assert found.table.combinations * 5 <= found.table.total
    assert (found.release, found.warnings) == ("all", [])
    assert {*found.offered} | {*columns} == {*table}


def test_columns_with_few_levels_are_proposed(tmp_path):
    rng = np.random.default_rng(3)
    flags = {f"b{i}": rng.choice(["y", "n"], 400) for i in range(4)}
    for levels, expected in ((20, ["a", "b0", "b1"]), (40, ["b0", "b1", "b2", "b3"])):
        table = pd.DataFrame({"a": rng.choice([f"l{j}" for j in range(levels)], 400), **flags})
        _, columns = described(tmp_path / "t.csv", table)
        assert [*columns] == expected  # with 40 levels only two columns fit into 80 cells
    hours = pd.DataFrame({"hour": [i % 24 for i in range(480)], "x": ["a", "b"] * 240})
    _, columns = described(tmp_path / "t.csv", hours, columns=["hour"])
    assert columns["hour"] == {"levels": [str(i) for i in range(24)]}
    _, columns = described(tmp_path / "t.csv", hours[:96], columns=["hour"])
    assert columns["hour"] == {"from": 0, "to": 25, "width": 5}


def test_every_uncommented_line_adds_a_column(tmp_path):
    table = people(300, t=["yn"[i % 2] for i in range(300)])
    table.to_csv(tmp_path / "t.csv", index=False)
    printed = describe(tmp_path / "t.csv")
    before, after = (
        yaml.safe_load(text)["histograms"]["t"]["records"]
        for text in (printed, printed.replace("        # x", "        x"))
    )
    assert len(before["columns"]) < len(after["columns"])
    assert [*after["columns"]] == [*table]
    assert make_histogram(after, dataset="t", seed=1).tally["kept"] == 300


def test_too_many_cells_to_list_are_released_by_stability(tmp_path):
    table = people(100, **{f"y{i}": np.arange(100) * 1.5 + i for i in range(12)})
    found, _ = described(tmp_path / "t.csv", table, columns=[*table])
    config = yaml.safe_load(describe(tmp_path / "t.csv", columns=[*table]))
    assert found.table.combinations > 100_000
    data_set = config["histograms"]["t"]
    assert data_set["release"] == {"kind": "stability", "total": "private"}
    assert "truncated-laplace" not in config["mechanisms"]
    assert data_set["mechanisms"] == [*config["mechanisms"]]
    assert config["metrics"] == ["l1"]


RNG = np.random.default_rng(6)
SKEWED = {
    "lognormal": RNG.lognormal(8, 1.5, 2000),
    "many zeros": np.r_[np.zeros(1800), RNG.lognormal(6, 1, 200)],
    "negative": -RNG.exponential(1e-5, 2000),
    "far from 0": 1e6 + RNG.exponential(1, 2000),
    "many at the end": np.r_[np.full(1500, 7.5), RNG.uniform(0, 1, 100)],
    "nearly all at the end": -np.r_[np.zeros(1800), RNG.lognormal(0, 1, 200)],
}


@pytest.mark.parametrize("about", [10, 2])
@pytest.mark.parametrize("name", SKEWED)
def test_skewed_columns_have_bins_of_about_as_many_records(name, about):
    values = np.sort(SKEWED[name])
    edges = bins_of(np.sort(values), about).edges
    assert edges == sorted({*edges})
    assert edges[0] <= values[0] <= values[-1] <= edges[-1]
    counts, _ = np.histogram(values, edges)
    assert 2 <= len(counts) <= about
    assert counts.sum() == values.size
    assert counts.min() > 0
    commonest = np.unique(values, return_counts=True)[1].max()
    if commonest == 1:
        assert counts.max() <= 1.5 * values.size / about
        assert len(counts) == about
    else:  # the most common value shares its bin with few others
        assert counts.max() <= commonest + values.size / about
    assert max(len(f"{edge:.15g}".strip("0")) for edge in edges) <= 9 + 4 * (name == "far from 0")


def test_even_columns_have_round_bins_of_one_width():
    rng = np.random.default_rng(6)
    normal = [rng.normal(1, 3, 50) * size for size in 10.0 ** np.arange(-12, 13, 4)]
    for values in (*normal, rng.uniform(size=1000), rng.normal(1e6, 1, 1000)):
        low, high, width = bins_of(np.sort(values), 10).written().values()
        assert low <= values.min() <= values.max() <= high
        assert f"{width:.3e}"[:5] in ("1.000", "2.000", "5.000")
        assert 5 <= (high - low) / width <= 13
    assert bins_of(np.sort(np.ones(5)), 10) is None
    edges = quantile_edges(np.sort(rng.uniform(size=1000)), 4, (0, 1))
    assert edges == pytest.approx([0, 0.25, 0.5, 0.75, 1], abs=0.07)


@pytest.mark.parametrize("shape", [(40, 0), (8, 400)])
@pytest.mark.parametrize("delta", [None, 1e-4])
def test_the_expected_error_is_that_of_releases(shape, delta):
    """Within five standard errors of 400 releases: the false-alarm probability is 10^-6."""
    filled, empty = shape
    counts = np.r_[np.random.default_rng(5).integers(1, 30, filled), np.zeros(empty, np.int64)]
    noise, rng = Mechanism(None, "pure-integer").noise(epsilon=1), np.random.default_rng(9)
    kind, listed = AllCells(counts.size), counts
    if delta is not None:
        kind, listed = Stability(counts.size), counts[:filled]
    l1 = METRICS["l1"]
    found = (
        np.array([l1.of(listed, kind.simulate(listed, noise, rng, delta)) for _ in range(400)])
        / counts.sum()
    )
    error = 5 * found.std() / np.sqrt(found.size)
    assert relative_error(listed, kind, delta=delta) == pytest.approx(found.mean(), abs=error)
