"""The style of all figures: sizes, fonts, and one colour, marker and line for each mechanism."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Okabe and Ito's palette, whose colours are distinguishable with every kind of colour vision
# (without its yellow, which is hard to see on white)
BLUE, ORANGE, GREEN, PURPLE, VERMILLION, SKY, BLACK = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#000000",
)
# further, darker colours for many mechanisms: these are distinguishable only with their markers
WINE, OLIVE, INDIGO, BROWN, SLATE = "#882255", "#999933", "#332288", "#7F4A1E", "#6F7F8F"
GREY = "0.6"

WIDTH, COLUMN = 7.0, 3.5  # inches: the widths of a two-column page and of one column
PIXELS = 1400  # width of a saved picture, whatever the figure's width in inches

#: A mechanism's label, colour, marker and line.
Look = tuple[str, str, str, str | tuple[int, tuple[float, ...]]]

_DASH_DOT_DOT = (0, (5, 1, 1, 1, 1, 1))
_LONG_DASHES = (0, (8, 2))
# the paper's mechanisms look the same in every figure
_PAPER: dict[str, Look] = {
    "laplace": ("Laplace", BLUE, "o", "-"),
    "gaussian-pdp": ("Gaussian-pDP", VERMILLION, "s", "--"),
    "ggm-3": ("GGM-3", GREEN, "^", "-."),
    "gaussian-adp": ("Gaussian-aDP", PURPLE, "D", ":"),
}
# each has its own colour and marker, because mechanisms drawn as points have no line
_OTHERS: list[tuple[str, str, str | tuple[int, tuple[float, ...]]]] = [
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
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.5,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
}
# settings that differ for a figure as wide as a column of text
_COLUMN_SETTINGS: dict[Any, Any] = {
    "figure.dpi": 200,  # twice the default, so that notebooks show it as wide as other figures
    "font.size": 6.5,
    "axes.titlesize": 6.5,
    "axes.labelsize": 6.5,
    "axes.linewidth": 0.5,
    "xtick.labelsize": 6,
    "ytick.labelsize": 6,
    "xtick.major.size": 2,
    "ytick.major.size": 2,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.pad": 2,
    "ytick.major.pad": 2,
    "legend.fontsize": 6.5,
}


def settings(*, column: bool = False) -> AbstractContextManager[None]:
    """Return a context in which figures are drawn and saved in this style.

    column: whether the figure's width is `COLUMN` instead of `WIDTH`.
    """
    return mpl.rc_context(_SETTINGS | (_COLUMN_SETTINGS if column else {}))


def looks(mechanisms: Iterable[str]) -> dict[str, Look]:
    """Return a different (label, colour, marker, line) for each mechanism.

    The paper's mechanisms look the same in every figure. Other mechanisms get the unused looks in
    their order, with their names as labels.
    Raises ValueError if there are more mechanisms than looks.
    """
    names = list(mechanisms)
    unused = [
        *_OTHERS,
        *(look[1:] for name, look in _PAPER.items() if name not in names),
    ]
    others = [name for name in names if name not in _PAPER]
    if len(others) > len(unused):
        raise ValueError(
            f"a figure can have at most {len(_OTHERS) + len(_PAPER)} mechanisms, got {len(names)}"
        )
    other_looks: dict[str, Look] = {
        name: (name, *look) for name, look in zip(others, unused, strict=False)
    }
    return {name: _PAPER.get(name) or other_looks[name] for name in names}


def save(figure: Figure, path: Path) -> None:
    """Write a figure to the path, in the format of its suffix, with reproducible bytes."""
    # otherwise a PDF contains its creation time
    metadata = {"CreationDate": None} if path.suffix == ".pdf" else None
    with settings():
        figure.savefig(path, dpi=PIXELS / figure.get_figwidth(), metadata=metadata)


def power(delta: float) -> str:
    """Return a power of ten in TeX, for example 10^{-6}."""
    return "10^{" + f"{delta:e}".partition("e")[2].replace("-0", "-") + "}"
