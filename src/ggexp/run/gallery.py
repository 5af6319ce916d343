"""The gallery: a page of the repository with small pictures of a full run, and its claims."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from PIL import Image

from ggexp.run.storage import replacing

WIDTH = 1000  # pixels
COLOURS = 256  # chosen to cover those of thin lines too


def shrink(picture: Path, small: Path) -> None:
    """Write a smaller copy of a PNG, of `WIDTH` pixels and `COLOURS` colours."""
    with Image.open(picture) as image:
        size = (WIDTH, round(image.height * WIDTH / image.width))
        copy = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    with replacing(small) as temporary:
        few = copy.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
        few.save(temporary, "PNG", optimize=True)


def gallery_page(captions: Mapping[int, str], claims: pd.DataFrame, made_with: str) -> str:
    """Return the gallery in Markdown.

    captions: number of a figure -> what it shows. claims: the table of claims. made_with: how the
    run was made, in words.
    """
    lines = [
        "# Gallery",
        "",
        f"Written by `make gallery` from a full run with {made_with}.",
        "What differs from the paper, and why, is in [reproduction.md](reproduction.md).",
        "",
    ]
    for number, caption in captions.items():
        lines += [
            f"## Figure {number}",
            "",
            f"![Figure {number}](gallery/figure_{number:02d}.png)",
            "",
            caption,
            "",
        ]
    lines += [
        "## The paper's claims",
        "",
        "*Partly*: the evidence names the points that do not agree. *Undecided*: within the Monte",
        "Carlo error. ± is one standard error.",
        "",
        "| claim | source | verdict | evidence |",
        "|---|---|---|---|",
    ]
    for claim in claims.to_dict("records"):
        cells = (claim["claim"], claim["source"], f"**{claim['verdict']}**", claim["evidence"])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
