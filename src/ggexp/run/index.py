"""The index: a whole run on one page, in a single self-contained file."""

import base64
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ggexp.run.columns import read_csv
from ggexp.run.pages import render, tally_claims, write
from ggexp.run.pictures import shrink

NEGLIGIBLE = 1e-12  # of a standard deviation
WIDTH = 1400  # pixels of a picture: sharp on a screen, and a dozen are below 3 MB


def index_page(
    template: Path,
    *,
    sections: Iterable[Mapping[str, Any]],
    pictures: Iterable[Path],
    statements: Iterable[Mapping[str, Any]],
    tables: Iterable[Mapping[str, Any]],
    **names: Any,
) -> str:
    """Return the index in HTML.

    sections: each with its name and its figures, and these with number, name, title, caption and
        alternative (the text in place of the picture). pictures: figure_….png of each number.
        statements: tables of claims, and tables: each with title, caption, source (its file below
        the results) and frame. names: further names of the template.
    """
    embedded = {
        picture.stem.removeprefix("figure_"): shrink(picture, WIDTH) for picture in pictures
    }
    return render(
        template,
        sections=[
            {
                "id": f"section-{place}",
                "name": section["name"],
                "figures": [
                    {**figure, **_picture(embedded[figure["number"]])}
                    for figure in section["figures"]
                ],
            }
            for place, section in enumerate(sections, 1)
        ],
        statements=[
            {
                **table,
                "claims": table["frame"].to_dict("records"),
                "tallied": tally_claims(table["frame"]),
            }
            for table in statements
        ],
        tables=list(tables),
        size=sum(len(picture) for picture in embedded.values()) * 4 / 3,
        **names,
    )


def with_frames(
    tables: Iterable[Mapping[str, Any]], files: Iterable[str | Path]
) -> list[dict[str, Any]]:
    """Return the tables, each with the frame of its file."""
    return [
        {**table, "frame": _tidy(read_csv(file))} for table, file in zip(tables, files, strict=True)
    ]


def write_tables(template: Path, files: Iterable[str], tables: Iterable[Mapping[str, Any]]) -> None:
    """Write each table, with its title and frame, as a page of the report."""
    for file, table in zip(files, tables, strict=True):
        write(file, render(template, title=table["title"], frame=table["frame"]))


def _tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with negligible standard deviations, due to rounding, set to 0."""
    spread = {
        name: frame[name].mask(frame[name] < NEGLIGIBLE, 0) for name in {"sd", "se"} & {*frame}
    }
    return frame.assign(**spread)


def _picture(png: bytes) -> dict[str, str | int]:
    """Return a picture as a data URL, and its size, which reserves its space on the page."""
    width, height = struct.unpack(">II", png[16:24])  # of the header of a PNG
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return {"picture": address, "width": width, "height": height}
