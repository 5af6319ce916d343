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
    "mean": "its mean",
    "se": "its standard error",
    "runner_up": "runner-up",
    "runner_up_mean": "mean of the runner-up",
    "alike": "not told apart from the best",
}
NEEDED = {
    "guarantee": "guarantee",
    "delta": "δ",
    "within": "relative error",
    "epsilon": "ε",
    "advantage": "advantage",
    "mechanism": "mechanism",
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
        others = [_others(row) for row in best.to_dict("records")]
        told.append(
            {
                "dataset": dataset,
                "sentences": [*_sentences(best), *_out_of_reach(best, errors)],
                "best": best.assign(alike=others)[[*HEADINGS]].rename(columns=HEADINGS),
                "needed": errors.assign(
                    within=[f"{share:.0%}" for share in errors["within"]],
                    epsilon=[_epsilon(row) for row in errors.to_dict("records")],
                    advantage=errors["advantage"].map("{:.2g}".format, na_action="ignore"),
                )[[*NEEDED]].rename(columns=NEEDED),
            }
        )
    return told


def not_compared(left_out: pd.DataFrame) -> Iterator[str]:
    """Yield for each mechanism where its noise does not satisfy its guarantee.

    left_out: of `ggexp.experiment.recommendation`.
    """
    for mechanism, rows in left_out.groupby("mechanism", sort=False):
        places = "; ".join(
            f"ε = {row['epsilon']:g} and δ = {row['delta']:g} (exact δ: {row['exact_delta']:.2g})"
            for row in rows.to_dict("records")
        )
        yield (
            f"{mechanism} is not compared where its noise does not satisfy its guarantee: {places}."
        )


def _others(row: Mapping[Any, Any]) -> str:
    """Return the mechanisms that are not told apart from the best of a row."""
    return ", ".join(name for name in row["alike"].split(", ") if name != row["mechanism"])


def _epsilon(row: Mapping[Any, Any]) -> str:
    """Return the ε that an error needs, in as many digits as an interpolation is worth."""
    if row["how"] == "not reached":
        return row["how"]
    at_most = "" if row["how"] == "interpolated" else "≤ "
    return f"{at_most}{row['epsilon']:.2g}"


def _sentences(best: pd.DataFrame) -> Iterator[str]:
    """Yield for each guarantee and measure who is best, and whether chance decides that."""
    for guarantee, rows in best.groupby("guarantee", sort=False):
        if rows["runner_up"].isna().all():
            yield f"{guarantee}: {rows['mechanism'].iloc[0]} alone satisfies it."
            continue
        for metric, group in rows.groupby("metric", sort=False):
            what = "largest" if metric == "accuracy" else "smallest"
            told = f"{guarantee}, {what} {metric}: {_winners(group)} {_advice(group)}"
            yield told.rstrip()


def _winners(group: pd.DataFrame) -> str:
    clear = group.loc[group["clear"], "mechanism"].value_counts()
    if clear.empty:
        return "chance decides which mechanism is the best."
    places = ", ".join(f"{name} at {times}" for name, times in clear.items())
    chance = "" if clear.sum() == len(group) else "; at the others chance decides"
    return f"{places} of {len(group)} grid points beyond chance{chance}."


def _advice(group: pd.DataFrame) -> str:
    """Return which mechanisms are nowhere worse than the best beyond chance, if that is news."""
    first, *others = (names.split(", ") for names in group["alike"])
    safe = [name for name in first if all(name in names for names in others)]
    match safe:
        case []:
            return "None is among the best at all of them."
        case [_] if group["clear"].all():
            return ""
        case [one]:
            return f"{one} is among the best at all of them."
    names = ", ".join(sorted(safe))
    return f"Among the best everywhere: {names}. Take the one whose own guarantee is the strongest."


def _out_of_reach(best: pd.DataFrame, needed: pd.DataFrame) -> Iterator[str]:
    """Yield what to do where no ε of the run makes the error small."""
    if not needed.empty and (needed["how"] == "not reached").all():
        yield (
            f"No ε of this run, up to {best['epsilon'].max():g}, brings the l₁ distance to "
            f"{needed['within'].max():.0%} of n. Larger cells would: fewer columns, or wider bins."
        )
