"""The accuracies with which accuracies on releases are compared: without noise or information."""

import numpy as np
import pandas as pd

from ggexp.experiment.accuracy import LibrarySVM
from ggexp.svm.classifier import SharedKernelSVM


def tabulate_baselines(
    classifier: SharedKernelSVM | LibrarySVM, cells: pd.DataFrame, test: pd.DataFrame, target: str
) -> pd.DataFrame:
    """Return the accuracy, in [0, 1], of each model: the columns model and accuracy.

    "original" and "equal" are SVMs that are trained on the original counts and on equal counts;
    "majority" always predicts the most frequent class of the original. If releases do not list the
    cells, there is no model of equal counts, because the list of the non-empty cells itself is
    information.
    """
    majority = cells.groupby(target)["count"].sum().idxmax()
    accuracies = classifier.original_accuracy(), float((test[target] == majority).mean())
    models = dict(zip(("original", "majority"), accuracies, strict=True))
    if isinstance(classifier, SharedKernelSVM):
        equal = np.full(len(cells), cells["count"].mean())
        models["equal"] = float(classifier.accuracies(lambda _: equal, range(1))[0])
    return pd.DataFrame(models.items(), columns=["model", "accuracy"])
