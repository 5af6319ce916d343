"""Standard errors of standard deviations, for claims about variability."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ggexp.experiment.summary import KEYS


def with_sd_errors(summary: pd.DataFrame, repeats: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return a summary with the column sd_se, from frames of repeats; missing without repeats."""
    rows = [
        {**frame[KEYS].iloc[0].to_dict(), "metric": metric, "sd_se": sd_error(frame[metric])}
        for part in repeats
        for _, frame in part.groupby(KEYS, sort=False, dropna=False)
        for metric in frame.columns.difference([*KEYS, "repeat"], sort=False)
    ]
    errors = pd.DataFrame(rows, columns=[*KEYS, "metric", "sd_se"])
    return summary.merge(errors, on=[*KEYS, "metric"], how="left")


def sd_error(values: "pd.Series[float]") -> float:
    """Return the standard error of a standard deviation, from the fourth moment.

    It is valid for any distribution; sd/√(2(n - 1)) is for normal values only.
    """
    n, variance = len(values), values.var(ddof=1)
    fourth = ((values - values.mean()) ** 4).mean()
    of_variance = (fourth - (n - 3) / (n - 1) * variance**2) / n if n > 1 else np.nan
    return float(np.sqrt(of_variance / (4 * variance)))
