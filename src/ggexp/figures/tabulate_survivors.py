"""The numbers of a figure of what releases of a histogram of many cells keep of it."""

import pandas as pd

SHOWN = ["l1", "kept", "accuracy"]
REFERENCE = "reference"


def tabulate_survivors(
    summary: pd.DataFrame, tally: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the rows of a data set's summaries that are drawn, and a reference for each metric.

    summary: the columns of `ggexp.experiment.summary.summarize`, of errors and perhaps of accuracy.
    tally: of the records. baseline: model and accuracy; empty without accuracies.
    The references are rows of the mechanism "reference": twice the records, which is the l1 of a
    release that has nothing in common with the original; the cells that are not empty; the accuracy
    of training on the original counts.
    """
    quantity = tally.set_index("quantity")["count"]
    references = {"l1": 2 * quantity["training"], "kept": quantity["cells"]}
    if len(baseline):
        references["accuracy"] = baseline.set_index("model")["accuracy"]["original"]
    shown = summary[summary["metric"].isin(SHOWN)]
    lines = pd.DataFrame({"metric": references.keys(), "mean": references.values()})
    lines.insert(0, "mechanism", REFERENCE)
    return pd.concat([shown, lines.assign(dataset=summary["dataset"].iloc[0])], ignore_index=True)
