"""Summaries of the repeats: mean, standard deviation and standard error at every grid point."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

KEYS = ["dataset", "mechanism", "epsilon", "delta"]


def summarize(repeats: Iterable[pd.DataFrame], keys: Sequence[str] = KEYS) -> pd.DataFrame:
    """Return a row for each grid point and metric: repeats, mean, sd, se.

    repeats: for each grid point a frame with the columns dataset, mechanism, epsilon, delta (null
        where there is none), repeat, and one for each metric. Their order is kept.
    keys: the columns that are the same in all rows of a frame, and come first in the summary.
    sd has n - 1 in its denominator and se is sd/√n: both are empty for a single repeat.
    """
    rows = []
    for frame in repeats:
        key = frame[[*keys]].iloc[0].to_dict()
        for metric in frame.columns.difference([*keys, "repeat"], sort=False):
            values = frame[metric]
            sd = values.std(ddof=1)
            rows.append(
                {
                    **key,
                    "metric": metric,
                    "repeats": len(values),
                    "mean": values.mean(),
                    "sd": sd,
                    "se": sd / np.sqrt(len(values)),
                }
            )
    return pd.DataFrame(rows)


def join_parts(parts: Iterable[pd.DataFrame], repeats: int) -> pd.DataFrame:
    """Return one frame of a grid point's repeats that were measured in several jobs.

    parts: frames with the column repeat. repeats: how many there must be, from 0, one row each.
    Raises ValueError where they are others, or of several grid points.
    """
    joined = pd.concat(parts, ignore_index=True)
    of_one_point = len(joined[KEYS].drop_duplicates()) == 1
    if list(joined["repeat"]) != list(range(repeats)) or not of_one_point:
        raise ValueError(f"{joined[KEYS].iloc[0].to_dict()}: not the repeats 0 to {repeats - 1}")
    return joined


def join_metrics(summaries: Iterable[pd.DataFrame], keys: Sequence[str] = KEYS) -> pd.DataFrame:
    """Return one summary of several, which hold other metrics or other data sets.

    The grid points keep the order in which they come first, the metrics of each that of the
    summaries.
    """
    joined = pd.concat(summaries, ignore_index=True)
    place = joined.groupby([*keys], sort=False, dropna=False).ngroup()
    return joined.iloc[place.argsort(kind="stable")].reset_index(drop=True)
