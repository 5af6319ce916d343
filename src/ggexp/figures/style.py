"""The style of all figures: sizes, fonts, and one colour, marker and line for each mechanism."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.style import context

from ggexp.words import mechanisms_in_words

# Okabe and Ito's palette, whose colours are distinguishable with every kind of colour vision;
# without its yellow, and with darker orange and sky blue. The contrast of every colour to white is
# at least 3 to 1.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#B87A00", "#009E73", "#CC79A7"
VERMILLION, SKY, BLACK = "#D55E00", "#2F93C8", "#000000"
# further, darker colours for many mechanisms: these are distinguishable only with their markers
WINE, OLIVE, INDIGO, BROWN, SLATE = "#882255", "#999933", "#332288", "#7F4A1E", "#6F7F8F"
GREY = "0.55"

WIDTH = 7.0  # inches: the width of a two-column page
PIXELS = 1400  # width of a saved picture
LEGEND_HEIGHT = 0.2  # inches; the part of a figure's height that is planned for the legend

#: The line of a curve.
Line = str | tuple[int, tuple[float, ...]]
_DASH_DOT_DOT: Line = (0, (5, 1, 1, 1, 1, 1))
_LONG_DASHES: Line = (0, (8, 2))
LINES: tuple[Line, ...] = ("-", "--", "-.", _DASH_DOT_DOT, ":", _LONG_DASHES)
#: The colours and lines of curves that are not of mechanisms.
CURVES = [*zip((BLUE, VERMILLION, GREEN, ORANGE, BLACK, PURPLE), LINES, strict=True)]

#: The label, colour and line of a curve.
Curve = tuple[str, str, Line]
#: A mechanism's label, colour, marker and line.
Look = tuple[str, str, str, Line]

# the paper's mechanisms look the same in every figure
_PAPER: dict[str, tuple[str, str, Line]] = {
    "laplace": (BLUE, "o", "-"),
    "gaussian-pdp": (VERMILLION, "s", "--"),
    "ggm-3": (GREEN, "^", "-."),
    "gaussian-adp": (PURPLE, "D", ":"),
}
# each has its own colour and marker, because mechanisms drawn as points have no line
_OTHERS: list[tuple[str, str, Line]] = [
    (ORANGE, "v", "-"),
    (SKY, "P", "--"),
    (BLACK, "X", "-."),
    (WINE, "*", ":"),
    (OLIVE, "<", _DASH_DOT_DOT),
    (INDIGO, ">", _LONG_DASHES),
    (BROWN, "p", _DASH_DOT_DOT),
    (SLATE, "h", _LONG_DASHES),
]

_SETTINGS: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
}


@contextmanager
def settings() -> Iterator[None]:
    """Yield in a context, also as a decorator, in which figures are drawn and saved in this style.

    Matplotlib then finds the fonts DejaVu that it carries, not an installed version of them.
    """
    own = Path(mpl.get_data_path())
    fontManager.ttflist = [
        font
        for font in fontManager.ttflist
        if own in Path(font.fname).parents or not font.name.startswith("DejaVu")
    ]
    with context(["default", _SETTINGS]):  # whatever the user's settings are
        yield


def looks(mechanisms: Iterable[str]) -> dict[str, Look]:
    """Return a different (label, colour, marker, line) for each mechanism.

    The paper's mechanisms look the same in every figure. Other mechanisms get the unused looks in
    their order.
    Raises ValueError if there are more mechanisms than looks.
    """
    names = list(mechanisms)
    unused = [*_OTHERS, *(look for name, look in _PAPER.items() if name not in names)]
    others = [name for name in names if name not in _PAPER]
    if len(others) > len(unused):
        raise ValueError(
            f"a figure can have at most {len(_OTHERS) + len(_PAPER)} mechanisms, got {len(names)}"
        )
    chosen = _PAPER | dict(zip(others, unused, strict=False))
    return {name: (mechanisms_in_words(name), *chosen[name]) for name in names}


def side_by_side(
    count: int, height: float, *, sharey: bool = True, width_ratios: Sequence[float] | None = None
) -> tuple[Figure, list[Axes]]:
    """Return a figure of the page's width with panels side by side; the height is in inches."""
    figure = Figure(figsize=(WIDTH, height))
    grid = figure.subplots(1, count, sharey=sharey, squeeze=False, width_ratios=width_ratios)
    return figure, list(grid[0])


def curves(
    axes: Axes, table: pd.DataFrame, looks: Mapping[Any, Curve | Look], *, by: str, x: str, y: str
) -> None:
    """Draw the columns y against x, a curve without markers for each value that has a look."""
    for value, (label, colour, *_, line) in looks.items():
        rows = table[table[by] == value]
        if len(rows):
            axes.plot(rows[x], rows[y], color=colour, linestyle=line, label=label)


def ticks(axis: Axis, values: Sequence[float]) -> None:
    """Put ticks at these values, whose labels are plain numbers on logarithmic axes too."""
    axis.set_ticks(values, [f"{value:,g}" if value < 1e4 else f"{value:,}" for value in values])


def save(figure: Figure, path: Path) -> None:
    """Write a figure to the path, in the format of its suffix, with reproducible bytes.

    Its label, the title that states a finding, becomes the title of the file, which pages show.
    """
    # otherwise a PDF contains its creation time
    metadata: dict[str, str | None] = {"CreationDate": None} if path.suffix == ".pdf" else {}
    if label := str(figure.get_label()):
        metadata["Title"] = " ".join(label.split())
    ending = path.suffix[1:]
    with settings():
        # not savefig, which draws twice in order to determine the layout, as the first drawing does
        figure.set_dpi(PIXELS / figure.get_figwidth())
        canvas = get_registered_canvas_class(ending)(figure)
        getattr(canvas, f"print_{ending}")(path, metadata=metadata)


def entitle(figure: Figure, heading: str, axes: Axes | None = None, *further: Artist) -> None:
    """Give a figure a title that states a finding, above the legend of a panel's labels, if any."""
    figure.set_label(heading)
    if axes is None:
        figure.suptitle(heading, fontsize=8)
    else:
        legend(figure, axes, *further, heading=heading)


def legend(figure: Figure, axes: Axes, *further: Artist, heading: str = "") -> None:
    """Put one legend above all panels: a heading, the labels of one panel, and further artists.

    It has the smallest number of rows that fits the figure's width. The figure's height increases
    by all rows but the first.
    """
    handles, labels = axes.get_legend_handles_labels()
    handles, labels = [*handles, *further], [*labels, *(str(mark.get_label()) for mark in further)]
    look: dict[str, Any] = {"loc": "outside upper center", "markerscale": 1.3, "title": heading}
    for row_count in range(1, len(labels) + 1):
        drawn = figure.legend(handles, labels, ncols=-(-len(labels) // row_count), **look)
        drawn.get_title().set_multialignment("center")
        box = drawn.get_window_extent()
        if box.width < figure.bbox.width or row_count == len(labels):
            break
        drawn.remove()
    figure.set_figheight(figure.get_figheight() - LEGEND_HEIGHT + box.height / figure.dpi)
