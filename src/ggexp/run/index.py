"""The index: all results of a run on one page, in a single self-contained file."""

import base64
import io
import re
import struct
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup, escape
from PIL import Image

from ggexp.run.files import read_csv
from ggexp.run.pages import VERDICTS, render

NEGLIGIBLE = 1e-12  # smaller standard deviations and standard errors are rounding errors
COLOURS = 256  # size of the palette, which is chosen so that it includes the colours of thin lines
WIDTH = 1400  # of a picture, in pixels: sharp on a screen
#: The groups of claims that stand first.
FIRST_GROUPS = ("results of section 4", "Figures 1 to 5", "theorems", "sizes and definitions")
#: The verdicts that stand first.
FIRST_VERDICTS = ("refuted", "partly")
#: Figures in the place of a claim, such as "section 4, Figures 7 and 9".
FIGURES = re.compile(r"Figures? \d+(?: and \d+)?")
#: Grid points in the table of comparisons: pairs (ε, δ), and both or one of them by name.
PAIR = r"^\(([^,()]+), ([^,()]+)\)(?: with .*)?$"
POINT = r"(?=.)(?:ε=([^, ]+))?(?:, )?(?:δ=(\S+)|every δ)?"
MARKS = {"agrees": "✓", "undecided": "≈", "disagrees": "✗"}


def index_page(
    template: Path,
    *,
    sections: Iterable[Mapping[str, Any]],
    pictures: Iterable[Path],
    statements: Iterable[Mapping[str, Any]],
    tables: Iterable[Mapping[str, Any]],
    says: Mapping[str, str],
    **names: Any,
) -> str:
    """Return the index in HTML.

    sections: mappings with a name and figures (number, name, title, caption, alternative).
    pictures: the file figure_….png of each figure. statements: tables of claims, each with the
    table compared of their comparisons. tables: others, with title, caption, source and frame.
    says: claim -> the sentence of the paper that it tests. names: further names of the template.
    """
    # The report shows the index in a frame, and Chromium leaves a frame empty if the address that
    # holds its content has more than 2 MB. Twelve pictures take less than 1 MB.
    embedded = {
        picture.stem.removeprefix("figure_"): shrink(picture, WIDTH) for picture in pictures
    }
    described = [{**table, "groups": _groups(table, says, embedded)} for table in statements]
    claims = [claim for table in described for group in table["groups"] for claim in group["all"]]
    return render(
        template,
        sections=[
            {
                "id": f"section-{position}",
                "name": section["name"],
                "figures": [
                    {
                        **figure,
                        **_picture(embedded[figure["number"]]),
                        "sentences": _sentences(claims, figure["number"]),
                    }
                    for figure in section["figures"]
                ],
            }
            for position, section in enumerate(sections, 1)
        ],
        statements=described,
        tables=list(tables),
        size=sum(len(picture) for picture in embedded.values()) * 4 / 3,
        **names,
    )


def _groups(
    table: Mapping[str, Any], says: Mapping[str, str], figures: Collection[str]
) -> list[dict[str, Any]]:
    """Return the groups of a table of claims: a name, all claims, and the claims by verdict."""
    grids = _grids(table["compared"])
    groups: dict[str, list[dict[str, Any]]] = {}
    for claim in table["frame"].to_dict("records"):
        named = " ".join(FIGURES.findall(claim["source"]))
        claim |= {
            "figures": [f"{int(number):02d}" for number in re.findall(r"\d+", named)],
            "place": _linked(claim["source"], figures),
            "says": says.get(claim["id"]),
            "grids": grids.get(claim["id"], {}),
        }
        groups.setdefault(claim["group"], []).append(claim)
    return [
        {
            "name": name,
            "all": groups[name],
            "verdicts": {
                verdict: members
                for verdict in dict.fromkeys([*FIRST_VERDICTS, *VERDICTS])
                if (members := [claim for claim in groups[name] if claim["verdict"] == verdict])
            },
        }
        for name in sorted(groups, key=[*FIRST_GROUPS, *groups].index)
    ]


def _linked(place: str, figures: Collection[str]) -> Markup:
    """Return the place of a claim, in which the figures of the page are links."""

    def link(number: re.Match[str]) -> str:
        id = f"{int(number[0]):02d}"
        return f'<a href="#figure-{id}">{number[0]}</a>' if id in figures else number[0]

    return Markup(FIGURES.sub(lambda named: re.sub(r"\d+", link, named[0]), str(escape(place))))


def _sentences(claims: Iterable[Mapping[str, Any]], number: str) -> dict[str, list[Any]]:
    """Return the paper's sentences on a figure, each with the claims that test it."""
    sentences: dict[str, list[Any]] = {}
    for claim in claims:
        if claim["says"] and number in claim["figures"]:
            sentences.setdefault(claim["says"], []).append(claim)
    return sentences


def _grids(compared: pd.DataFrame) -> dict[str, dict[str, pd.DataFrame]]:
    """Return claim -> statement -> its comparisons as a table of ε and δ, "" where there is none.

    A cell has a mark and the margin in standard errors. Claims with comparisons that are not at
    grid points are left out.
    """
    points = compared["point"].fillna("").str.replace(PAIR, r"ε=\1, δ=\2", regex=True)
    margins = (compared["difference"] / compared["se"].where(compared["se"] > 0)).abs()
    texts = [
        "" if pd.isna(margin) else f" {margin:,.{0 if margin >= 10 else 1}f}" for margin in margins
    ]
    cells = compared[["claim", "statement"]].assign(
        **points.str.extract(f"^{POINT}$").fillna("").set_axis(["epsilon", "delta"], axis=1),
        text=compared["outcome"].map(MARKS) + texts,
    )
    is_at_points = points.str.fullmatch(POINT).groupby(compared["claim"]).transform("all")
    grids: dict[str, dict[str, pd.DataFrame]] = {}
    for keys, group in cells[is_at_points].groupby(["claim", "statement"], sort=False):
        claim, statement = map(str, keys)
        grids.setdefault(claim, {})[statement] = group.pivot_table(
            "text", index="epsilon", columns="delta", aggfunc="first", sort=False, fill_value=""
        )
    return grids


def with_frames(
    tables: Iterable[Mapping[str, Any]], **files: Iterable[str | Path]
) -> list[dict[str, Any]]:
    """Return the tables with the data frames in their files; files: key -> each table's file.

    Negligible standard deviations and standard errors become 0.
    """
    found = [{**table} for table in tables]
    for key, paths in files.items():
        for table, path in zip(found, paths, strict=True):
            table[key] = frame = read_csv(path)
            for name in {"sd", "se"} & {*frame}:
                frame[name] = frame[name].mask(frame[name] < NEGLIGIBLE, 0)
    return found


def _picture(png: bytes) -> dict[str, str | int]:
    """Return a picture as a data URL, and its size, so that browsers can reserve its space."""
    width, height = struct.unpack(">II", png[16:24])  # from the header of the PNG
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return {"picture": address, "width": width, "height": height}


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
