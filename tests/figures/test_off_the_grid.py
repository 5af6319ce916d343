"""Figures 6 to 12 of other grids, many mechanisms and long names are complete and legible."""

from itertools import pairwise

import numpy as np
import pytest
from test_draw_experiments import heading_of, made_accuracy, made_errors, made_releases, texts_of

from ggexp.datasets.text import in_words
from ggexp.experiment import configuration
from ggexp.figures import style
from ggexp.figures.draw_errors import draw as draw_errors
from ggexp.figures.draw_releases import draw as draw_releases
from ggexp.figures.draw_summaries import accuracy as draw_accuracy

KINDS = {
    "releases": (draw_releases, made_releases),
    "errors": (draw_errors, made_errors),
    "accuracy": (draw_accuracy, made_accuracy),
}
PAPER = ["laplace", "gaussian-pdp", "ggm-3", "gaussian-adp"]
TWELVE = [*PAPER, "a-name-of-40-characters.and_upper-CASE.xy", *(f"own-{i}" for i in range(7))]
EPSILONS, DELTAS = [0.5, 1, 2], [0.01, 0.05, 0.1, 0.25]
TEN = [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5]
SEVEN = [1e-6, 1e-5, 0.001, 0.01, 0.05, 0.1, 0.25]
GRIDS = {
    "paper": (PAPER, EPSILONS, DELTAS),
    "one of each": (PAPER, [1], [0.05]),
    "10 x 7": (PAPER, TEN, SEVEN),
    "12 mechanisms, one epsilon": (TWELVE, [1], DELTAS),
    "40 epsilons": (["laplace"], [i / 10 for i in range(1, 41)], []),
}


def points(mechanisms, epsilons, deltas):
    return [
        (name, epsilon, delta)
        for name in mechanisms
        for epsilon in epsilons
        for delta in ([None] if name == "laplace" else deltas)
    ]


# figures of many panels take long to draw, so these grids are tested with the slow tests
MANY_PANELS = {"paper", "10 x 7", "12 mechanisms, one epsilon"}
GRIDS_BY_TIER = [
    pytest.param(name, marks=pytest.mark.slow if name in MANY_PANELS else ()) for name in GRIDS
]


@pytest.fixture(scope="module", params=GRIDS_BY_TIER)
def grid(request):
    return request.param


@pytest.fixture(scope="module", params=KINDS)
def drawn(request, grid):
    """A figure, laid out as for saving."""
    draw, make = KINDS[request.param]
    figure = draw(make(points(*GRIDS[grid])), "a-data.set_with-a-name-of-40-characters")
    with style.settings():
        figure.draw_without_rendering()
    return figure


def boxes(texts):
    """The boxes of the visible texts."""
    return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text()]


def overlapping(texts):
    areas = boxes(texts)
    return [(a, b) for i, a in enumerate(areas) for b in areas[:i] if a.overlaps(b)]


def test_no_two_texts_overlap(drawn):
    (legend,) = drawn.legends
    texts = [*legend.get_texts(), legend.get_title()]
    for axes in drawn.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = axis.get_view_interval()
            texts += [
                tick.label1
                for tick in axis.get_major_ticks()
                if low <= tick.get_loc() <= high and tick.label1.get_visible()
            ]
    assert not overlapping(texts)


def test_all_texts_are_within_the_figure(drawn):
    (legend,) = drawn.legends
    areas = [legend.get_window_extent(), *boxes(text for axes in drawn.axes for text in axes.texts)]
    areas += boxes(axes.title for axes in drawn.axes)
    for box in areas:
        assert box.x0 >= 0
        assert box.x1 <= drawn.bbox.x1 + 0.5
        assert box.y1 <= drawn.bbox.y1 + 0.5
    # the heading is above all panels
    top = max(axes.get_window_extent().y1 for axes in drawn.axes)
    assert legend.get_window_extent().y0 >= top - 0.5


def test_panels_are_not_too_small(drawn):
    inches = 0.7 if drawn.get_figwidth() == style.WIDTH else 0.4
    for axes in drawn.axes:
        box = axes.get_window_extent()
        assert box.width > drawn.bbox.width / 10
        assert box.height > inches * drawn.dpi


