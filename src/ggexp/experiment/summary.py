"""Summaries of the repeats of a run."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

KEYS = ["dataset", "mechanism", "epsilon", "delta"]


def summarize(parts: Iterable[pd.DataFrame], repeats: int | None = None) -> pd.DataFrame:
    """Return repeats, mean, sd and se for each grid point, method (if any) and metric.

    parts: frames as measured, whose order is preserved; a grid point's repeats may be in several.
    repeats: the number of repeats that each grid point must have, counted from 0; None for any.
    """
    measured: dict[tuple[str, ...], list[pd.DataFrame]] = {}
    for part in parts:
        for key, frame in part.groupby(_keys(part), sort=False, dropna=False):
            measured.setdefault((*map(str, key), *part.columns), []).append(frame)
    rows = []
    for frames in measured.values():
        frame = pd.concat(frames, ignore_index=True)
        point: dict[Any, Any] = frame[_keys(frame)].iloc[0].to_dict()
        if repeats is not None and list(frame["repeat"]) != list(range(repeats)):
            raise ValueError(f"{point}: the repeats must be 0 to {repeats - 1}")
        for metric in frame.columns.difference([*point, "repeat"], sort=False):
            rows.append({**point, "metric": metric, **statistics(frame[metric])})
    return by_grid_point(pd.DataFrame(rows))


def statistics(values: "pd.Series[float]") -> dict[str, float]:
    """Return the number of repeats of a metric, and their mean, sd and se.

    sd has repeats - 1 in its denominator, and se is sd/√repeats. Both are nan for one repeat. All
    are nan if a value is, so that no mean is over fewer repeats than the number says.
    """
    repeats, sd = len(values), values.std(ddof=1, skipna=False)
    mean = values.mean(skipna=False)
    return {"repeats": repeats, "mean": mean, "sd": sd, "se": sd / np.sqrt(repeats)}


def by_grid_point(tables: pd.DataFrame) -> pd.DataFrame:
    """Return all rows, ordered by grid points in the order of their first rows."""
    group = tables.groupby(_keys(tables), sort=False, dropna=False).ngroup()
    return tables.iloc[group.argsort(kind="stable")].reset_index(drop=True)


def _keys(table: pd.DataFrame) -> list[str]:
    """Return the columns that identify the grid point and the method of a row."""
    return [name for name in (*KEYS, "method") if name in table]
