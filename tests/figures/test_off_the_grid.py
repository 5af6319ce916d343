"""Figures 6 to 12 of other grids, many mechanisms and long names are complete and legible."""

import numpy as np
import pytest
from browser import contrast
from test_pictures import accuracy, errors, made_levels, made_releases, points_of, ranks

from ggexp.experiment import configuration
from ggexp.figures import draw_releases, style

PAPER = ["laplace", "gaussian-pdp", "ggm-3", "gaussian-adp"]
TWELVE = [*PAPER, "a-name-of-40-characters.and_upper-CASE.xy", *(f"own-{i}" for i in range(7))]
EPSILONS, DELTAS = [0.5, 1, 2], [0.01, 0.05, 0.1, 0.25]
SEVEN = [1e-6, 1e-5, 0.001, 0.01, 0.05, 0.1, 0.25]
GRIDS = {
    "paper": (PAPER, EPSILONS, DELTAS),
    "one of each": (PAPER, [1], [0.05]),
    "10 x 7": (PAPER, [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5], SEVEN),
    "12 mechanisms, one epsilon": (TWELVE, [1], DELTAS),
    "40 epsilons": (["laplace"], [i / 10 for i in range(1, 41)], []),
}
# figures of many panels take long to draw
FAST = {"one of each"}
KINDS = {
    "errors of cells": lambda points: draw_releases.releases(made_releases(points), NAME),
    "releases": lambda points: draw_releases.releases(made_releases(points), "czech"),
    "many cells": lambda points: draw_releases.releases(made_levels(points), "adult"),
    "errors": lambda points: errors(points, NAME),
    "accuracy": lambda points: accuracy(points, NAME),
    "ranks": lambda points: ranks(points, NAME),
}
NAME = "a-data.set_with-a-name-of-40-characters"


def boxes(texts):
    return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text()]


def texts_of(figure):
    """All texts but the labels of ticks outside the axes."""
    texts = [figure._suptitle, figure._supxlabel] if figure._suptitle else [figure._supxlabel]
    for legend in figure.legends:
        texts += [*legend.get_texts(), legend.get_title()]
    for axes in figure.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            texts += [
                tick.label1
                for tick in axis.get_major_ticks()
                if low <= tick.get_loc() <= high and tick.label1.get_visible()
            ]
    return texts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "grid", [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in GRIDS]
)
def test_no_two_texts_overlap_and_all_are_within_the_figure(grid, kind):
    drawn = KINDS[kind](points_of(*GRIDS[grid]))
    with style.settings():
        drawn.draw_without_rendering()
    areas = boxes(texts_of(drawn))
    assert len(areas) > 5
    for i, box in enumerate(areas):
        assert not any(box.overlaps(other) for other in areas[:i])
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= drawn.bbox.x1 + 0.5
        assert box.y1 <= drawn.bbox.y1 + 0.5


@pytest.mark.parametrize("counts", [[12, 40, 7], [10**6, 3 * 10**6, 2], [0, 0, 0]], ids=str)
def test_a_table_of_three_cells(counts):
    table = made_releases(points_of(["ggm-3", "laplace"], EPSILONS[:1], SEVEN), cells=3)
    table["original"] = np.resize(counts, len(table))
    for column in ("sanitized", "low", "median", "high"):
        table[column] = table["original"] * 0.9
    figure = draw_releases.releases(table, "mildew")
    with style.settings():
        figure.draw_without_rendering()
    shown = 0
    for axes in figure.axes:
        areas = boxes(axes.get_xticklabels())
        shown += len(areas)
        assert not any(a.overlaps(b) for i, a in enumerate(areas) for b in areas[:i])
        assert axes.dataLim.width > 0
    assert shown > 1 or not any(counts)


def test_no_two_mechanisms_look_alike():
    for names in (TWELVE, PAPER[:3] + TWELVE[4:], [f"own-{i}" for i in range(12)]):
        looks = style.looks(names)
        assert list(looks) == names
        # both colours and markers are distinct, because points are drawn without a line
        for part in (1, 2):
            assert len({look[part] for look in looks.values()}) == len(names)
        paper = {name: look for name, look in looks.items() if name in PAPER}
        assert paper.items() <= style.looks(PAPER).items()
    assert [look[0] for look in style.looks(PAPER).values()] == [
        *("Laplace", "Gaussian-pDP", "GGM-3", "Gaussian-aDP")
    ]
    with pytest.raises(ValueError, match=r"12 mechanisms.* got 13"):
        style.looks([f"own-{i}" for i in range(13)])
    assert configuration.MECHANISMS_OF_A_FIGURE == 12  # so that more are rejected before any job


def test_colours_have_contrast_to_white():
    """At least 3 to 1, as WCAG 2.1 requires of graphics."""
    colours = [look[1] for look in style.looks(TWELVE).values()] + [style.GREY]
    for colour in colours:
        red, green, blue = (round(255 * channel) for channel in style.mpl.colors.to_rgb(colour))
        assert contrast(f"{red}, {green}, {blue} on 255, 255, 255") >= 3
