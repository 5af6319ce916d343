"""The numbers of a figure of the loss of accuracy in all readings of training and testing."""

import pandas as pd

#: The losses that the paper states, in percentage points.
BAND = (0.25, 1.0)
#: Baseline -> the choices on which its accuracy depends.
DEPENDS_ON = {
    "same": ["training", "test-records", "bins", "split"],
    "weighted": ["test-records", "bins", "split"],
    "records": ["split"],
}


def tabulate(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the losses of accuracy of each mechanism at each ε, by reading.

    measured: the measured table of accuracies (`ggexp.multiverse.accuracy.measure`) that varies
        rounding, training, baseline, test records, bins and split.
    The columns are test-records, baseline, training, rounding, epsilon and mechanism; losses, the
    number of losses, one for each δ, split and set of bins; their mean, and the lowest and highest
    of them, in percentage points; and within, the share of them in `BAND`.
    """
    is_original = measured["mechanism"] == "original"
    releases = measured[~is_original].drop(columns="baseline")
    parts = []
    for baseline, choices in DEPENDS_ON.items():
        originals = measured[is_original & (measured["baseline"] == baseline)]
        originals = originals[[*choices, "mean"]].rename(columns={"mean": "original"})
        parts.append(releases.merge(originals, on=choices).assign(baseline=baseline))
    table = pd.concat(parts, ignore_index=True)
    table["loss"] = 100 * (table["original"] - table["mean"])
    table["within"] = table["loss"].between(*BAND)
    keys = ["test-records", "baseline", "training", "rounding", "epsilon", "mechanism"]
    summaries = {
        "losses": ("loss", "size"),
        "mean": ("loss", "mean"),
        "lowest": ("loss", "min"),
        "highest": ("loss", "max"),
        "within": ("within", "mean"),
    }
    # sorted by the keys, each of them in the order of the measured table
    ordered = {
        name: pd.Categorical(table[name], table[name].unique())
        for name in keys
        if name != "epsilon"
    }
    groups = table.assign(**ordered).groupby(keys, observed=True)
    return groups.agg(**summaries).reset_index().astype(dict.fromkeys(ordered, str))
