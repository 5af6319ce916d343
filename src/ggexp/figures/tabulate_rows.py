"""The numbers of figures with a row for each mechanism, sentence of the paper, or reading of it.

The tables errors, accuracy and equal are those of `ggexp.figures.tabulate_summaries`.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ggexp.figures.tabulate_summaries import EQUAL, ORIGINAL, STATED_LOSSES, deltas_of, rows_at

#: The error that replaces the metric accuracy: the share of test records predicted wrongly.
MISCLASSIFICATION = "misclassification"
#: The group of the claims whose readings are shown.
GROUP = "results of section 4"
#: The kinds of choices that are conditions of a share.
CONDITIONS = ("correction", "threshold")
#: Baseline -> the choices on which its accuracy depends.
DEPENDS_ON = {
    "same": ["training", "test-records", "bins", "seed"],
    "weighted": ["test-records", "bins", "seed"],
    "records": ["seed"],
}


def ranks(
    errors: pd.DataFrame,
    metrics: Iterable[str],
    equal: pd.DataFrame,
    accuracy: pd.DataFrame | None = None,
    baseline: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the excess of each mechanism's error over the smallest error, at each ε and δ.

    Its standard error is that of the delta method.
    """
    of_equal = equal.set_index("metric")["equal"].to_dict()
    if baseline is not None:
        of_equal[MISCLASSIFICATION] = 1 - baseline.set_index("model")["accuracy"].get(EQUAL, np.nan)
    summary = pd.concat([errors, accuracy])
    deltas = deltas_of(summary)
    ranked_by = {metric: metric for metric in metrics} | {"accuracy": MISCLASSIFICATION}
    ranked = [
        _ranked(
            rows_at(means[means["epsilon"] == epsilon], delta),
            *(error, epsilon, delta, of_equal.get(error, np.nan)),
        )
        for metric, error in ranked_by.items()
        for means in [summary[summary["metric"] == metric]]
        for epsilon in means["epsilon"].unique()
        for delta in deltas
    ]
    return pd.concat(ranked, ignore_index=True)


def _ranked(
    means: pd.DataFrame, error: str, epsilon: float, delta: float, equal: float
) -> pd.DataFrame:
    """Return the rows of one error at one (ε, δ), in the order of the mechanisms."""
    mean = 1 - means["mean"] if error == MISCLASSIFICATION else means["mean"]
    best = mean.argmin()
    smallest, smallest_se = mean.iloc[best], means["se"].iloc[best]
    is_best = np.arange(len(mean)) == best
    with np.errstate(divide="ignore", invalid="ignore"):  # if the smallest error is 0
        ratio = np.where(mean == smallest, 1.0, mean / smallest)
        excess_se = ratio * np.hypot(means["se"] / mean, smallest_se / smallest)
        excess_of_equal = np.divide(equal, smallest) - 1
    return pd.DataFrame(
        {
            "error": error,
            "epsilon": epsilon,
            "delta": delta,
            "mechanism": means["mechanism"],
            "rank": mean.rank(method="first").astype(int),
            "repeats": means["repeats"],
            "mean": mean,
            "se": means["se"],
            "excess": ratio - 1,
            "excess_se": np.where(is_best, 0.0, excess_se),
            "equal": excess_of_equal,
        }
    )


def sentences(shares: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of readings in which each sentence of the paper's results holds: Figure M1.

    A sentence has each of its rows once, from the factorial with the most readings.
    """
    table = shares[shares["group"] == GROUP].sort_values("readings", kind="stable", ascending=False)
    table = table.drop_duplicates(["claim", "choice", "alternative"]).sort_index()
    return table.drop(columns=["group", "factorial", "comparisons", "verdict"])


def losses_of_readings(measured: pd.DataFrame) -> pd.DataFrame:
    """Return the losses of accuracy of each mechanism at each ε, by reading: Figure M2.

    measured: a measured table of accuracies (`ggexp.multiverse.accuracy.measure_readings`), which
        varies rounding, training, baseline, test records, bins and seed.
    """
    is_original = measured["mechanism"] == ORIGINAL
    releases = measured[measured["epsilon"].notna()].drop(columns="baseline")
    parts = []
    for baseline, choices in DEPENDS_ON.items():
        originals = measured[is_original & (measured["baseline"] == baseline)]
        originals = originals[[*choices, "mean"]].rename(columns={"mean": "original"})
        parts.append(releases.merge(originals, on=choices).assign(baseline=baseline))
    table = pd.concat(parts, ignore_index=True)
    table["loss"] = 100 * (table["original"] - table["mean"])
    table["within"] = table["loss"].between(*STATED_LOSSES)
    keys = ["test-records", "baseline", "training", "rounding", "epsilon", "mechanism"]
    # sorted by the keys, each of them in the order of the measured table
    ordered = {
        name: pd.Categorical(table[name], table[name].unique())
        for name in keys
        if name != "epsilon"
    }
    groups = table.assign(**ordered).groupby(keys, observed=True)
    summary = groups["loss"].agg(losses="size", mean="mean", lowest="min", highest="max")
    summary = summary.assign(within=groups["within"].mean())
    return summary.reset_index().astype(dict.fromkeys(ordered, str))
