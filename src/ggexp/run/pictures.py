"""Copies of pictures that take little room."""

import io
from pathlib import Path

from PIL import Image

COLOURS = 256  # colours, chosen to cover those of thin lines too


def shrink(picture: Path, width: int, *, few_colours: bool = False) -> bytes:
    """Return a PNG of a PNG, at most ``width`` pixels wide.

    few_colours: whether `COLOURS` will do, in a third of the room. Pale tints may then be their
    neighbours'.
    """
    with Image.open(picture) as image:
        copy = image.convert("RGB")
    if copy.width > width:
        size = (width, round(copy.height * width / copy.width))
        copy = copy.resize(size, Image.Resampling.LANCZOS)
    if few_colours:
        # the means keep most tints where they were
        copy = copy.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1)
    written = io.BytesIO()
    copy.save(written, "PNG", optimize=True)
    return written.getvalue()
