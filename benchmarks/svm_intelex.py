"""Predictions and time of scikit-learn-intelex's SVC, for `benchmarks/svm.py`.

    python benchmarks/svm_intelex.py problem.npz result.npz

The input contains points, labels, test_points and releases (releases x cells). The output contains
predictions (releases x records) and seconds, the processor time of each release on one core.
"""

import sys
import time

import daal4py
import numpy as np
from sklearnex.svm import SVC


def main() -> None:
    """Train on each release in turn."""
    daal4py.daalinit(1)  # threads
    problem = np.load(sys.argv[1])
    points, labels = problem["points"], problem["labels"]
    predictions, seconds = [], []
    for weights in problem["releases"]:
        start = time.process_time()
        model = SVC(kernel="rbf", C=1, gamma=1 / points.shape[1], tol=1e-3)
        model.fit(points, labels, sample_weight=weights)
        predictions.append(model.predict(problem["test_points"]))
        seconds.append(time.process_time() - start)
    np.savez(sys.argv[2], predictions=np.array(predictions), seconds=np.array(seconds))


if __name__ == "__main__":
    main()
