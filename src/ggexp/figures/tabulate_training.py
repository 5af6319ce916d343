"""The numbers of a figure of machines trained on synthetic records."""

import pandas as pd

KEYS = ["dataset", "mechanism", "epsilon", "delta", "method"]


def tabulate(
    synthetic: pd.DataFrame, accuracy: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the accuracies of a summary of synthetic records, and what they are compared with.

    synthetic: of one data set. accuracy: the summary of the accuracies of its releases, which get
    the method "release". baseline: model and accuracy; that of the model "original" is the last
    row's mean, with the mechanism "original".
    """
    trained = synthetic[synthetic["metric"] == "accuracy"]
    original = baseline[baseline["model"] == "original"]
    line = original.rename(columns={"model": "mechanism", "accuracy": "mean"})
    table = pd.concat([accuracy.assign(method="release"), trained, line])
    return table[[*KEYS, "repeats", "mean", "sd", "se"]]
