"""The style of all figures: sizes, fonts, and one colour, marker and line for each mechanism."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

# Okabe and Ito's palette, told apart with every kind of colour vision
BLUE, ORANGE, GREEN, PURPLE, VERMILLION, SKY, YELLOW, BLACK = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#F0E442",
    "#000000",
)
GREY = "0.6"

WIDTH = 7.0  # inches, the width of a page with two columns

# the paper's mechanisms: label, colour, marker, line
_PAPER = {
    "laplace": ("Laplace", BLUE, "o", "-"),
    "gaussian-pdp": ("Gaussian-pDP", VERMILLION, "s", "--"),
    "ggm-3": ("GGM-3", GREEN, "^", "-."),
    "gaussian-adp": ("Gaussian-aDP", PURPLE, "D", ":"),
}
_OTHERS = [(ORANGE, "v", "-"), (SKY, "P", "--"), (BLACK, "X", "-."), (YELLOW, "*", ":")]

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
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}


def settings() -> AbstractContextManager[None]:
    """Return a context in which figures are drawn and saved in this style."""
    return mpl.rc_context(_SETTINGS)


def looks(mechanisms: Iterable[str]) -> dict[str, tuple[str, str, str, str]]:
    """Return (label, colour, marker, line) for each mechanism.

    The paper's mechanisms look the same in every figure; others take the remaining colours in their
    order, and their name as label.
    """
    chosen: dict[str, tuple[str, str, str, str]] = {}
    for name in mechanisms:
        others = sum(known not in _PAPER for known in chosen)
        chosen[name] = _PAPER.get(name, (name, *_OTHERS[others % len(_OTHERS)]))
    return chosen


def save(figure: Figure, path: Path) -> None:
    """Write a figure to the path, in the format of its ending, the same bytes every time."""
    # a PDF otherwise holds the time at which it was made
    metadata = {"CreationDate": None} if path.suffix == ".pdf" else None
    with settings():
        figure.savefig(path, metadata=metadata)
