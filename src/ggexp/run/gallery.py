"""The gallery: a page of the repository with small pictures of a full run, and its claims."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from PIL import Image

from ggexp.run.pages import VERDICTS
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
        count_verdicts(claims),
        "",
        "*By construction*: the run was set up so that it comes out. *Partly*: it holds at some",
        "points. *Undecided*: within the Monte Carlo error. Each verdict leads to its evidence.",
        "",
    ]
    for claim in claims.to_dict("records"):
        verdict = f"[**{claim['verdict']}**](claims.md#{claim['id']})"
        lines.append(f"- {verdict}: {claim['claim']}")
    return "\n".join(lines) + "\n"


def count_verdicts(claims: pd.DataFrame) -> str:
    """Return how many claims have each verdict: "3 claims: 2 confirmed, 1 refuted."."""
    found = claims["verdict"].value_counts()
    parts = [f"{found[verdict]} {verdict}" for verdict in VERDICTS if verdict in found]
    return f"{len(claims)} claims: {', '.join(parts)}."


def claims_page(claims: pd.DataFrame, made_with: str) -> str:
    """Return in Markdown what a run says of each claim, and why.

    claims: the table of claims. made_with: how the run was made, in words.
    """
    lines = [
        "# The paper's claims",
        "",
        f"Written by `make gallery` from a full run with {made_with}.",
        "A verdict counts what exceeds three standard errors; ± is one. Where a claim holds at",
        "some points only (*partly*), the evidence names the others. *By construction*: the run",
        "was set up with the printed number in view, so that it confirms nothing.",
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
