"""Accuracies by scikit-learn's SVC, on cells that pandas codes as R does."""

import numpy as np
import pandas as pd
from sklearn.svm import SVC


def accuracies(training, test, target, over, sizes, over_sizes=1.0):
    """Return the accuracy on each table of test records.

    over: the records over which numbers are scaled. sizes, over_sizes: the weights of both.
    """
    frames = [training, *test, over]  # all have the levels that some of them has
    rows = pd.concat(frames, keys=range(len(frames)))
    numeric = rows.select_dtypes("number").columns
    points = pd.get_dummies(rows.drop(columns=[target, *numeric]))
    first = {}  # the first attribute with levels keeps all of them
    for name in rows.columns.drop([target, *numeric]):
        first.setdefault(name, f"{name}_{rows[name].min()}")
    points = points.drop(columns=[*first.values()][1:]).astype(float)
    scaled = np.broadcast_to(over_sizes, len(over))
    for name in numeric:
        mean = np.average(over[name], weights=scaled)
        variance = scaled @ (over[name] - mean) ** 2 / (scaled.sum() - 1)
        points[name] = (rows[name] - mean) / (variance**0.5 or 1.0)
    model = SVC(C=1, gamma=1 / points.shape[1], tol=1e-3)
    model.fit(points.loc[0], training[target], sample_weight=sizes)
    return [model.score(points.loc[1 + i], frame[target]) for i, frame in enumerate(test)]