def test_every_panel_has_its_title(drawn, grid):
    _, epsilons, deltas = GRIDS[grid]
    titles = [axes.get_title() for axes in drawn.axes]
    if drawn.get_figwidth() == style.WIDTH:
        assert {*titles} - {""} == {f"δ = {in_words(delta)}" for delta in deltas}
    else:
        first, last = f"ε = {epsilons[0]:g}", f"ε = {epsilons[-1]:g}"
        shown = [title for title in titles if title]
        assert len(shown) == min(3, len(epsilons))
        assert (shown[0], shown[-1]) == (first, last)
        texts = ", ".join([heading_of(drawn), *texts_of(drawn)])
        assert all(f"δ = {in_words(delta)}" in texts for delta in (*deltas[:1], *deltas[-1:]))


def test_every_mechanism_has_its_name(drawn, grid):
    names = [style.looks(GRIDS[grid][0])[name][0] for name in GRIDS[grid][0]]
    rows = [text.get_text() for axes in drawn.axes for text in axes.texts]
    assert (rows or texts_of(drawn)[-len(names) :]) == names


def test_points_are_within_their_panel_and_nearest_to_their_own_epsilon(drawn, grid):
    epsilons = np.array(GRIDS[grid][1])
    for axes in drawn.axes:
        for container in axes.containers:
            x = container.lines[0].get_xdata(orig=False)
            low, high = axes.get_xlim()
            assert (low < x).all()
            assert (x < high).all()
            nearest = np.abs(np.log(x[:, None] / epsilons)).argmin(axis=1)
            assert list(nearest) == list(range(len(epsilons)))
            if len(epsilons) == 1:  # in the middle of the axis
                share = (np.log(x) - np.log(low)) / (np.log(high) - np.log(low))
                assert 0.2 < share.item() < 0.8


def test_ends_of_the_x_axis_have_labels(drawn, grid):
    for axes in drawn.axes:
        labels = [text for text in axes.get_xticklabels() if text.get_visible()]
        if axes.containers and labels:
            epsilons = GRIDS[grid][1]
            assert labels[0].get_text() == f"{epsilons[0]:g}"
            assert labels[-1].get_text() == f"{epsilons[-1]:g}"


def test_the_lowest_panel_of_each_column_has_tick_labels(drawn):
    columns = {}
    for axes in drawn.axes:
        columns.setdefault(round(axes.get_window_extent().x0), []).append(axes)
    for panels in columns.values():
        lowest = min(panels, key=lambda axes: axes.get_window_extent().y0)
        assert boxes(lowest.get_xticklabels())


def test_releases_show_some_of_many_epsilons_and_say_so():
    figure = draw_releases(made_releases(points(*GRIDS["40 epsilons"])), "own")
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[:3] == ["ε = 0.1", "ε = 2.1", "ε = 4"]
    assert heading_of(figure) == "own (3 of 40 ε)"


@pytest.mark.parametrize("counts", [[12, 40, 7], [10**6, 3 * 10**6, 2], [0, 0, 0]], ids=str)
def test_a_table_of_three_cells(counts):
    table = made_releases(points(["ggm-3", "laplace"], EPSILONS[:1], SEVEN))
    table = table[table["cell"] < 3].copy()
    table["original"] = np.resize(counts, len(table))
    table["sanitized"] = table["original"] * 0.9
    figure = draw_releases(table, "own")
    with style.settings():
        figure.draw_without_rendering()
    for axes in figure.axes:
        assert not overlapping(axes.get_xticklabels())
    drawn = [band for axes in figure.axes[1:] for band in axes.collections[:1]]
    assert all(band.get_datalim(band.axes.transData).width > 0 for band in drawn)


# ---- looks ----


@pytest.mark.parametrize(
    "names", [TWELVE, PAPER[:3] + TWELVE[4:], [f"own-{i}" for i in range(12)]], ids=len
)
def test_no_two_mechanisms_look_alike(names):
    looks = style.looks(names)
    assert list(looks) == names
    _, colours, markers, _ = zip(*looks.values(), strict=True)
    # both colours and markers are distinct, because points are drawn without a line
    assert len(set(colours)) == len(set(markers)) == len(names)
    lines = [look[3] for look in looks.values()]
    assert all(a != b for a, b in pairwise(lines[:4]))


def test_the_paper_s_mechanisms_look_the_same_in_any_figure():
    alone = style.looks(PAPER)
    for names in (TWELVE, TWELVE[::-1], PAPER[1:3]):
        assert {name: style.looks(names)[name] for name in {*names} & {*PAPER}}.items() <= (
            alone.items()
        )


def test_more_mechanisms_than_looks_are_rejected():
    with pytest.raises(ValueError, match=r"12 mechanisms.* got 13"):
        style.looks([f"own-{i}" for i in range(13)])
    assert configuration.MECHANISMS_OF_A_FIGURE == 12  # so that more are rejected before any job
