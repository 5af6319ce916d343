"""The accuracies with which accuracies on releases are compared: without noise or information."""

import numpy as np
import pandas as pd

from ggexp.experiment.accuracy import LibrarySVM
from ggexp.svm.classifier import SharedKernelSVM


def tabulate_baselines(
    classifier: SharedKernelSVM | LibrarySVM, cells: pd.DataFrame, test: pd.DataFrame, target: str
) -> pd.DataFrame:
    """Return model and accuracy: of SVMs on the original and equal counts, of the majority class.

    There is none of equal counts if releases do not list the cells, which would be information.
    """
    majority = cells.groupby(target)["count"].sum().idxmax()
    accuracies = classifier.original_accuracy(), float((test[target] == majority).mean())
    models = dict(zip(("original", "majority"), accuracies, strict=True))
    if isinstance(classifier, SharedKernelSVM):
        equal = np.full(len(cells), cells["count"].mean())
        models["equal"] = float(classifier.accuracies(lambda _: equal, range(1))[0])
    return pd.DataFrame(models.items(), columns=["model", "accuracy"])
