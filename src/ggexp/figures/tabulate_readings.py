"""The numbers of a figure that shows which choices decide each of the paper's sentences."""

import pandas as pd

#: The group of the claims that the figure shows.
GROUP = "results of section 4"
OUTCOMES = ["holds", "partly", "undecided", "fails"]


def tabulate(shares: pd.DataFrame, choices: pd.DataFrame) -> pd.DataFrame:
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
