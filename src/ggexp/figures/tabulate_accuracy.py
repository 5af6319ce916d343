"""The numbers of Figure 12."""

import pandas as pd


def tabulate(accuracy: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return a data set's accuracies by grid point, and one row more, the mechanism "original".

    accuracy: its summary, the columns of `ggexp.experiment.summary.summarize`.
    baseline: model and accuracy; that of the model "original" is the last row's mean.
    """
    original = baseline[baseline["model"] == "original"]
    line = original.rename(columns={"model": "mechanism", "accuracy": "mean"})
    return pd.concat([accuracy.drop(columns="metric"), line])
