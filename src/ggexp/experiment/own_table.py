"""A user's own table: the facts that its data determine, and the errors of its margins."""

from collections.abc import Iterable, Mapping

import pandas as pd

from ggexp.datasets.table import MAX_COMBINATIONS, Table
from ggexp.experiment.margins import measure_margins
from ggexp.releases.point import NoisyPoint
from ggexp.releases.release import Kind
from ggexp.words import in_ten_digits, in_words


def describe_own_table(
    table: Table,
    kind: Kind,
    points: Iterable[NoisyPoint],
    recommended: pd.DataFrame,
    tally: Mapping[str, int],
    *,
    file: str,
    seed: int,
    repeats: int,
) -> tuple[dict[str, object], pd.DataFrame]:
    """Return the fields of its `Subject` that the data determine, and the errors of its margins.

    points: the grid points of this table. recommended: of all data sets. The errors are measured at
    the grid points whose mechanism is recommended for its l1 error, for any data set; at none if
    the cells are too many to be numbered. tally: of records, empty for a table of counts. file: the
    path of the data. seed, repeats: of the releases.
    """
    n = table.total
    facts: dict[str, object] = {
        "cells": table.counts.size if kind.lists_cells else None,
        "records": n,
        "published": tally.get("kept", n),
        "file": file,
        "is_rescaled": kind.rescales,
        "contents": contents(table, tally),
    }
    best = recommended[recommended["metric"] == "l1"]
    at = {*zip(best["mechanism"], best["epsilon"], strict=True)}
    measured = []
    for noisy in points if table.combinations <= MAX_COMBINATIONS else ():
        if (noisy.point.mechanism, in_ten_digits(noisy.point.epsilon)) in at:
            measured.append(noisy)
    return facts, measure_margins(table, kind, measured, seed=seed, repeats=repeats)


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
