"""The numbers of Figure 12."""

import pandas as pd


def tabulate(accuracy: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return a data set's accuracies by grid point, and the accuracies of two baselines.

    accuracy: the data set's summary, the columns of `ggexp.experiment.summary.summarize`.
    baseline: model and accuracy. The models "original" and "majority" become the last rows, with
        the model as mechanism and the accuracy as mean.
    """
    baselines = baseline.rename(columns={"model": "mechanism", "accuracy": "mean"})
    return pd.concat([accuracy.drop(columns="metric"), baselines])
