"""The findings in titles agree with the numbers of several designs."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from test_pictures import made_levels, made_releases, made_summary

from ggexp.figures import draw_releases, draw_summaries, findings, style
from ggexp.figures import tabulate_summaries as summaries
from ggexp.figures.findings import Smallest

DATA = Path(__file__).parents[1] / "data"


def summary(design: str) -> pd.DataFrame:
    return pd.read_csv(DATA / design / "summary.csv")


def rows_of(design: str, dataset: str, metric: str) -> pd.DataFrame:
    table = summary(design)
    return table[(table["dataset"] == dataset) & (table["metric"] == metric)]


@pytest.mark.parametrize(
    ("design", "dataset", "metric", "found"),
    [
        ("full_run", "mildew", "l1", ("laplace", 12, 12, 12)),
        ("full_run", "czech", "kl", ("laplace", 11, 11, 12)),
        ("full_run", "adult", "kl", ("laplace", 12, 12, 12)),
        ("equal_privacy", "czech", "l1", ("optimal", 9, 21, 21)),
        ("equal_privacy", "adult", "l1", ("optimal", 9, 16, 21)),
        ("equal_privacy", "adult", "kl", ("truncated-laplace", 10, 14, 21)),
        ("empty_cells", "five-columns-stability", "l1", ("laplace", 12, 12, 12)),
    ],
)
def test_the_smallest_mean(design, dataset, metric, found):
    assert findings.smallest(rows_of(design, dataset, metric)) == Smallest(*found)


@pytest.mark.parametrize(("dataset", "above"), [("mildew", 0), ("czech", 0), ("adult", 39)])
def test_means_above_equal_counts(dataset, above):
    equal = pd.read_csv(DATA / "full_run" / "equal_counts.csv").query("dataset == @dataset")
    table = summary("full_run").query("dataset == @dataset")
    drawn = summaries.errors(table, ["l1", "kl"], equal)
    for metric in ("l1", "kl"):
        rows = drawn[drawn["metric"] == metric]
        assert (findings.above_equal(rows), len(rows)) == (above, 39)


def test_a_mean_that_stands_at_each_delta_is_counted_once():
    rows = pd.DataFrame({"mechanism": [*"aabb"], "epsilon": 1.0, "delta": [0.1, 0.2] * 2})
    rows = rows.assign(mean=[5.0, 5.0, 5.0, 1.0], se=0.1, equal=2.0)
    assert "2 of 3 means" in findings.of_means({"error": rows})[0]


@pytest.mark.parametrize("above", [(2, 3), (4, 4), (0, 5), (5, 0)])
def test_equal_counts_are_named_once_for_all_metrics(above):
    table = made_summary({"l1": 1}).assign(se=0.01)
    metrics = {
        label: table.assign(equal=np.where(np.arange(len(table)) < number, 0.0, 10.0))
        for label, number in zip(("l1", "kl"), above, strict=True)
    }
    first, second, *_ = findings.of_means(metrics)
    smaller = 1 if 0 in above else 2
    assert [*map(int, re.findall(r"\b\d+", first))] == [sum(above), smaller * len(table)]
    assert "equal counts" not in second


def test_without_standard_errors_or_a_second_mechanism_nothing_is_compared():
    rows = rows_of("full_run", "mildew", "l1")
    assert findings.smallest(rows.assign(se=np.nan)) is None
    assert findings.smallest(rows[rows["mechanism"] == "laplace"]) is None


def test_methods_are_compared_for_each_mechanism():
    table = made_summary({"l1": 1}).assign(method="a", se=0.01)
    table = pd.concat([table, table.assign(method="b", mean=table["mean"] + 0.1)])
    assert findings.smallest(table, "method") == Smallest("a", len(table) // 2, 15, 15)


@pytest.mark.parametrize("table", [made_releases(), made_levels()])
def test_the_errors_at_the_first_and_the_last_epsilon(table):
    first, _ = findings.of_releases(table, np.nan)
    for epsilon in (table["epsilon"].iloc[0], table["epsilon"].iloc[-1]):
        rows = table[table["epsilon"] == epsilon]
        low = (rows["low"] - rows["original"]).min()
        assert f"{low:g} ".replace("-", "−") in first
        assert f"{(rows['high'] - rows['original']).max():g} " in first


def test_a_title_has_at_most_two_lines_and_is_that_of_the_file(tmp_path):
    long = "a finding of many words " * 3
    assert findings.title("own", [], "l₁ distance") == "own: l₁ distance"
    lines = findings.title("own", [long] * 9).splitlines()
    assert len(lines) == findings.LINES
    assert max(map(len, lines)) <= findings.LINE
    rows = rows_of("equal_privacy", "czech", "l1").query("delta == 0.1 or delta != delta")
    equal = pd.DataFrame({"metric": ["l1"], "equal": np.nan})
    table = summaries.errors(rows, ["l1"], equal)
    figure = draw_summaries.errors(table, "czech")
    style.save(figure, tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as picture:
        title = picture.info["Title"]
    assert title == " ".join(figure.legends[0].get_title().get_text().split())
    assert title.startswith("czech: optimal ")


def test_only_the_papers_data_sets_have_a_row_for_each_mechanism():
    table = made_releases()
    own, paper = (draw_releases.releases(table, name) for name in ("own", "mildew"))
    epsilons, mechanisms = table["epsilon"].nunique(), table["mechanism"].nunique()
    assert [len(figure.axes) for figure in (own, paper)] == [epsilons, epsilons * (mechanisms + 1)]
    for figure in (own, paper):
        first = table[(table["mechanism"] == "laplace") & (table["epsilon"] == 2.0)]
        levels = first.drop_duplicates("original").sort_values("original")
        errors = figure.axes[-epsilons].lines
        drawn = [list(line.get_ydata()) for line in errors if line.get_color() == style.BLUE]
        for end, line in zip(("low", "high"), drawn, strict=True):
            assert line == pytest.approx(list(levels[end] - levels["original"]))
