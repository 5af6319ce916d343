"""The numbers of figures that show the summaries of a data set.

The tables errors and accuracy are results of `ggexp.experiment.summary.summarize` for one data set.
The table equal has the errors of equal counts; a column equal that of its row's metric.
"""

from collections.abc import Collection

import numpy as np
import pandas as pd

#: The models of `baseline`, which are rows of figures of accuracy.
MODELS = ORIGINAL, MAJORITY, EQUAL = "original", "majority", "equal"
#: The metric of rows with ratios.
RATIO = "ratio"
#: The losses that the paper states of the Adult data, in percentage points.
STATED_LOSSES = (0.25, 1.0)


def deltas_of(table: pd.DataFrame) -> list[float]:
    """Return the δ of a figure's panels, or [NaN] if no mechanism has a δ."""
    return list(table["delta"].dropna().unique()) or [np.nan]


def rows_at(table: pd.DataFrame, delta: float) -> pd.DataFrame:
    """Return the rows at this δ, and the rows of mechanisms without a δ."""
    return table[table["delta"].isna() | (table["delta"] == delta)]


def with_equal(table: pd.DataFrame, equal: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the column equal, which is empty for metrics without it."""
    return table.assign(equal=table["metric"].map(equal.set_index("metric")["equal"]))


def errors(errors: pd.DataFrame, metrics: Collection[str], equal: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of these metrics, and ratios of the first of them: Figures 7, 9 and 11.

    Rows of the metric "ratio" have the mean of a mechanism divided by the mean of the reference at
    the same ε and δ, and the standard error of the ratio. The reference is Laplace, or the first.
    """
    drawn = errors[errors["metric"].isin(metrics)]
    first = drawn[drawn["metric"] == drawn["metric"].iloc[0]]
    names = [*first["mechanism"].unique()]
    reference = "laplace" if "laplace" in names else names[0]
    ratios = [
        _ratios(first if np.isnan(delta) else rows_at(first, delta).assign(delta=delta), reference)
        for delta in deltas_of(first[first["mechanism"] == reference])
    ]
    return with_equal(pd.concat([drawn, *ratios], ignore_index=True), equal)


def _ratios(rows: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return rows with the ratios to the means of the reference at the same ε."""
    others = rows[rows["mechanism"] == reference].set_index("epsilon")
    mean, se = (rows["epsilon"].map(others[name]) for name in ("mean", "se"))
    ratio = (rows["mean"] / mean).where(rows["mean"] != mean, 1.0)
    error = ratio * np.hypot(rows["se"] / rows["mean"], se / mean)
    error = error.where(rows["mechanism"] != reference, 0.0)
    return rows.assign(metric=RATIO, mean=ratio, sd=np.nan, se=error, reference=reference)


def losses(accuracy: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracies by grid point, last those of the baselines, and losses: Figure 12."""
    baselines = baseline.rename(columns={"model": "mechanism", "accuracy": "mean"})
    table = pd.concat([accuracy.drop(columns="metric"), baselines])
    original = baselines.set_index("mechanism")["mean"][ORIGINAL]
    return table.assign(loss=100 * (original - table["mean"]))
