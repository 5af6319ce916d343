"""The figure that ranks mechanisms: its numbers, and its drawing."""

from math import hypot

import numpy as np
import pandas as pd
import pytest
from test_draw_experiments import made_errors, made_summary, stored
from test_off_the_grid import GRIDS, GRIDS_BY_TIER, boxes, overlapping, points

from ggexp.experiment.metrics import SHOWN
from ggexp.figures import style
from ggexp.figures.draw_ranks import draw as draw_ranks
from ggexp.figures.tabulate_ranks import tabulate as tabulate_ranks


def summary(metric, means, *, se=0.1, repeats=100):
    """A summary with a row for each (mechanism, ε, δ)."""
    return stored(
        pd.DataFrame(
            [
                {
                    **{"dataset": "own", "mechanism": name, "epsilon": epsilon, "delta": delta},
                    **{"metric": metric, "repeats": repeats, "mean": mean, "sd": 1.0, "se": se},
                }
                for (name, epsilon, delta), mean in means.items()
            ]
        )
    )


def test_errors_by_hand():
    means = {("a", 1, 0.1): 12.0, ("b", 1, 0.1): 10.0, ("c", 1, 0.1): 11.0}
    table = tabulate_ranks(summary("l1", means), SHOWN)
    assert list(table) == [
        *["error", "epsilon", "delta", "mechanism", "rank"],
        *["repeats", "mean", "se", "excess", "excess_se"],
    ]
    assert list(table["mechanism"]) == ["a", "b", "c"]
    assert list(table["rank"]) == [3, 1, 2]
    assert list(table["excess"]) == pytest.approx([0.2, 0, 0.1])
    assert table["excess_se"][0] == pytest.approx(1.2 * hypot(0.1 / 12, 0.1 / 10))
    assert table["excess_se"][1] == 0


def test_accuracy_is_ranked_by_misclassification():
    means = {("a", 1, 0.1): 0.80, ("b", 1, 0.1): 0.84}
    table = tabulate_ranks(summary("accuracy", means, se=0.001), SHOWN)
    assert set(table["error"]) == {"misclassification"}
    assert list(table["mean"]) == pytest.approx([0.20, 0.16])
    assert list(table["rank"]) == [2, 1]
    assert table["excess"][0] == pytest.approx(0.25)
    assert table["excess_se"][0] == pytest.approx(1.25 * hypot(0.001 / 0.2, 0.001 / 0.16))


def test_the_standard_error_of_an_excess_agrees_with_simulations():
    """The delta method agrees with the spread of 4,000 pairs of means (standard error: 1.1 %)."""
    rng = np.random.default_rng(6)
    first, second = rng.normal(12, 0.3, 4000), rng.normal(10, 0.2, 4000)
    means = {("a", 1, 0.1): 12.0, ("b", 1, 0.1): 10.0}
    errors = summary("l1", means).assign(se=[0.3, 0.2])
    table = tabulate_ranks(errors, SHOWN)
    assert table["excess_se"][0] == pytest.approx((first / second - 1).std(), rel=0.05)


def test_a_mechanism_without_a_delta_is_ranked_at_every_delta():
    means = {("laplace", 1, None): 10.0, ("b", 1, 0.1): 12.0, ("b", 1, 0.2): 8.0}
    table = tabulate_ranks(summary("l1", means), SHOWN)
    assert list(zip(table["delta"], table["mechanism"], table["rank"], strict=True)) == [
        (0.1, "laplace", 1),
        (0.1, "b", 2),
        (0.2, "laplace", 2),
        (0.2, "b", 1),
    ]


def test_without_any_delta_mechanisms_are_ranked_once_for_each_epsilon():
    means = {(name, epsilon, None): 10.0 + epsilon for name in "ab" for epsilon in (1, 2)}
    table = tabulate_ranks(summary("kl", means), SHOWN)
    assert table["delta"].isna().all()
    assert list(table["rank"]) == [1, 2, 1, 2]
    assert list(table["excess"]) == [0] * 4
    assert list(table["excess_se"] > 0) == [False, True] * 2


def test_other_metrics_are_left_out():
    accuracy = made_summary({"accuracy": 1, "kl_reverse": 0.7})
    table = tabulate_ranks(pd.concat([made_errors(), accuracy]), SHOWN)
    assert list(table["error"].unique()) == ["l1", "kl", "misclassification"]
    for _, group in table.groupby(["error", "epsilon", "delta"]):
        assert sorted(group["rank"]) == [1, 2, 3]
        assert group["excess"].min() == 0


