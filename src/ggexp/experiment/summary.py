"""Summaries of the repeats: mean, standard deviation and standard error at every grid point."""

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
import pandas as pd

KEYS = ["dataset", "mechanism", "epsilon", "delta"]


def summarize(repeats: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return a row for each grid point and metric: repeats, mean, sd, se.

    repeats: for each grid point a frame with the columns dataset, mechanism, epsilon, delta (null
        where there is none), repeat, and one for each metric. Their order is kept.
    sd has n - 1 in its denominator and se is sd/√n: both are empty for a single repeat.
    """
    rows = []
    for frame in repeats:
        key = frame[KEYS].iloc[0].to_dict()
        for metric in frame.columns.difference([*KEYS, "repeat"], sort=False):
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


def join_accuracy(
    repeats: Iterable[pd.DataFrame], accuracy: Iterable[pd.DataFrame], parts: int
) -> Iterator[pd.DataFrame]:
    """Yield each grid point's repeats with their accuracy as one more column.

    repeats: a frame for each grid point.
    accuracy: for each grid point in the same order ``parts`` frames, which together have the same
        repeats.
    Raises ValueError where they do not.
    """
    waiting = iter(accuracy)
    for frame in repeats:
        measured = pd.concat(islice(waiting, parts))
        both = frame.merge(measured, on=[*KEYS, "repeat"], validate="one_to_one")
        if not len(both) == len(frame) == len(measured):
            raise ValueError(f"{frame[KEYS].iloc[0].to_dict()}: accuracies of other repeats")
        yield both
