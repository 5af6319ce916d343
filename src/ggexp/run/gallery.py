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


def gallery_page(captions: Mapping[str, str], claims: pd.DataFrame, made_with: str) -> str:
    """Return the gallery in Markdown.

    captions: number of a figure, such as "07" -> what it shows. claims: the table of claims.
    made_with: how the run was made, in words.
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
            f"## Figure {int(number)}",
            "",
            f"![Figure {int(number)}](gallery/figure_{number}.png)",
            "",
            caption,
            "",
        ]
    lines += [
        "## The paper's claims",
        "",
        "*Partly*: it holds at some grid points. *Undecided*: within the Monte Carlo error. Each",
        "verdict leads to its evidence.",
        "",
    ]
    for claim in claims.to_dict("records"):
        verdict = f"[**{claim['verdict']}**](claims.md#{claim['id']})"
        lines.append(f"- {verdict}: {claim['claim']}")
    return "\n".join(lines) + "\n"


def claims_page(claims: pd.DataFrame, made_with: str) -> str:
    """Return in Markdown what a run says of each claim, and why.

    claims: the table of claims. made_with: how the run was made, in words.
    """
    lines = [
        "# The paper's claims",
        "",
        f"Written by `make gallery` from a full run with {made_with}.",
        "A verdict counts what exceeds three standard errors; ± is one. Where a claim holds at",
        "some grid points only (*partly*), the evidence names the others.",
        "",
    ]
    for claim in claims.to_dict("records"):
        lines += [
            f"## {claim['id']}",
            "",
            f"{claim['claim']} ({claim['source']})",
            "",
            f"**{claim['verdict']}**: {claim['evidence']}",
            "",
        ]
    return "\n".join(lines)
