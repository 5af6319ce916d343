"""The numbers of a figure of the cells that releases of a large histogram retain."""

import pandas as pd

SHOWN = ["l1", "kept", "accuracy"]
REFERENCE = "reference"


def tabulate(
    retained: pd.DataFrame,
    tally: pd.DataFrame,
    accuracy: pd.DataFrame | None = None,
    baseline: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the rows of a data set's summaries that are drawn, and a reference for each metric.

    retained, accuracy: summaries of one data set, the columns of
        `ggexp.experiment.summary.summarize`. tally: of the records. baseline: model and accuracy.
    The references are rows of the mechanism "reference". For l1 it is twice the number of records,
    the distance of a release that has nothing in common with the original; for kept, the number of
    non-empty cells; for accuracy, the accuracy of training on the original counts.
    """
    quantity = tally.set_index("quantity")["count"]
    references = {"l1": 2 * quantity["training"], "kept": quantity["cells"]}
    if baseline is not None:
        references["accuracy"] = baseline.set_index("model")["accuracy"]["original"]
    summary = pd.concat([retained, accuracy])
    shown = summary[summary["metric"].isin(SHOWN)]
    rows = pd.DataFrame({"metric": references.keys(), "mean": references.values()})
    rows.insert(0, "mechanism", REFERENCE)
    return pd.concat([shown, rows.assign(dataset=summary["dataset"].iloc[0])], ignore_index=True)
