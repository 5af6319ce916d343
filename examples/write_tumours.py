"""Write tumours.csv: three measurements and the diagnosis of each record, from scikit-learn.

Source: Breast Cancer Wisconsin (Diagnostic), Wolberg, Mangasarian, Street and Street (1993), which
scikit-learn ships.
"""

import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer(as_frame=True)
table = data.frame[["mean radius", "mean texture", "mean smoothness"]]
table = table.assign(diagnosis=data.target_names[data.target])
table.to_csv(Path(sys.argv[1]), index=False)
