"""What a histogram contains, in words."""

from collections.abc import Mapping

from ggexp.datasets.table import Table
from ggexp.words import in_words


def contents(table: Table, tally: Mapping[str, int]) -> dict[str, str]:
    """Return a description of n, the columns, cells, and omitted records. tally: of records."""
    n, filled, size = table.total, table.filled, table.combinations
    empty = in_words(size - filled) if filled < size else "none"
    description = {
        "records, n": f"{n:,}",
        "columns": ", ".join(
            f"{name} ({len(levels)} {'bins' if isinstance(levels[0], float) else 'levels'})"
            for name, levels in table.factors.items()
        ),
        "cells": f"{in_words(size)}, {empty} of them empty",
        "records per cell": f"{n / size:.3g}",
    }
    if filled < size:
        description["records per cell"] += f", {n / max(filled, 1):.3g} per non-empty cell"
    if tally:
        missing, dropped = tally["records"] - tally["complete"], tally["dropped"]
        details = (
            f"{missing + dropped:,} of {tally['records']:,}: {missing:,} with a missing value, "
            f"{dropped:,} dropped by their values"
        )
        description["records left out"] = details if missing + dropped else "none"
        if tally["test"]:
            description["test records"] = f"{tally['test']:,}"
    return description
