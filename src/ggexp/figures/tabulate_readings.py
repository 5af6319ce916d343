"""The numbers of figures of all readings of the paper: its sentences, and losses of accuracy."""

import pandas as pd

#: The group of the claims that the figure shows.
GROUP = "results of section 4"
OUTCOMES = ["holds", "partly", "undecided", "fails"]
#: The losses that the paper states, in percentage points.
RANGE = (0.25, 1.0)
#: Baseline -> the choices on which its accuracy depends.
DEPENDS_ON = {
    "same": ["training", "test-records", "bins", "split"],
    "weighted": ["test-records", "bins", "split"],
    "records": ["split"],
}


def sentences(shares: pd.DataFrame, choices: pd.DataFrame) -> pd.DataFrame:
    """Return for each sentence and choice how much of its share of readings the choice decides.

    shares, choices: the tables of `ggexp.multiverse.universes`.
    The columns are claim, readings, the shares `OUTCOMES` and ours, of the claim's factorial with
    the most readings; choice; and decides, from the factorial with the most readings that varies
    the choice.
    """
    shares = shares.sort_values("readings", kind="stable", ascending=False)
    sentences = shares[shares["group"] == GROUP].drop_duplicates("claim").sort_index()
    sizes = shares[["claim", "factorial", "readings"]]
    decides = (
        choices.drop(columns="readings")
        .drop_duplicates(["claim", "factorial", "choice"])
        .merge(sizes, on=["claim", "factorial"])
        .sort_values("readings", kind="stable", ascending=False)
        .drop_duplicates(["claim", "choice"])
    )
    table = sentences.merge(decides[["claim", "choice", "decides"]], on="claim", how="left")
    return table[["claim", "readings", *OUTCOMES, "ours", "choice", "decides"]]


def losses(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the losses of accuracy of each mechanism at each ε, by reading.

    measured: the measured table of accuracies (`ggexp.multiverse.accuracy.measure`) that varies
        rounding, training, baseline, test records, bins and split.
    The columns are test-records, baseline, training, rounding, epsilon and mechanism; losses, the
    number of losses, one for each δ, split and set of bins; their mean, and the lowest and highest
    of them, in percentage points; and within, the share of them in `RANGE`.
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
    table["within"] = table["loss"].between(*RANGE)
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
