"""The columns of a run's CSV files: what each holds, and reading by that.

CSV does not say what a field is. A program that guesses takes the data set ``2019`` for a number
and the mechanism ``null`` for a missing value. Therefore a column's name has one type in all
tables, declared here once; results/README.md describes the same.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from ggexp.run.storage import naming, read_parquet

if TYPE_CHECKING:
    import pandas as pd

TEXT = {
    *("alike", "attribute", "calibration", "claim", "dataset", "error", "evidence", "expected"),
    *("guarantee", "how", "id", "kind", "mechanism", "method", "metric", "model", "other"),
    *("panel", "prior", "quantity", "released", "runner_up", "source", "stated_by", "verdict"),
    "way",
}
NUMBER = {
    *("accuracy", "advantage", "at_epsilon", "bound", "bounded_sd", "closed_form"),
    *("delta", "density", "difference", "difference_se", "epsilon", "epsilon_2", "epsilon_low"),
    *("epsilon_without_data", "margin"),
    *(
        "exact",
        "exact_delta",
        "excess",
        "excess_se",
        "false_negative",
        "false_positive",
        "high",
        "left",
        "low",
        "made_for",
        "mean",
        "median",
    ),
    *("of_gaussian", "of_laplace", "of_pure", "of_truncated", "order", "p1", "p2"),
    *("probability", "radius", "ratio", "relative", "right", "runner_up_mean", "runner_up_se"),
    *("sanitized", "scale", "sd", "sd_gaussian", "sd_laplace", "sd_pure"),
    *("sd_truncated", "se", "share", "t", "tail", "value", "width", "within", "wrong", "x"),
}
WHOLE_NUMBER = {
    *("cell", "cells", "count", "draws", "k", "original", "rank", "records", "releases"),
    *("repeats", "total", "values"),
}
TRUE_FALSE = {"claimed", "clear", "exceeds", "paper", "unlikely"}
#: Columns in which an empty field is a missing value. In others it is damage.
MAY_BE_EMPTY = {
    *("advantage", "bound", "cells", "closed_form", "delta", "difference"),
    *("difference_se", "epsilon", "exact", "exact_delta"),
    *(
        "epsilon_without_data",
        "excess_se",
        "mean",
        "mechanism",
        "method",
        "order",
        "other",
        "relative",
        "repeats",
    ),
    *("runner_up", "runner_up_mean", "runner_up_se", "scale", "sd", "se"),
}
_TYPES = {
    **dict.fromkeys(TEXT, "str"),
    **dict.fromkeys(NUMBER, "float64"),
    **dict.fromkeys(WHOLE_NUMBER, "Int64"),
    **dict.fromkeys(TRUE_FALSE, "bool"),
}


def read_csv(path: str | Path) -> "pd.DataFrame":
    """Return the data frame that `storage.write_csv` wrote to the path.

    A missing text or number is NaN; whole numbers are int64, or float64 where one is missing.
    Raises ValueError naming the file where it is damaged, or has a column that is not declared.
    """
    import pandas as pd

    with naming(path):
        frame = pd.read_csv(path, dtype=_TYPES, keep_default_na=False, na_values=[""])
        if empty := set(frame.columns[frame.isna().any()]) & set(_TYPES) - MAY_BE_EMPTY:
            raise ValueError(f"empty fields in {', '.join(sorted(empty))}")
    if unknown := set(map(str, frame)) - set(_TYPES):
        names = ", ".join(sorted(unknown))
        raise ValueError(f"{path}: ggexp.run.columns declares no type for {names}")
    whole = {
        name: "float64" if frame[name].isna().any() else "int64"
        for name in WHOLE_NUMBER.intersection(frame)
    }
    return frame.astype(whole)


def read_table(path: str | Path) -> "pd.DataFrame":
    """Return the data frame that a job wrote to a CSV or Parquet file."""
    return read_parquet(path) if Path(path).suffix == ".parquet" else read_csv(path)
