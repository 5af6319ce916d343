"""The recommendation of a run for its readers: sentences, and two tables a data set."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

HEADINGS = {
    "guarantee": "guarantee",
    "epsilon": "ε",
    "delta": "δ",
    "metric": "measure",
    "mechanism": "best",
    "mean": "mean of the best",
    "runner_up": "runner-up",
    "runner_up_mean": "mean of the runner-up",
    "clear": "told apart",
}
NEEDED = {
    "guarantee": "guarantee",
    "delta": "δ",
    "within": "relative error",
    "epsilon": "ε",
    "mechanism": "mechanism",
    "how": "how",
    "advantage": "advantage",
}


def answers(
    recommended: pd.DataFrame, needed: pd.DataFrame, labels: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return dataset, sentences, best and needed (tables) of each data set.

    recommended, needed: recommendation.csv and needed_epsilon.csv. labels: metric -> what people
        read of it, where that is another word.
    """
    recommended = recommended.assign(metric=recommended["metric"].replace(labels))
    told = []
    for dataset in recommended["dataset"].unique():
        best = recommended[recommended["dataset"] == dataset]
        errors = needed[needed["dataset"] == dataset]
        told.append(
            {
                "dataset": dataset,
                "sentences": list(_sentences(best)),
                "best": best.assign(
                    clear=best["clear"].map({True: "yes", False: "no"}),
                )[[*HEADINGS]].rename(columns=HEADINGS),
                "needed": errors.assign(within=[f"{share:.0%}" for share in errors["within"]])[
                    [*NEEDED]
                ].rename(columns=NEEDED),
            }
        )
    return told


def _sentences(best: pd.DataFrame) -> Iterator[str]:
    """Yield for each guarantee and measure who is best where."""
    for (guarantee, metric), group in best.groupby(["guarantee", "metric"], sort=False):
        what = "largest" if metric == "accuracy" else "smallest"
        wins = group.groupby("mechanism", sort=False)["clear"].agg(["size", "sum"])
        wins = wins.sort_values("size", ascending=False, kind="stable")
        if group["runner_up"].isna().all():
            yield f"{guarantee}, {metric}: {wins.index[0]} alone keeps it."
            continue
        places = "; ".join(
            f"{name} at {row['size']} of {len(group)} grid points (beyond chance at {row['sum']})"
            for name, row in wins.iterrows()
        )
        advice = "" if group["clear"].any() else " Chance may decide: take the simplest of them."
        yield f"{guarantee}, {what} {metric}: {places}.{advice}"
