"""The numbers of Figure 12."""

import pandas as pd


def tabulate(accuracy: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return a data set's accuracies by grid point, and those of two baselines.

    accuracy: its summary, the columns of `ggexp.experiment.summary.summarize`.
    baseline: model and accuracy; those of "original" and "majority" are the means of the last rows,
        with the model as mechanism.
    """
    lines = baseline.rename(columns={"model": "mechanism", "accuracy": "mean"})
    return pd.concat([accuracy.drop(columns="metric"), lines])
