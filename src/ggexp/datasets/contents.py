"""What a histogram contains, in words."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ggexp.datasets.layout import RecordsSettings
from ggexp.words import in_words

if TYPE_CHECKING:
    import pandas as pd


def contents(
    design: RecordsSettings | Mapping[str, Sequence[str]],
    cells: "pd.DataFrame",
    tally: Mapping[str, int],
) -> dict[str, str]:
    """Return a description of n, the columns and their levels or bins, cells, and omitted records.

    design: the settings of records, or the factors of a table of counts. cells: the listed cells
    with their count. tally: as in `Histogram`; empty for a table of counts.
    """
    n, filled = int(cells["count"].sum()), int((cells["count"] > 0).sum())
    size = tally.get("bins", len(cells))
    empty = in_words(size - filled) if filled < size else "none"
    if isinstance(design, RecordsSettings):
        columns = [
            f"{name} ({len(form.bounds) - 1} bins)"
            if form.bounds
            else f"{name} ({len(form.levels or cells[name].unique())} levels)"
            for name, form in design.attributes.items()
        ]
    else:
        columns = [f"{name} ({len(levels)} levels)" for name, levels in design.items()]
    description = {
        "records, n": f"{n:,}",
        "columns": ", ".join(columns),
        "cells": f"{in_words(size)}, {empty} of them empty",
        "records per cell": f"{n / size:.3g}",
    }
    if filled < size:
        description["records per cell"] += f", {n / max(filled, 1):.3g} per non-empty cell"
    if tally:
        missing, dropped = tally["records"] - tally["complete"], tally["dropped"]
        description["records left out"] = "none"
        if missing + dropped:
            description["records left out"] = (
                f"{missing + dropped:,} of {tally['records']:,}: {missing:,} with a missing value, "
                f"{dropped:,} dropped by their values"
            )
        if tally["test"]:
            description["test records"] = f"{tally['test']:,}"
    return description
