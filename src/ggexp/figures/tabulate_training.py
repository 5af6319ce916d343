"""The numbers of a figure of classifiers trained on synthetic records."""

import pandas as pd

from ggexp.figures import tabulate_accuracy

KEYS = ["dataset", "mechanism", "epsilon", "delta", "method"]


def tabulate(
    synthetic: pd.DataFrame, accuracy: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the accuracies of a summary of synthetic records, and what they are compared with.

    synthetic: of one data set. accuracy: the summary of the accuracies of its releases, which get
    the method "release". baseline: model and accuracy; those of the models "original" and
    "majority" are the means of the last rows, with the model as mechanism.
    """
    trained = synthetic[synthetic["metric"] == "accuracy"]
    both = pd.concat([accuracy.assign(method="release"), trained])
    return tabulate_accuracy.tabulate(both, baseline)[[*KEYS, "repeats", "mean", "sd", "se"]]
