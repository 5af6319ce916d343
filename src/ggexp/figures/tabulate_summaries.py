"""The numbers of figures that show a data set's summaries: the rows that are drawn."""

from collections.abc import Collection

import pandas as pd

MARGINALS = ["one_way", "two_way"]
TRAINING = ["dataset", "mechanism", "epsilon", "delta", "method", "repeats", "mean", "sd", "se"]


def errors(errors: pd.DataFrame, metrics: Collection[str]) -> pd.DataFrame:
    """Return the rows of these metrics: Figures 7, 9 and 11.

    errors: the columns of `ggexp.experiment.summary.summarize`, of one data set.
    """
    return errors[errors["metric"].isin(metrics)]


def accuracy(accuracy: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracies by grid point, and the accuracies of two baselines: Figure 12.

    accuracy: the columns of `ggexp.experiment.summary.summarize`, of one data set. baseline: model
    and accuracy. The models "original" and "majority" become the last rows, with the model as
    mechanism and the accuracy as mean.
    """
    baselines = baseline.rename(columns={"model": "mechanism", "accuracy": "mean"})
    return pd.concat([accuracy.drop(columns="metric"), baselines])


def marginals(synthetic: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of marginals from a data set's summary of synthetic records."""
    return synthetic[synthetic["metric"].isin(MARGINALS)]


def training(
    synthetic: pd.DataFrame, accuracy: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the accuracies of training on synthetic records and on releases, and of baselines.

    synthetic: a data set's summary of synthetic records. accuracy: of training on its releases,
    whose rows get the method "release". baseline: as in Figure 12.
    """
    of_records = synthetic[synthetic["metric"] == "accuracy"]
    accuracies = pd.concat([accuracy.assign(method="release"), of_records])
    baselines = baseline.rename(columns={"model": "mechanism", "accuracy": "mean"})
    return pd.concat([accuracies.drop(columns="metric"), baselines])[TRAINING]


def count_bias(count_bias: pd.DataFrame) -> pd.DataFrame:
    """Return the measured count bias at all grid points of a data set, unchanged.

    count_bias: the third table of `ggexp.experiment.marginals.measure_records`, for all points.
    """
    return count_bias
