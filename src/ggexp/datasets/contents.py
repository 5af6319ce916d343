"""Describe the content of a data set's histogram for readers of its results."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ggexp.datasets.layout import Layout
from ggexp.datasets.text import in_words


def contents(
    settings: Mapping[str, Any], cells: pd.DataFrame, tally: Mapping[str, int]
) -> dict[str, str]:
    """Return a description of n, the columns and their levels or bins, cells, and omitted records.

    settings: the settings of the data set, as in a configuration.
    cells: a row per listed cell: its attributes and ``count``.
    tally: the numbers of records and cells, as in `Histogram`; empty for a table of counts.
    """
    n, filled = int(cells["count"].sum()), int((cells["count"] > 0).sum())
    size = tally.get("bins", len(cells))
    empty = in_words(size - filled) if filled < size else "none"
    description = {
        "records, n": f"{n:,}",
        "columns": ", ".join(_columns(settings, cells)),
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


def _columns(settings: Mapping[str, Any], cells: pd.DataFrame) -> list[str]:
    if "factors" in settings:
        return [f"{name} ({len(levels)} levels)" for name, levels in settings["factors"].items()]
    attributes = Layout.from_config(settings["records"], "records").attributes
    return [
        f"{name} ({len(column.edges) - 1} bins)"
        if column.edges
        else f"{name} ({len(column.levels or cells[name].unique())} levels)"
        for name, column in attributes.items()
    ]