def test_metrics_are_ranked_in_the_requested_order():
    requested = ["kl_reverse", "l1"]
    table = tabulate_ranks(made_summary({"l1": 100, "kl": 0.5, "kl_reverse": 0.7}), requested)
    assert list(table["error"].unique()) == requested
    labels = [axes.get_ylabel() for axes in draw_ranks(stored(table), "own").axes[:-1]]
    assert labels == ["reverse KL divergence", "", "l₁ distance", ""]


def test_errors_of_0_and_a_single_repeat():
    without_errors = summary("l1", {("a", 1, 0.1): 0.0, ("b", 1, 0.1): 0.0, ("c", 1, 0.1): 2.0})
    table = tabulate_ranks(without_errors, SHOWN)
    assert list(table["excess"]) == [0, 0, np.inf]
    draw_ranks(stored(table), "own")
    single = summary("l1", {("a", 1, 0.1): 3.0, ("b", 1, 0.1): 4.0}, se=np.nan, repeats=1)
    table = tabulate_ranks(single, SHOWN)
    figure = draw_ranks(stored(table), "own")
    assert [text.get_fontweight() for text in figure.axes[0].texts] == ["bold", "normal"]


# ---- the drawing ----


def cells_of(axes):
    (image,) = axes.images
    return image.get_array()


def test_cells_are_the_excess_with_numbers_and_the_best_are_bold():
    means = {
        ("gg-1", 0.5, 0.1): 12.0,
        ("gg-1", 2, 0.1): 6.0,
        ("laplace", 0.5, 0.1): 10.0,
        ("laplace", 2, 0.1): 6.01,
    }
    table = stored(tabulate_ranks(summary("l1", means, se=0.01), SHOWN))
    figure = draw_ranks(table, "own")
    axes, bar = figure.axes
    np.testing.assert_allclose(cells_of(axes), [[20, 0], [0, 100 * (6.01 / 6 - 1)]])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["gg-1", "Laplace"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.5", "2"]
    texts = {text.get_position(): (text.get_text(), text.get_fontweight()) for text in axes.texts}
    assert texts == {
        (0, 0): ("20", "normal"),
        (1, 0): ("0.0", "bold"),
        (0, 1): ("0.0", "bold"),
        (1, 1): ("0.2", "bold"),  # 0.01 ± 0.014
    }
    assert axes.get_title() == "δ = 0.1"
    assert axes.get_ylabel() == "l₁ distance"
    assert bar.get_ylabel() == "above the smallest (%)"
    assert "own" in figure.get_suptitle()


def test_a_block_for_each_error_and_a_panel_for_each_delta():
    measured = made_summary({"l1": 100, "kl": 0.5, "kl_reverse": 0.7, "accuracy": 1})
    table = stored(tabulate_ranks(measured, SHOWN))
    figure = draw_ranks(table, "own")
    panels = figure.axes[:-1]
    labels = ["l₁ distance", "", "KL divergence", "", "misclassified", ""]
    assert [axes.get_ylabel() for axes in panels] == labels
    errors = ["l1", "l1", "kl", "kl", "misclassification", "misclassification"]
    for axes, error, delta in zip(panels, errors, [0.05, 0.01] * 3, strict=True):
        selected = table[(table["error"] == error) & (table["delta"] == delta)]
        excesses = selected.pivot_table(index="mechanism", columns="epsilon", values="excess")
        rows = excesses.loc[["gaussian-pdp", "laplace", "own"]]
        np.testing.assert_allclose(cells_of(axes), 100 * rows)


@pytest.fixture(scope="module", params=GRIDS_BY_TIER)
def drawn(request):
    """A figure of another grid, laid out as for saving."""
    mechanisms, epsilons, deltas = GRIDS[request.param]
    errors = made_summary({"l1": 100, "kl": 0.5}, points(mechanisms, epsilons, deltas))
    figure = draw_ranks(
        stored(tabulate_ranks(errors, SHOWN)), "a-data.set_with-a-name-of-40-characters"
    )
    with style.settings():
        figure.draw_without_rendering()
    return figure


def test_no_two_texts_overlap_and_all_are_within_the_figure(drawn):
    texts = [drawn._suptitle]
    for axes in drawn.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts += [
                tick.label1
                for tick in axis.get_major_ticks()
                if low <= tick.get_loc() <= high and tick.label1.get_visible()
            ]
    assert not overlapping(texts)
    for box in boxes(texts):
        assert box.x0 >= 0
        assert box.y0 >= 0
        assert box.x1 <= drawn.bbox.x1 + 0.5
        assert box.y1 <= drawn.bbox.y1 + 0.5


def test_numbers_are_within_their_cells(drawn):
    for axes in drawn.axes[:-1]:
        if axes.texts:
            columns = len(axes.get_xticks())
            width = axes.get_window_extent().width / columns
            assert max(box.width for box in boxes(axes.texts)) < width
