"""The numbers of figures of synthetic records, and of releases of unlisted cells.

The tables are summaries of one data set, as in `ggexp.figures.tabulate_summaries`.
"""

import pandas as pd

from ggexp.figures.tabulate_summaries import losses, with_equal

MARGINALS = ["one_way", "two_way"]
TRAINING = [
    *("dataset", "mechanism", "epsilon", "delta", "method"),
    *("repeats", "mean", "sd", "se", "loss"),
]
#: The metrics of a figure of retained cells, and the mechanism of their references.
RETAINED = ["l1", "kept", "accuracy"]
REFERENCE = "reference"


def marginals(synthetic: pd.DataFrame, equal: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of marginals from a data set's summary of synthetic records."""
    return with_equal(synthetic[synthetic["metric"].isin(MARGINALS)], equal)


def training(
    synthetic: pd.DataFrame, accuracy: pd.DataFrame, baseline: pd.DataFrame
) -> pd.DataFrame:
    """Return the accuracies of training on synthetic records and on releases, and of baselines.

    accuracy: of training on releases, whose rows get the method "release". loss: as in Figure 12.
    """
    of_records = synthetic[synthetic["metric"] == "accuracy"]
    accuracies = pd.concat([accuracy.assign(method="release"), of_records])
    return losses(accuracies, baseline)[TRAINING]


def count_bias(count_bias: pd.DataFrame) -> pd.DataFrame:
    """Return the third tables of `ggexp.experiment.synthetic_errors.measure_records`, unchanged."""
    return count_bias


def retained_cells(
    retained: pd.DataFrame,
    tally: pd.DataFrame,
    equal: pd.DataFrame,
    accuracy: pd.DataFrame | None = None,
    baseline: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the rows of a data set's summaries that are drawn, and a reference for each metric.

    The reference of l1, twice the number of records, is the distance of a release that has nothing
    in common with the original.
    """
    quantity = tally.set_index("quantity")["count"]
    references = {"l1": 2 * quantity["training"], "kept": quantity["cells"]}
    if baseline is not None:
        references["accuracy"] = baseline.set_index("model")["accuracy"]["original"]
    summary = pd.concat([retained, accuracy])
    shown = summary[summary["metric"].isin(RETAINED)]
    rows = pd.DataFrame({"metric": references.keys(), "mean": references.values()})
    rows = rows.assign(mechanism=REFERENCE, dataset=summary["dataset"].iloc[0])
    return with_equal(pd.concat([shown, rows], ignore_index=True), equal)
