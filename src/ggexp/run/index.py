"""The index: all results of a run on one page, in a single self-contained file."""

import base64
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ggexp.run.columns import read_csv
from ggexp.run.pages import render, tally_claims
from ggexp.run.pictures import shrink

NEGLIGIBLE = 1e-12  # smaller standard deviations and standard errors are rounding errors
WIDTH = 1400  # of a picture, in pixels: sharp on a screen


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

    sections: mappings with a name and figures. A figure is a mapping with number, name, title,
        caption and alternative (the alternative text of the picture).
    pictures: the file figure_….png of each figure.
    statements: tables of claims. tables: other tables. A table is a mapping with title, caption,
        source (the path of its file, relative to the results) and frame.
    names: name -> value, for further names that the template uses.
    """
    # The report shows the index in a frame, and Chromium leaves a frame empty if the address that
    # holds its content has more than 2 MB. Twelve pictures take less than 1 MB.
    embedded = {
        picture.stem.removeprefix("figure_"): shrink(picture, WIDTH) for picture in pictures
    }
    return render(
        template,
        sections=[
            {
                "id": f"section-{position}",
                "name": section["name"],
                "figures": [
                    {**figure, **_picture(embedded[figure["number"]])}
                    for figure in section["figures"]
                ],
            }
            for position, section in enumerate(sections, 1)
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
    """Return the tables, each with the data frame that is read from its file."""
    return [
        {**table, "frame": _tidy(read_csv(file))} for table, file in zip(tables, files, strict=True)
    ]


def _tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which negligible standard deviations and standard errors are 0."""
    rounded = {
        name: frame[name].mask(frame[name] < NEGLIGIBLE, 0) for name in {"sd", "se"} & {*frame}
    }
    return frame.assign(**rounded)


def _picture(png: bytes) -> dict[str, str | int]:
    """Return a picture as a data URL, and its size, so that browsers can reserve its space."""
    width, height = struct.unpack(">II", png[16:24])  # from the header of the PNG
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return {"picture": address, "width": width, "height": height}
