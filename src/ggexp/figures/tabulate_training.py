"""The numbers of a figure of classifiers trained on synthetic records."""

import pandas as pd

from ggexp.figures import tabulate_accuracy

KEYS = ["dataset", "mechanism", "epsilon", "delta", "method"]


def tabulate(
    synthetic: pd.DataFrame, accuracy: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the accuracies of training on synthetic records and releases, and of two baselines.

    synthetic: the summary of one data set. accuracy: the summary of the accuracies of training
    on its releases; these rows get the method "release". baseline: model and
    accuracy. The models "original" and "majority" become the last rows, with the model as mechanism
    and the accuracy as mean.
    """
    synthetic_accuracies = synthetic[synthetic["metric"] == "accuracy"]
    accuracies = pd.concat([accuracy.assign(method="release"), synthetic_accuracies])
    return tabulate_accuracy.tabulate(accuracies, baseline)[[*KEYS, "repeats", "mean", "sd", "se"]]
